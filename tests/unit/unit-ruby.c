/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ruby's frames and functions in a made-up memory: as they should be, in the moments in which the
   interpreter has not finished what it writes, and as nobody should. */

#include "tests/lib/made-ruby.h"
#include "tests/lib/unit.h"

#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = 20000,
	BLOCK = 0x22220001,
	C_METHOD = 0x55550083,
	LAST = 0x20,
};

static const unsigned one_call[] = {3, 0}, two_calls[] = {2, 3, 0}, no_call[] = {0};

static void read_stack(const struct made_ruby *made, struct script_stack *out)
{
	ruby_stack_read(made->layout, &made->place, made->snapshot, out);
}

static void assert_end(struct made_ruby *made, enum script_end end)
{
	struct script_stack stack;
	made_ruby_sample(made);
	read_stack(made, &stack);
	assert_int_equal(stack.end, end);
}

/* Frame I of the sample as it is now. */
static enum script_kind find(struct made_ruby *made, struct ruby_codes *codes, unsigned i,
	struct script_function *out)
{
	struct script_stack stack;
	read_stack(made, &stack);
	assert_int_equal(stack.end, SCRIPT_ALL);
	assert_true(i < stack.n_frames);
	return ruby_codes_find(codes, made->snapshot, &stack.frames[i], out);
}

static void assert_found(struct made_ruby *made, unsigned i, const char *name)
{
	struct script_function function;
	struct ruby_codes *codes = ruby_codes_create(&made->objects, &made->place);
	made_ruby_sample(made);
	assert_int_equal(find(made, codes, i, &function), SCRIPT_NAMED);
	assert_string_equal(function.name, name);
	ruby_codes_destroy(codes);
}

/* --- frames --------------------------------------------------------------------------- */

static void test_each_call_has_its_mark(void **state)
{
	(void)state;
	struct made_ruby made;
	struct script_stack stack;
	made_ruby_init(&made, two_calls);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_ALL);
	assert_int_equal(stack.n_frames, 5);
	assert_int_equal(stack.n_segments, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(stack.segments[i].first, i * 2);
		assert_int_equal(stack.segments[i].count, two_calls[i]);
		assert_int_equal(stack.segments[i].mark, RUBY_MEMORY + made_ruby_tag(i));
	}
	for (unsigned i = 0; i < 5; i++)
		assert_int_equal(
			stack.frames[i].function, RUBY_MEMORY + RUBY_ISEQS + i * 0x40u);
	made_ruby_finish(&made);
}

static void test_a_thread_without_ruby(void **state)
{
	(void)state;
	struct made_ruby made;
	made_ruby_init(&made, no_call);
	assert_end(&made, SCRIPT_NONE);
	made_ruby_put(&made, RUBY_THREAD + (size_t)made.place.context, 0);
	assert_end(&made, SCRIPT_NONE);
	made_ruby_finish(&made);
}

/* The innermost frame is there, and its call has not begun. */
static void test_a_frame_before_its_call_is_left_out(void **state)
{
	(void)state;
	static const unsigned begun[] = {1, 3, 0};
	struct made_ruby made;
	struct script_stack stack;
	made_ruby_init(&made, begun);
	made_ruby_put(
		&made, RUBY_CONTEXT + made.layout->tag, RUBY_MEMORY + made_ruby_tag(1));
	made_ruby_sample(&made);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_ALL);
	assert_int_equal(stack.n_segments, 1);
	assert_int_equal(stack.segments[0].first, 1);
	assert_int_equal(stack.segments[0].mark, RUBY_MEMORY + made_ruby_tag(1));
	made_ruby_finish(&made);
	made_ruby_init(&made, two_calls); /* two frames are no beginning */
	made_ruby_put(
		&made, RUBY_CONTEXT + made.layout->tag, RUBY_MEMORY + made_ruby_tag(1));
	assert_end(&made, SCRIPT_UNSURE);
	made_ruby_finish(&made);
}

/* The innermost call is there, and has no frame any more; other code has tags, too. */
static void test_a_call_without_a_frame(void **state)
{
	(void)state;
	struct made_ruby made;
	struct script_stack stack;
	made_ruby_init(&made, two_calls);
	made_ruby_put(&made, RUBY_CONTEXT + made.layout->frame,
		RUBY_MEMORY + made_ruby_frame(&made, 2));
	made_ruby_sample(&made);
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_ALL);
	assert_int_equal(stack.n_segments, 1);
	assert_int_equal(stack.segments[0].mark, RUBY_MEMORY + made_ruby_tag(1));
	made_ruby_put(&made, made_ruby_tag(0) + made.place.tag_resume, 0x1234);
	made_ruby_sample(&made);
	read_stack(&made, &stack);
	assert_int_equal(stack.segments[0].mark, RUBY_MEMORY + made_ruby_tag(1));
	made_ruby_put(&made, made_ruby_tag(1) + made.place.tag_resume, 0x1234);
	assert_end(&made, SCRIPT_UNSURE);
	made_ruby_finish(&made);
}

