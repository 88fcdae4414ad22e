/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Perl's functions in a made-up memory: as each version has them, in the moments in which a function
   is entered or left, and as nobody should. */

#include "tests/lib/made-perl.h"
#include "tests/lib/unit.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = 3000,
};

static const unsigned versions[] = {32, 34, 36, 38, 40};

#define each_version(v)                \
	(const unsigned *v = versions; \
		v < versions + sizeof(versions) / sizeof(*versions); v++)

static void read_stack(struct made_perl *made, struct script_stack *out)
{
	made_perl_sample(made);
	out->n_inner = 0;
	out->resting = UINT32_MAX;
	perl_stack_read(made->layout, made->place, made->snapshot, out);
}

static const char *const names[] = {
	"main::inner", "main::DESTROY", "Out::outer", "(program)"};

/* STACK has the functions from FIRST on, each at its own statement. */
static void assert_functions(
	struct made_perl *made, const struct script_stack *stack, unsigned first)
{
	assert_int_equal(stack->end, SCRIPT_ALL);
	assert_int_equal(stack->n_frames, MADE_FRAMES - first);
	for (unsigned i = 0; i < stack->n_frames; i++) {
		enum made_function function = (enum made_function)(first + i);
		assert_int_equal(stack->frames[i].place,
			MADE_MEMORY + made_perl_statement(function));
		assert_int_equal(stack->frames[i].function,
			function == MADE_PROGRAM ? 0
						 : MADE_MEMORY + made_perl_cv(function));
	}
	(void)made;
}

static void test_calls_of_the_loop_are_segments(void **state)
{
	(void)state;
	for
		each_version(version)
		{
			struct made_perl made;
			struct script_stack stack;
			made_perl_init(&made, *version);
			read_stack(&made, &stack);
			assert_functions(&made, &stack, MADE_INNER);
			assert_int_equal(stack.n_segments, 2);
			assert_int_equal(stack.segments[0].count, 2);
			assert_int_equal(stack.segments[1].first, 2);
			assert_int_equal(stack.segments[1].count, 2);
			assert_int_equal(stack.segments[0].mark, SCRIPT_MARK_CALL);
			assert_int_equal(stack.n_inner, 0);
			assert_int_equal(stack.resting, UINT32_MAX);
			made_perl_finish(&made);
		}
}

/* C has called DESTROY and catches nothing: then the eval {} in it does, by a loop of its own. */
static void test_an_eval_that_catches_by_a_loop_of_its_own(void **state)
{
	(void)state;
	struct made_perl made;
	struct script_stack stack;
	made_perl_init(&made, 36);
	made.bytes[MADE_DESTROY_CONTEXTS] = 2; /* not the eval of call_sv */
	read_stack(&made, &stack);
	assert_functions(&made, &stack, MADE_INNER);
	assert_int_equal(stack.n_segments, 2);
	assert_int_equal(stack.n_inner, 1);
	assert_int_equal(stack.inner[0], MADE_MEMORY + MADE_CALL_JUMP);
	made_perl_finish(&made);
}

/* Whatever was at a context before is there until it is written. */
static void test_a_context_that_is_being_made(void **state)
{
	(void)state;
	for
		each_version(version)
		{
			struct made_perl made;
			struct script_stack stack;
			made_perl_init(&made, *version);
			made_perl_put4(&made, MADE_DESTROY_STACK + PERL_SI_TOP, 2);
			made_perl_put4(&made, MADE_DESTROY_STACK + PERL_SI_SUB, 1);
			made_perl_put(&made, MADE_INTERPRETER + made.layout->cop,
				MADE_MEMORY + made_perl_statement(MADE_DESTROY));
			made_perl_put(&made,
				made_perl_context(MADE_INNER) + PERL_CONTEXT_COP,
				MADE_MEMORY + made_perl_statement(MADE_OUTER));
			made_perl_run(&made, PERL_ENTERSUB);
			read_stack(&made, &stack);
			assert_functions(&made, &stack, MADE_DESTROY);
			made_perl_finish(&made);
		}
}

