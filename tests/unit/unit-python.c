/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Python's frames and functions in a made-up memory: as each version has them, in the moments in
   which the interpreter has not finished what it writes, and as nobody should. */

#include "tests/lib/made-python.h"
#include "tests/lib/unit.h"

#include "src/base/mem.h"
#include "src/read/runtimes/python/python-lines.h"

#include <stdlib.h>
#include <string.h>

enum {
	ROUNDS = 3000,
};

static const unsigned versions[] = {
	0x0307, 0x0308, 0x0309, 0x030a, 0x030b, 0x030c, 0x030d, 0x030e, 0x030f};
enum {
	MARKED = 4, /* from this one on, calls leave marks */
};
static const unsigned one_call[] = {3, 0}, two_calls[] = {2, 3, 0};

#define each_version_from(v, first)              \
	(const unsigned *v = versions + (first); \
		v < versions + sizeof(versions) / sizeof(*versions); v++)
#define each_version(v)	       each_version_from(v, 0)
#define each_marked_version(v) each_version_from(v, MARKED)

static void read_stack(const struct made_python *made, struct script_stack *out)
{
	python_stack_read(made->layout, made->place, made->snapshot, out);
}

static void assert_end(const struct made_python *made, enum script_end end)
{
	struct script_stack stack;
	read_stack(made, &stack);
	assert_int_equal(stack.end, end);
}

static size_t code_at(unsigned function)
{
	return MADE_CODES + function * 0x200u;
}

static size_t frame_at(unsigned function)
{
	return MADE_FRAMES + (MADE_FUNCTIONS - 1 - function) * 0x100u;
}

/* STACK has the functions from FIRST on, whole calls. */
static void assert_functions(
	const struct made_python *made, const struct script_stack *stack, unsigned first)
{
	assert_int_equal(stack->end, SCRIPT_ALL);
	assert_int_equal(stack->n_frames, made->functions - first);
	for (unsigned i = 0; i < stack->n_frames; i++)
		assert_int_equal(
			stack->frames[i].function, MADE_MEMORY + code_at(first + i));
}

static void test_a_call_runs_functions(void **state)
{
	(void)state;
	for
		each_marked_version(version)
		{
			struct made_python made;
			struct script_stack stack;
			made_python_init(&made, *version, one_call);
			read_stack(&made, &stack);
			assert_functions(&made, &stack, 0);
			assert_int_equal(stack.n_segments, 1);
			assert_int_equal(stack.segments[0].count, 3);
			assert_int_equal(
				stack.segments[0].mark, made_python_mark(&made, 0));
			made_python_finish(&made);
		}
}

static void test_each_call_has_its_mark(void **state)
{
	(void)state;
	for
		each_marked_version(version)
		{
			struct made_python made;
			struct script_stack stack;
			made_python_init(&made, *version, two_calls);
			read_stack(&made, &stack);
			assert_functions(&made, &stack, 0);
			assert_int_equal(stack.n_segments, 2);
			for (unsigned i = 0; i < 2; i++) {
				assert_int_equal(stack.segments[i].first, i * 2);
				assert_int_equal(stack.segments[i].count, two_calls[i]);
				assert_int_equal(stack.segments[i].mark,
					made_python_mark(&made, i));
			}
			made_python_finish(&made);
		}
}

static void test_a_frame_above_the_top_is_not_in_use(void **state)
{
	(void)state;
	for
		each_marked_version(version)
		{
			struct made_python made;
			struct script_stack stack;
			made_python_init(&made, *version, one_call);
			made_python_put(&made, MADE_STATE + made.layout->top,
				MADE_MEMORY + frame_at(0));
			made_python_sample(&made);
			read_stack(&made, &stack);
			assert_functions(&made, &stack, 1);
			made_python_finish(&made);
		}
}

/* The innermost call's frames are in the chunk below the one that is just given back; the caller's are
   between that and the limit, which is still the old one. */
static void test_frames_below_a_limit_that_is_not_theirs(void **state)
{
	(void)state;
	for
		each_marked_version(version)
		{
			struct made_python made;
			struct script_stack stack;
			made_python_init(&made, *version, two_calls);
			made_python_put(&made, MADE_STATE + made.layout->top,
				MADE_MEMORY + MADE_FRAMES);
			made_python_put(&made, MADE_STATE + made.layout->limit,
				MADE_MEMORY + frame_at(1));
			made_python_sample(&made);
			read_stack(&made, &stack);
			assert_functions(&made, &stack, 0);
			assert_int_equal(stack.n_segments, 2);
			made_python_finish(&made);
		}
}