static void test_what_contradicts_itself_is_not_believed(void **state)
{
	(void)state;
	struct made_ruby made;
	made_ruby_init(&made, one_call);
	const struct ruby_layout *layout = made.layout;
	const struct {
		size_t at;
		uint64_t word;
	} wrong[] = {
		{made_ruby_frame(&made, 1) + layout->pc, 0},
		{made_ruby_frame(&made, 1) + layout->iseq, 0},
		{made_ruby_frame(&made, 1) + layout->env,
			RUBY_MEMORY + RUBY_STACK_END - 8},
		{made_ruby_env(1), 0x12340001},
		{made_ruby_env(1), 0x79990023},
		{RUBY_CONTEXT + layout->frame, RUBY_MEMORY + RUBY_STACK_END - 60},
		{RUBY_CONTEXT + layout->frame, RUBY_MEMORY + RUBY_STACK_END},
		{RUBY_CONTEXT + layout->stack_words, UINT64_MAX},
		{made_ruby_tag(0) + made.place.tag_previous,
			RUBY_MEMORY + made_ruby_tag(0)},
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		uint64_t before = made_ruby_word(&made, wrong[i].at);
		made_ruby_put(&made, wrong[i].at, wrong[i].word);
		assert_end(&made, SCRIPT_UNSURE);
		made_ruby_put(&made, wrong[i].at, before);
	}
	assert_end(&made, SCRIPT_ALL);
	made_ruby_finish(&made);
}

/* Without the outer frames, or where the calls are, the functions are known in order. */
static void test_what_was_not_copied_is_cut(void **state)
{
	(void)state;
	struct made_ruby made;
	struct script_stack stack;
	made_ruby_init(&made, two_calls);
	made.snapshot->second_result = RECIPE_LIMIT;
	made.snapshot->second_addresses[RUBY_TAGS / RECIPE_BLOCK] = 0;
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_CUT);
	assert_int_equal(stack.n_segments, 1);
	assert_int_equal(stack.segments[0].count, 5);
	assert_int_equal(stack.segments[0].mark, SCRIPT_MARK_MISSING);
	made.snapshot->second_addresses[RUBY_ENVS / RECIPE_BLOCK] = 0;
	read_stack(&made, &stack);
	assert_int_equal(stack.end, SCRIPT_CUT);
	made_ruby_finish(&made);
}

/* --- names ---------------------------------------------------------------------------- */

static void test_methods_have_names_and_lines(void **state)
{
	(void)state;
	struct made_ruby made;
	struct script_function function;
	made_ruby_init(&made, one_call);
	struct ruby_codes *codes = ruby_codes_create(&made.objects, &made.place);
	for (unsigned i = 0; i < 3; i++) {
		char name[32];
		snprintf(name, sizeof(name), "Made#method%u", i);
		assert_int_equal(find(&made, codes, i, &function), SCRIPT_NAMED);
		assert_string_equal(function.name, name);
		assert_string_equal(function.file, "/made.rb");
		assert_int_equal(function.first_line, 10 * (i + 1));
		assert_int_equal(function.line, 10 * (i + 1) + 2);
	}
	ruby_codes_destroy(codes);
	/* A method entry of something else says nothing. */
	made_ruby_put(&made, RUBY_DEFINITIONS + made.layout->definition_iseq, 8);
	assert_found(&made, 0, "method0");
	made_ruby_finish(&made);
}