static void test_a_function_that_has_run_no_statement(void **state)
{
	(void)state;
	struct made_perl made;
	struct script_stack stack;
	made_perl_init(&made, 36);
	made_perl_put4(&made, MADE_DESTROY_STACK + PERL_SI_TOP, 2);
	made_perl_put4(&made, MADE_DESTROY_STACK + PERL_SI_SUB, 2);
	made_perl_put(&made, MADE_INTERPRETER + made.layout->cop,
		MADE_MEMORY + made_perl_statement(MADE_DESTROY));
	made_perl_run(&made, PERL_ENTERSUB);
	read_stack(&made, &stack);
	assert_functions(&made, &stack, MADE_DESTROY);
	/* It is about to run its first one. */
	made_perl_put(&made, MADE_INTERPRETER + PERL_INTERPRETER_OP,
		MADE_MEMORY + made_perl_statement(MADE_INNER));
	read_stack(&made, &stack);
	assert_functions(&made, &stack, MADE_INNER);
	made_perl_finish(&made);
}

/* Its value is given up first, then its context, while the statement is still its own. */
static void test_a_function_that_is_left(void **state)
{
	(void)state;
	struct made_perl made;
	struct script_stack stack;
	made_perl_init(&made, 36);
	made_perl_put4(&made, MADE_DESTROY_STACK + PERL_SI_TOP, 2);
	made_perl_put4(&made, MADE_DESTROY_STACK + PERL_SI_SUB, 2);
	made_perl_put(&made, made_perl_context(MADE_INNER) + PERL_CONTEXT_CV, 0);
	read_stack(&made, &stack);
	assert_functions(&made, &stack, MADE_DESTROY);
	made_perl_put4(&made, MADE_DESTROY_STACK + PERL_SI_SUB, 1);
	read_stack(&made, &stack);
	assert_functions(&made, &stack, MADE_DESTROY);
	made_perl_finish(&made);
}

/* As of sort, between two calls of its function. */
static void test_a_function_that_C_calls_again_and_again_may_rest(void **state)
{
	(void)state;
	struct made_perl made;
	struct script_stack stack;
	made_perl_init(&made, 36);
	made.bytes[made_perl_context(MADE_DESTROY)] |= 0x10;
	read_stack(&made, &stack);
	assert_int_equal(stack.resting, 0);
	made_perl_put4(&made, MADE_DESTROY_STACK + PERL_SI_TOP, 1);
	made_perl_put4(&made, MADE_DESTROY_STACK + PERL_SI_SUB, 1);
	made_perl_put(&made, MADE_INTERPRETER + made.layout->cop,
		MADE_MEMORY + made_perl_statement(MADE_OUTER));
	read_stack(&made, &stack);
	assert_functions(&made, &stack, MADE_OUTER);
	assert_int_equal(stack.resting, 0);
	assert_int_equal(stack.segments[0].count, 0);
	made_perl_finish(&made);
}

static void test_a_thread_without_perl(void **state)
{
	(void)state;
	struct made_perl made;
	struct script_stack stack;
	made_perl_init(&made, 36);
	made_perl_put(&made, MADE_THREAD + (size_t)made.place, 0);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_NONE);
	made_perl_finish(&made);
}

static void test_what_contradicts_itself_is_not_believed(void **state)
{
	(void)state;
	const struct {
		size_t at;
		uint64_t word;
	} wrong[] = {
		{MADE_MAIN_STACK + PERL_SI_NEXT, MADE_MEMORY + MADE_MAIN_STACK},
		{MADE_MAIN_STACK + PERL_SI_PREVIOUS, MADE_MEMORY + MADE_MAIN_STACK},
		{MADE_CALL_JUMP, MADE_MEMORY + MADE_CALL_JUMP}, {MADE_CALL_JUMP, 0x10000},
		{MADE_INTERPRETER + 224, 0}, /* PL_curstackinfo */
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct made_perl made;
		struct script_stack stack;
		made_perl_init(&made, 36);
		made_perl_put(&made, wrong[i].at, wrong[i].word);
		read_stack(&made, &stack);
		assert_int_equal(stack.end, SCRIPT_UNSURE);
		made_perl_finish(&made);
	}
}

/* Contexts that were not copied. */
static void test_what_was_not_copied_is_cut(void **state)
{
	(void)state;
	struct made_perl made;
	struct script_stack stack;
	made_perl_init(&made, 36);
	made_perl_put(&made, MADE_MAIN_STACK + PERL_SI_CONTEXTS, 0x10000);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_CUT);
	assert_int_equal(stack.n_frames, 2);
	assert_int_equal(
		stack.frames[1].function, MADE_MEMORY + made_perl_cv(MADE_DESTROY));
	made_perl_finish(&made);
}