/* The interpreter links a _PyCFrame before it writes it. Then what is there is of older calls:
   nothing, words of another kind, or the circle that it would make with itself. */
static void test_a_call_that_is_half_written(void **state)
{
	(void)state;
	for (const unsigned *version = versions + MARKED; *version <= 0x030c; version++) {
		const uint64_t words[] = {0, 1, MADE_MEMORY + MADE_CALLS,
			MADE_MEMORY + MADE_FRAMES, UINT64_MAX};
		for (unsigned i = 0; i < 25; i++) {
			struct made_python made;
			struct script_stack stack;
			made_python_init(&made, *version, two_calls);
			made_python_put(&made, MADE_CALLS + made.layout->cframe_frame,
				words[i % 5]);
			made_python_put(&made, MADE_CALLS + made.layout->cframe_previous,
				words[i / 5]);
			made_python_sample(&made);
			read_stack(&made, &stack);
			assert_int_not_equal(stack.end, SCRIPT_ALL);
			assert_int_not_equal(stack.end, SCRIPT_CUT);
			made_python_finish(&made);
		}
	}
}

/* Before 3.11 each call runs one function, and there is no mark. */
static void test_calls_that_are_counted(void **state)
{
	(void)state;
	for (const unsigned *version = versions; version < versions + MARKED; version++) {
		struct made_python made;
		struct script_stack stack;
		made_python_init(&made, *version, two_calls);
		read_stack(&made, &stack);
		assert_functions(&made, &stack, 0);
		assert_int_equal(stack.n_segments, made.functions);
		for (unsigned i = 0; i < made.functions; i++) {
			assert_int_equal(stack.segments[i].first, i);
			assert_int_equal(stack.segments[i].count, 1);
			assert_int_equal(stack.segments[i].mark, SCRIPT_MARK_CALL);
		}
		made_python_finish(&made);
	}
}

static void test_a_version_by_sizes(void **state)
{
	(void)state;
	assert_int_equal(python_version_by_sizes(368, 144, false), 0x0307);
	assert_int_equal(python_version_by_sizes(368, 176, false), 0x0308);
	assert_int_equal(python_version_by_sizes(368, 176, true), 0x0309);
	assert_int_equal(python_version_by_sizes(360, 176, true), 0x030a);
	assert_int_equal(python_version_by_sizes(0, 0, false), 0);
	assert_int_equal(python_version_by_sizes(360, 176, false), 0);
}

/* Its words are whole, but its frame is that of the call before: it has not entered one. */
static void test_a_call_that_runs_nothing_yet(void **state)
{
	(void)state;
	for (const unsigned *version = versions + MARKED; *version <= 0x030c; version++) {
		struct made_python made;
		struct script_stack stack;
		made_python_init(&made, *version, two_calls);
		made_python_put(&made, MADE_CALLS + made.layout->cframe_frame,
			MADE_MEMORY + frame_at(2));
		made_python_sample(&made);
		read_stack(&made, &stack);
		assert_functions(&made, &stack, 2);
		made_python_finish(&made);
	}
}

static void test_frames_in_a_circle_are_not_believed(void **state)
{
	(void)state;
	for
		each_version(version)
		{
			struct made_python made;
			made_python_init(&made, *version, one_call);
			made_python_put(&made, frame_at(1) + made.layout->previous,
				MADE_MEMORY + frame_at(0));
			made_python_sample(&made);
			assert_end(&made, SCRIPT_UNSURE);
			made_python_finish(&made);
		}
}

/* In 3.11 the first frame of a call says so; later there is one of the interpreter's own. */
static void test_a_chain_must_reach_the_call(void **state)
{
	(void)state;
	for
		each_marked_version(version)
		{
			struct made_python made;
			made_python_init(&made, *version, one_call);
			made_python_put(&made, frame_at(2) + made.layout->previous, 0);
			if (made.layout->entry)
				made.bytes[frame_at(2) + made.layout->entry] = 0;
			made_python_sample(&made);
			assert_end(&made, SCRIPT_UNSURE);
			made_python_finish(&made);
		}
}