/* Method 0 is a block in method 1, then one whose method runs no more. */
static void test_a_block_is_of_its_method(void **state)
{
	(void)state;
	struct made_ruby made;
	made_ruby_init(&made, one_call);
	const struct ruby_layout *layout = made.layout;
	made_ruby_put(&made, made_ruby_env(0), BLOCK);
	made_ruby_put(&made, made_ruby_env(0) - 16, 0);
	made_ruby_put(&made, made_ruby_env(0) - 8, (RUBY_MEMORY + made_ruby_env(1)) | 1);
	made_ruby_put_text(&made, RUBY_LABELS, "block in method1");
	made_ruby_put(&made, RUBY_BODIES + layout->base_label,
		RUBY_MEMORY + RUBY_LABELS + 0x40);
	made_ruby_put(
		&made, RUBY_BODIES + layout->local_iseq, RUBY_MEMORY + RUBY_ISEQS + 0x40);
	assert_found(&made, 0, "block in Made#method1");
	made_ruby_put(&made, made_ruby_frame(&made, 1) + layout->env,
		RUBY_MEMORY + made_ruby_env(4));
	made_ruby_put(&made, made_ruby_env(4), made_ruby_word(&made, made_ruby_env(1)));
	assert_found(&made, 0, "block in Made#method1");
	made_ruby_put(&made, made_ruby_env(1) - 16, 0);
	assert_found(&made, 0, "block in method1");
	made_ruby_finish(&made);
}

static void test_a_method_of_c_has_its_name(void **state)
{
	(void)state;
	enum {
		KIND_C = 1
	};
	struct made_ruby made;
	made_ruby_init(&made, one_call);
	const struct ruby_layout *layout = made.layout;
	made_ruby_put(&made, made_ruby_env(0), C_METHOD);
	made_ruby_put(&made, made_ruby_frame(&made, 0) + layout->pc, 0);
	made_ruby_put(&made, made_ruby_frame(&made, 0) + layout->iseq, 0);
	made_ruby_put(&made, RUBY_DEFINITIONS, KIND_C);
	made_ruby_put(&made, RUBY_DEFINITIONS + layout->original_name, '+');
	assert_found(&made, 0, "Made#+");
	assert_true(ruby_objects_are_names(&made.objects, RUBY_MEMORY + RUBY_NAMES));
	assert_false(ruby_objects_are_names(&made.objects, RUBY_MEMORY + RUBY_CLASS));
	made_ruby_finish(&made);
}

static void test_the_collector_is_named_of_the_thread_that_runs_it(void **state)
{
	(void)state;
	struct made_ruby made;
	made_ruby_init(&made, one_call);
	made_ruby_put(&made, RUBY_OBJSPACE + made.layout->collecting, RUBY_COLLECTING);
	assert_found(&made, 0, "[Ruby's garbage collector]");
	assert_found(&made, 1, "Made#method0");
	made_ruby_put(&made, RUBY_RACTOR + made.layout->running, RUBY_MEMORY);
	assert_found(&made, 0, "Made#method0");
	made_ruby_finish(&made);
}

/* A collection may have freed what ran in the sample. */
static void test_what_may_be_another_is_not_named(void **state)
{
	(void)state;
	struct made_ruby made;
	struct script_function function;
	made_ruby_init(&made, one_call);
	const size_t collections = RUBY_OBJSPACE + made.layout->collections;
	struct ruby_codes *codes = ruby_codes_create(&made.objects, &made.place);
	made_ruby_put(&made, collections, 8);
	assert_int_equal(find(&made, codes, 0, &function), SCRIPT_GONE);
	/* It was known before, and is the same. */
	made_ruby_sample(&made);
	made_ruby_put(&made, collections, 11);
	assert_int_equal(find(&made, codes, 0, &function), SCRIPT_NAMED);
	/* It has other words, or other texts. */
	made_ruby_sample(&made);
	made_ruby_put(&made, collections, 14);
	made_ruby_put(&made, RUBY_BODIES + made.layout->first_line, 41);
	assert_int_equal(find(&made, codes, 0, &function), SCRIPT_GONE);
	made_ruby_put(&made, collections, 15);
	made_ruby_sample(&made);
	made_ruby_put(&made, collections, 17);
	memcpy(made.bytes + RUBY_TEXTS, "another", 7);
	assert_int_equal(find(&made, codes, 0, &function), SCRIPT_GONE);
	/* It is older than the collection; and of what was going on nobody knows. */
	ruby_codes_destroy(codes);
	codes = ruby_codes_create(&made.objects, &made.place);
	made_ruby_sample(&made);
	made_ruby_put(&made, collections, 18);
	made_ruby_put(&made, RUBY_ISEQS, made_ruby_word(&made, RUBY_ISEQS) | 1 << 5);
	made_ruby_put(&made, RUBY_ISEQS + 0x40,
		made_ruby_word(&made, RUBY_ISEQS + 0x40) | 1 << 6);
	assert_int_equal(find(&made, codes, 0, &function), SCRIPT_NAMED);
	made_ruby_put(&made, collections, 19);
	assert_int_equal(find(&made, codes, 1, &function), SCRIPT_GONE);
	assert_int_equal(find(&made, codes, 2, &function), SCRIPT_GONE);
	ruby_codes_destroy(codes);
	made_ruby_finish(&made);
}