/* --- names ------------------------------------------------------------------------------ */

static enum script_kind find(struct perl_codes *codes, struct made_perl *made,
	unsigned frame, struct script_function *out)
{
	struct script_stack stack;
	stack.n_inner = 0;
	perl_stack_read(made->layout, made->place, made->snapshot, &stack);
	assert_true(frame < stack.n_frames);
	return perl_codes_find(codes, made->snapshot, MADE_MEMORY + MADE_INTERPRETER,
		&stack.frames[frame], out);
}

static void test_functions_have_names_files_and_lines(void **state)
{
	(void)state;
	for
		each_version(version)
		{
			struct made_perl made;
			struct script_function found;
			made_perl_init(&made, *version);
			struct perl_codes *codes =
				perl_codes_create(made.layout, &made.memory);
			for (unsigned i = 0; i < 2 * MADE_FRAMES; i++) {
				assert_int_equal(
					find(codes, &made, i % MADE_FRAMES, &found),
					SCRIPT_NAMED);
				assert_string_equal(found.name, names[i % MADE_FRAMES]);
				assert_string_equal(found.file, "file.pl");
				assert_int_equal(found.line, 10 * (i % MADE_FRAMES + 1));
				assert_int_equal(found.number, i % MADE_FRAMES);
			}
			perl_codes_destroy(codes);
			made_perl_finish(&made);
		}
}

/* Change the word at AT after the sample was taken: then FRAME has no name. */
static void assert_gone(unsigned frame, size_t at, uint64_t word)
{
	struct made_perl made;
	struct script_function found;
	made_perl_init(&made, 36);
	made_perl_put(&made, at, word);
	struct perl_codes *codes = perl_codes_create(made.layout, &made.memory);
	assert_int_equal(find(codes, &made, frame, &found), SCRIPT_GONE);
	assert_int_equal(find(codes, &made, MADE_PROGRAM, &found), SCRIPT_NAMED);
	perl_codes_destroy(codes);
	made_perl_finish(&made);
}

static void test_what_is_gone_has_no_name(void **state)
{
	(void)state;
	for (unsigned i = MADE_INNER; i <= MADE_OUTER; i++) {
		enum made_function function = (enum made_function)i;
		size_t cv = made_perl_cv(function), body = made_perl_body(function);
		size_t statement = made_perl_statement(function);
		uint64_t other = MADE_MEMORY + made_perl_root(MADE_PROGRAM);
		assert_gone(i, cv + PERL_HEAD_COUNT, 0); /* freed */
		assert_gone(i, cv + PERL_HEAD_BODY, 0);
		assert_gone(i, body + PERL_CV_ROOT, other); /* another one */
		assert_gone(i, body + PERL_CV_NAME, 0x10000);
		assert_gone(i, statement + PERL_OP_TYPE, 0x1ff);
		assert_gone(i, statement + PERL_OP_SIBLING, other);
		/* a later one: its number is in the upper half */
		assert_gone(
			i, statement + PERL_COP_NUMBER - 4, (uint64_t)MADE_NUMBER << 32);
	}
}

/* A closure that was freed: another one of the same code was named before. */
static void test_a_closure_is_named_by_another_one(void **state)
{
	(void)state;
	struct made_perl made;
	struct script_function found;
	made_perl_init(&made, 36);
	struct perl_codes *codes = perl_codes_create(made.layout, &made.memory);
	assert_int_equal(find(codes, &made, MADE_OUTER, &found), SCRIPT_NAMED);
	made_perl_put4(&made, made_perl_cv(MADE_OUTER) + PERL_HEAD_COUNT, 0);
	/* That of the function that C was called by may be another's statement. */
	assert_int_equal(find(codes, &made, MADE_OUTER, &found), SCRIPT_GONE);
	made.bytes[made_perl_context(MADE_DESTROY) + PERL_CONTEXT_RETURN] = 1;
	made.bytes[MADE_DESTROY_CONTEXTS] = 2;
	made_perl_sample(&made);
	assert_int_equal(find(codes, &made, MADE_OUTER, &found), SCRIPT_NAMED);
	assert_string_equal(found.name, "Out::outer");
	perl_codes_destroy(codes);
	made_perl_finish(&made);
}