static void test_a_state_says_whose_it_is(void **state)
{
	(void)state;
	for
		each_version(version)
		{
			struct made_python made;
			made_python_init(&made, *version, one_call);
			made_python_put(
				&made, MADE_STATE + made.layout->thread_id, MADE_MEMORY);
			made.bytes[MADE_STATE + made.layout->thread_id + 4] = 1;
			made_python_sample(&made);
			assert_end(&made, SCRIPT_UNSURE);
			made.snapshot->second_thread = 0;
			assert_end(&made, SCRIPT_UNSURE);
			made_python_finish(&made);
		}
}

static void test_a_thread_without_python(void **state)
{
	(void)state;
	for
		each_version(version)
		{
			struct made_python made;
			made_python_init(&made, *version, one_call);
			uint64_t slot = made.snapshot->second_thread - MADE_MEMORY +
					(uint64_t)(int64_t)made.place;
			made_python_put(&made, slot, 0);
			made_python_sample(&made);
			assert_end(&made, SCRIPT_NONE);
			made_python_put(&made, slot, MADE_MEMORY + MADE_STATE);
			made_python_put(&made, MADE_STATE + made.layout->frame, 0);
			made_python_sample(&made);
			assert_end(&made, SCRIPT_NONE);
			made_python_finish(&made);
		}
}

/* What was not copied is missing because of a limit, or because nobody should have it. */
static void test_frames_that_were_not_copied(void **state)
{
	(void)state;
	for
		each_version(version)
		{
			struct made_python made;
			struct script_stack stack;
			made_python_init(&made, *version, two_calls);
			made_python_put(
				&made, frame_at(3) + made.layout->previous, 0x10000);
			made_python_sample(&made);
			assert_end(&made, SCRIPT_UNSURE);
			made.snapshot->second_result = RECIPE_LIMIT;
			read_stack(&made, &stack);
			assert_int_equal(stack.end, SCRIPT_CUT);
			assert_int_equal(stack.n_frames, 4);
			if (made.layout->number_bytes) {
				assert_int_equal(stack.n_segments, 4);
			} else {
				assert_int_equal(stack.n_segments, 2);
				assert_int_equal(stack.segments[1].mark, 0);
			}
			made_python_finish(&made);
		}
}

/* --- code ------------------------------------------------------------------------------- */

static const struct python_code *find(struct python_codes *codes,
	const struct made_python *made, unsigned function, uint32_t *line)
{
	struct script_stack stack;
	read_stack(made, &stack);
	assert_true(function < stack.n_frames);
	return python_codes_find(codes, made->snapshot, &stack.frames[function], line);
}

static void test_functions_have_names_and_lines(void **state)
{
	(void)state;
	for
		each_version(version)
		{
			struct made_python made;
			made_python_init(&made, *version, two_calls);
			struct python_codes *codes =
				python_codes_create(made.layout, &made.memory);
			for (unsigned round = 0; round < 2; round++)
				for (unsigned i = 0; i < made.functions; i++) {
					char name[] = "function0";
					uint32_t line;
					name[8] = (char)('0' + i);
					const struct python_code *code =
						find(codes, &made, i, &line);
					assert_non_null(code);
					assert_string_equal(code->name, name);
					assert_string_equal(code->file, "file.py");
					assert_int_equal(code->first_line, 10 * (i + 1));
					assert_int_equal(line, 10 * (i + 1) + 2);
					assert_int_equal(code->number, i);
				}
			python_codes_destroy(codes);
			made_python_finish(&made);
		}
}

/* Change the word at AT after the sample was taken: then function 0 has no name. */
static void assert_gone(unsigned version, size_t at, uint64_t word)
{
	struct made_python made;
	uint32_t line;
	made_python_init(&made, version, one_call);
	made_python_put(&made, at, word);
	struct python_codes *codes = python_codes_create(made.layout, &made.memory);
	assert_null(find(codes, &made, 0, &line));
	assert_non_null(find(codes, &made, 1, &line));
	python_codes_destroy(codes);
	made_python_finish(&made);
}