/* A frame that was not written yet has the words of one before. */
static void test_an_instruction_of_other_code_is_not_named(void **state)
{
	(void)state;
	struct made_ruby made;
	struct script_function function;
	made_ruby_init(&made, one_call);
	struct ruby_codes *codes = ruby_codes_create(&made.objects, &made.place);
	made_ruby_put(&made, made_ruby_frame(&made, 0) + made.layout->pc,
		RUBY_MEMORY + RUBY_CODE + 0x100);
	made_ruby_sample(&made);
	assert_int_equal(find(&made, codes, 0, &function), SCRIPT_GONE);
	ruby_codes_destroy(codes);
	made_ruby_finish(&made);
}

/* Words 54 to 565 are in one block: entry 9 begins with word 54, one more each 10 words. */
static void test_lines_of_long_code(void **state)
{
	(void)state;
	unsigned char bytes[48 + 80] = {0};
	for (unsigned word = 0; word < 512; word += 10)
		bytes[48 + 16 + word / 8] |= (unsigned char)(1 << word % 8);
	uint64_t counts = 0;
	for (unsigned part = 1; part < 8; part++)
		counts |= (uint64_t)((part * 64 + 9) / 10) << (part - 1) * 9;
	memcpy(bytes + 48 + 8, &counts, sizeof(counts));
	bytes[48] = 9;
	for (unsigned word = 0; word < 512; word++)
		assert_int_equal(ruby_line_entry(bytes, sizeof(bytes), 54 + word, 100),
			9 + word / 10);
	assert_int_equal(ruby_line_entry(bytes, sizeof(bytes), 54 + 512, 100), 100);
	assert_int_equal(ruby_line_entry(bytes, 48, 60, 100), 100);
	assert_int_equal(ruby_line_entry(bytes, 40, 0, 100), 100);
}

/* --- anything ------------------------------------------------------------------------- */

static void test_any_words(void **state)
{
	(void)state;
	struct made_ruby made;
	made_ruby_init(&made, two_calls);
	struct ruby_codes *codes = ruby_codes_create(&made.objects, &made.place);
	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		struct script_stack stack;
		struct script_function function;
		size_t at = (size_t)rand() % (RUBY_BYTES / 8) * 8;
		uint64_t before = made_ruby_word(&made, at);
		uint64_t word = (uint64_t)rand() % 4 == 0
					? (uint64_t)rand() << 33 | (unsigned)rand()
					: RUBY_MEMORY + (unsigned)rand() % RUBY_BYTES;
		made_ruby_put(&made, at, word);
		made_ruby_sample(&made);
		read_stack(&made, &stack);
		assert_true(stack.n_frames <= SCRIPT_FRAMES_MAX);
		for (uint32_t i = 0; i < stack.n_segments; i++)
			assert_true(stack.segments[i].first + stack.segments[i].count <=
				    stack.n_frames);
		for (uint32_t i = 0; i < stack.n_frames && i < 16; i++)
			ruby_codes_find(
				codes, made.snapshot, &stack.frames[i], &function);
		if (rand() % 3)
			made_ruby_put(&made, at, before);
		if (rand() % 500 == 0) {
			made_ruby_finish(&made);
			made_ruby_init(&made, two_calls);
		}
	}
	ruby_codes_destroy(codes);
	made_ruby_finish(&made);
}

static int of_3_1(void **state)
{
	(void)state;
	made_ruby_version = 0x0301;
	return 0;
}

static int of_3_3(void **state)
{
	(void)state;
	made_ruby_version = 0x0303;
	return 0;
}

#define BOTH(test) \
	cmocka_unit_test_setup(test, of_3_1), cmocka_unit_test_setup(test, of_3_3)

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(test_each_call_has_its_mark),
		BOTH(test_a_thread_without_ruby),
		BOTH(test_a_frame_before_its_call_is_left_out),
		BOTH(test_a_call_without_a_frame),
		BOTH(test_what_contradicts_itself_is_not_believed),
		BOTH(test_what_was_not_copied_is_cut),
		BOTH(test_methods_have_names_and_lines),
		BOTH(test_a_block_is_of_its_method),
		BOTH(test_a_method_of_c_has_its_name),
		BOTH(test_the_collector_is_named_of_the_thread_that_runs_it),
		BOTH(test_what_may_be_another_is_not_named),
		BOTH(test_an_instruction_of_other_code_is_not_named),
		BOTH(test_lines_of_long_code),
		BOTH(test_any_words),
	};
	return unit_run(tests);
}