/* While Perl unwinds, the innermost function has a statement of one that it called. */
static void test_a_statement_of_another_function_is_not_believed(void **state)
{
	(void)state;
	struct made_perl made;
	struct script_function found;
	made_perl_init(&made, 36);
	struct perl_codes *codes = perl_codes_create(made.layout, &made.memory);
	assert_int_equal(find(codes, &made, MADE_INNER, &found), SCRIPT_NAMED);
	made_perl_put(&made, MADE_INTERPRETER + made.layout->cop,
		MADE_MEMORY + made_perl_statement(MADE_OUTER));
	made_perl_sample(&made);
	assert_int_equal(find(codes, &made, MADE_INNER, &found), SCRIPT_NAMED);
	assert_string_equal(found.name, "main::inner");
	assert_string_equal(found.file, "file.pl");
	assert_int_equal(found.line, 0);
	perl_codes_destroy(codes);
	made_perl_finish(&made);
}

static void test_names_in_other_letters(void **state)
{
	(void)state;
	struct made_perl made;
	struct script_function found;
	size_t name = made_perl_cv(MADE_INNER) + 0x300 + PERL_HEK_KEY;
	made_perl_init(&made, 36);
	memcpy(made.bytes + name, "caf\xe9\x1b", 6); /* Latin-1, and a control */
	struct perl_codes *codes = perl_codes_create(made.layout, &made.memory);
	assert_int_equal(find(codes, &made, MADE_INNER, &found), SCRIPT_NAMED);
	assert_true(strncmp(found.name, "main::caf\xc3\xa9", 11) == 0);
	assert_null(strchr(found.name, '\x1b'));
	perl_codes_destroy(codes);
	made_perl_finish(&made);
}

/* Whatever is in the memory, it ends, and what it says is whole. */
static void test_any_words(void **state)
{
	(void)state;
	srand(1);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct made_perl made;
		struct script_stack stack;
		struct script_function found;
		made_perl_init(&made, versions[round % 5]);
		struct perl_codes *codes = perl_codes_create(made.layout, &made.memory);
		for (unsigned i = 0; i < 1 + round % 20; i++)
			made_perl_put(&made, (size_t)rand() % (MADE_BYTES / 8) * 8,
				rand() % 2 ? MADE_MEMORY + (size_t)rand() % MADE_BYTES
					   : (uint64_t)rand());
		read_stack(&made, &stack);
		assert_true(stack.n_frames <= SCRIPT_FRAMES_MAX);
		uint32_t next = 0;
		for (uint32_t i = 0; i < stack.n_segments; i++) {
			assert_int_equal(stack.segments[i].first, next);
			next += stack.segments[i].count;
		}
		assert_true(next <= stack.n_frames);
		for (uint32_t i = 0; i < stack.n_frames && i < 8; i++)
			if (perl_codes_find(codes, made.snapshot,
				    MADE_MEMORY + MADE_INTERPRETER, &stack.frames[i],
				    &found) == SCRIPT_NAMED)
				assert_true(found.name && found.file);
		perl_codes_destroy(codes);
		made_perl_finish(&made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls_of_the_loop_are_segments),
		cmocka_unit_test(test_an_eval_that_catches_by_a_loop_of_its_own),
		cmocka_unit_test(test_a_context_that_is_being_made),
		cmocka_unit_test(test_a_function_that_has_run_no_statement),
		cmocka_unit_test(test_a_function_that_is_left),
		cmocka_unit_test(test_a_function_that_C_calls_again_and_again_may_rest),
		cmocka_unit_test(test_a_thread_without_perl),
		cmocka_unit_test(test_what_contradicts_itself_is_not_believed),
		cmocka_unit_test(test_what_was_not_copied_is_cut),
		cmocka_unit_test(test_functions_have_names_files_and_lines),
		cmocka_unit_test(test_what_is_gone_has_no_name),
		cmocka_unit_test(test_a_closure_is_named_by_another_one),
		cmocka_unit_test(test_a_statement_of_another_function_is_not_believed),
		cmocka_unit_test(test_names_in_other_letters),
		cmocka_unit_test(test_any_words),
	};
	return unit_run(tests);
}