static void test_code_that_is_gone_has_no_name(void **state)
{
	(void)state;
	for
		each_version(version)
		{
			const struct python_layout *layout = python_layout_of(*version);
			size_t code = code_at(0), name = MADE_NAMES;
			const size_t objects[] = {code, name};
			for (unsigned i = 0; i < 2; i++) {
				/* freed: its count is 0, or a pointer of the allocator */
				assert_gone(*version, objects[i], 0);
				if (*version <
					0x030e) /* there the upper half has flags */
					assert_gone(*version, objects[i], MADE_MEMORY);
				assert_gone(*version, objects[i] + 8, MADE_MEMORY);
			}
			assert_gone(
				*version, code + layout->name, MADE_MEMORY + MADE_FILE);
			assert_gone(*version, code + layout->lines, 0);
			if (layout->first_line >= layout->identity)
				assert_gone(*version, code + layout->first_line, 77);
			assert_gone(*version, name + 16, UINT64_C(1) << 40); /* length */
			assert_gone(*version, name + 32, 0); /* no kind of text */
		}
}

/* Another code object with the same words: its text was freed, and made again. */
static void test_code_that_was_replaced_is_another_function(void **state)
{
	(void)state;
	for
		each_version(version)
		{
			struct made_python made;
			uint32_t line;
			made_python_init(&made, *version, one_call);
			struct python_codes *codes =
				python_codes_create(made.layout, &made.memory);
			uint32_t number = find(codes, &made, 0, &line)->number;
			made_python_put_text(&made, MADE_NAMES, "replaced!", 9, 1, true);
			assert_string_equal(
				find(codes, &made, 0, &line)->name, "function0");
			made.snapshot->time_ns =
				UINT64_MAX - 1; /* later than it was read */
			assert_null(find(codes, &made, 0, &line));
			const struct python_code *code = find(codes, &made, 0, &line);
			assert_non_null(code);
			assert_string_equal(code->name, "replaced!");
			assert_int_not_equal(code->number, number);
			python_codes_destroy(codes);
			made_python_finish(&made);
		}
}

/* A sample that has copied the frames, and not the words of code. */
static void lose_code(struct made_python *made)
{
	made->snapshot->second_blocks = MADE_CODES / RECIPE_BLOCK;
}

/* What had the same words for long needs not be copied, as long as it has them afterwards. */
static void test_code_that_is_settled(void **state)
{
	(void)state;
	for
		each_version(version)
		{
			struct made_python made;
			uint32_t line;
			uint64_t address, name;
			made_python_init(&made, *version, one_call);
			struct python_codes *codes =
				python_codes_create(made.layout, &made.memory);
			for (unsigned i = 0; i < 8; i++) {
				assert_int_equal(
					python_codes_settled(codes, &address, 1), 0);
				made.snapshot->time_ns = 1 + i * UINT64_C(300000000);
				assert_non_null(find(codes, &made, 0, &line));
			}
			assert_int_equal(python_codes_settled(codes, &address, 1), 1);
			assert_int_equal(address, MADE_MEMORY + code_at(0));
			lose_code(&made);
			made.snapshot->time_ns = UINT64_MAX - 1; /* so it is read again */
			assert_non_null(find(codes, &made, 0, &line));
			assert_int_equal(line, 12);
			assert_null(find(codes, &made, 1, &line));
			name = made_python_word(&made, code_at(0) + made.layout->name);
			made_python_put(&made, code_at(0) + made.layout->name, 0);
			assert_null(find(codes, &made, 0, &line));
			assert_int_equal(python_codes_settled(codes, &address, 1), 0);
			made_python_put(&made, code_at(0) + made.layout->name, name);
			assert_null(find(codes, &made, 0, &line));
			python_codes_destroy(codes);
			made_python_finish(&made);
		}
}

/* Where code comes and goes, none is ever settled. */
static void test_code_that_changes_is_not_settled(void **state)
{
	(void)state;
	struct made_python made;
	uint32_t line;
	uint64_t address;
	made_python_init(&made, 0x030b, one_call);
	struct python_codes *codes = python_codes_create(made.layout, &made.memory);
	assert_non_null(find(codes, &made, 0, &line));
	made_python_put(&made, code_at(0) + made.layout->first_line, 77);
	made_python_sample(&made);
	for (unsigned i = 0; i < 20; i++) {
		made.snapshot->time_ns = 1 + i * UINT64_C(300000000);
		assert_non_null(find(codes, &made, 0, &line));
	}
	assert_int_equal(python_codes_settled(codes, &address, 1), 0);
	python_codes_destroy(codes);
	made_python_finish(&made);
}

static void assert_text(const void *units, size_t length, size_t unit_bytes,
	bool is_ascii, const char *text)
{
	for
		each_version(version)
		{
			struct made_python made;
			uint32_t line;
			made_python_init(&made, *version, one_call);
			made_python_put_text(
				&made, MADE_NAMES, units, length, unit_bytes, is_ascii);
			made_python_sample(&made);
			struct python_codes *codes =
				python_codes_create(made.layout, &made.memory);
			const struct python_code *code = find(codes, &made, 0, &line);
			assert_non_null(code);
			assert_string_equal(code->name, text);
			python_codes_destroy(codes);
			made_python_finish(&made);
		}
}

static void test_names_in_every_script(void **state)
{
	(void)state;
	const uint16_t greek[] = {0x3bb, 'x', 0x4e2d};
	const uint32_t far[] = {0x1d4d0, 'y'};
	assert_text("gr\xf6\xdf"
		    "e",
		5, 1, false, "größe");
	assert_text(greek, 3, 2, false, "λx中");
	assert_text(far, 2, 4, false, "𝓐y");
	assert_text("a\033[31m", 6, 1, true, "a\\x1b[31m");
}

/* --- lines ------------------------------------------------------------------------------ */

/* A table on the heap, without a byte behind it. */
static uint32_t line_at(
	enum python_lines kind, const char *bytes, size_t length, uint64_t unit)
{
	unsigned char *table = mem_alloc(length);
	memcpy(table, bytes, length);
	uint32_t line = python_line(kind, table, length, 100, unit);
	free(table);
	return line;
}

static void test_each_kind_of_place(void **state)
{
	(void)state;
	/* short, one line (kinds 10 to 12), without columns, long, none: 2 units each */
	static const char table[] = {(char)(0x81 | 0 << 3), 0x11, (char)(0x81 | 10 << 3),
		1, 2, (char)(0x81 | 11 << 3), 1, 2, (char)(0x81 | 12 << 3), 1, 2,
		(char)(0x81 | 13 << 3), 7 /* -3 */, (char)(0x81 | 14 << 3),
		0x40 | (200 << 1 & 63), 200 << 1 >> 6, 5, 0x41, 1, 3,
		(char)(0x81 | 15 << 3), (char)(0x81 | 9 << 3), 0x22};
	static const uint32_t lines[] = {100, 100, 101, 103, 100, 300, 100, 300, 100};
	for (unsigned i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		for (unsigned unit = 0; unit < 2; unit++)
			assert_int_equal(line_at(PYTHON_PLACES, table, sizeof(table),
						 2 * i + unit),
				lines[i]);
}

/* As in Objects/lnotab_notes.txt of CPython: 0 1, 6 2, 50 7, 350 207 in the second. */
static void test_tables_before_places(void **state)
{
	(void)state;
	static const char ranges[] = {2, 1, 4, -128, 2, 3, 2, -2};
	static const uint32_t by_unit[] = {101, 100, 100, 104, 102, 100};
	static const char lnotab[] = {
		0, 1, 6, 1, 44, 5, (char)255, 0, 45, 127, 0, 73, 2, -1};
	for (unsigned i = 0; i < sizeof(by_unit) / sizeof(*by_unit); i++)
		assert_int_equal(
			line_at(PYTHON_RANGES, ranges, sizeof(ranges), i), by_unit[i]);
	assert_int_equal(line_at(PYTHON_LNOTAB, lnotab, sizeof(lnotab), 0), 101);
	assert_int_equal(line_at(PYTHON_LNOTAB, lnotab, sizeof(lnotab), 2), 101);
	assert_int_equal(line_at(PYTHON_LNOTAB, lnotab, sizeof(lnotab), 3), 102);
	assert_int_equal(line_at(PYTHON_LNOTAB, lnotab, sizeof(lnotab), 174), 107);
	assert_int_equal(line_at(PYTHON_LNOTAB, lnotab, sizeof(lnotab), 175), 307);
	assert_int_equal(line_at(PYTHON_LNOTAB, lnotab, sizeof(lnotab), 176), 306);
	assert_int_equal(line_at(PYTHON_LNOTAB, lnotab, 1, 176), 100);
}

static void test_tables_that_are_none(void **state)
{
	(void)state;
	char table[64];
	srand(1);
	for (unsigned i = 0; i < 20 * ROUNDS; i++) {
		size_t length = (size_t)rand() % sizeof(table) + 1;
		for (size_t k = 0; k < length; k++)
			table[k] = (char)(rand() % 4 ? rand() | 0x80 : rand());
		line_at((enum python_lines)(i % 3), table, length,
			(uint64_t)rand() % 256);
	}
	memset(table, 0x7f, sizeof(table)); /* numbers that do not end */
	table[0] = (char)(0x80 | 14 << 3);
	line_at(PYTHON_PLACES, table, sizeof(table), UINT64_MAX);
}

/* --- as nobody should ------------------------------------------------------------------- */

static uint64_t any_word(void)
{
	switch (rand() % 4) {
	case 0:
		return (uint64_t)rand() % 64;
	case 1:
		return UINT64_MAX - (uint64_t)rand() % 4096;
	default:
		return MADE_MEMORY + (uint64_t)rand() % (MADE_BYTES + 64) / 8 * 8;
	}
}

/* What is said of any memory is within its bounds. */
static void test_memory_of_any_kind(void **state)
{
	(void)state;
	srand(2);
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct made_python made;
		struct script_stack stack;
		made_python_init(&made,
			versions[round % (sizeof(versions) / sizeof(*versions))],
			two_calls);
		for (unsigned i = 0; i < round % 200; i++)
			made_python_put(&made,
				(size_t)(rand() % (MADE_BYTES / 8 - 1)) * 8, any_word());
		made_python_sample(&made);
		for (unsigned i = 0; i < round % 7; i++)
			made_python_put(&made,
				(size_t)(rand() % (MADE_BYTES / 8 - 1)) * 8, any_word());
		made.snapshot->second_result =
			(enum recipe_result)(round % RECIPE_RESULTS);
		made.snapshot->second_blocks -= (uint32_t)rand() % 3;
		read_stack(&made, &stack);
		assert_true(stack.n_frames <= SCRIPT_FRAMES_MAX &&
			    stack.n_segments <= SCRIPT_FRAMES_MAX);
		struct python_codes *codes =
			python_codes_create(made.layout, &made.memory);
		for (uint32_t i = 0; i < stack.n_segments; i++)
			assert_true(stack.segments[i].first + stack.segments[i].count <=
				    stack.n_frames);
		for (uint32_t i = 0; i < stack.n_frames && i < MADE_FUNCTIONS; i++) {
			uint32_t line;
			const struct python_code *code = python_codes_find(
				codes, made.snapshot, &stack.frames[i], &line);
			assert_true(!code || (code->name && code->file));
		}
		python_codes_destroy(codes);
		made_python_finish(&made);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_call_runs_functions),
		cmocka_unit_test(test_each_call_has_its_mark),
		cmocka_unit_test(test_a_frame_above_the_top_is_not_in_use),
		cmocka_unit_test(test_frames_below_a_limit_that_is_not_theirs),
		cmocka_unit_test(test_a_call_that_is_half_written),
		cmocka_unit_test(test_a_call_that_runs_nothing_yet),
		cmocka_unit_test(test_calls_that_are_counted),
		cmocka_unit_test(test_a_version_by_sizes),
		cmocka_unit_test(test_frames_in_a_circle_are_not_believed),
		cmocka_unit_test(test_a_chain_must_reach_the_call),
		cmocka_unit_test(test_a_state_says_whose_it_is),
		cmocka_unit_test(test_a_thread_without_python),
		cmocka_unit_test(test_frames_that_were_not_copied),
		cmocka_unit_test(test_functions_have_names_and_lines),
		cmocka_unit_test(test_code_that_is_gone_has_no_name),
		cmocka_unit_test(test_code_that_was_replaced_is_another_function),
		cmocka_unit_test(test_code_that_is_settled),
		cmocka_unit_test(test_code_that_changes_is_not_settled),
		cmocka_unit_test(test_names_in_every_script),
		cmocka_unit_test(test_each_kind_of_place),
		cmocka_unit_test(test_tables_before_places),
		cmocka_unit_test(test_tables_that_are_none),
		cmocka_unit_test(test_memory_of_any_kind),
	};
	return unit_run(tests);
}
