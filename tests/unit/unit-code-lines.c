/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code-lines: the lines of all code of a function are those of each of its addresses. */
#include "tests/lib/awaited.h"
#include "tests/lib/begins.h"
#include "tests/lib/compiled.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/read/elf/elf-lines.h"
#include "src/read/names/line-answer.h"
#include "src/read/names/line-resolver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] =
	"volatile int sink;\n"
	"static inline int twice(int x) { sink++; return x * 2 + sink; }\n"
	"static inline int deep(int x) { return twice(x) + twice(x + sink); }\n"
	"__attribute__((noinline)) int outer(int x)\n"
	"{\n"
	"	int sum = 0;\n"
	"	for (int i = 0; i < x; i++)\n"
	"		sum += i & 1 ? deep(i) : twice(i);\n"
	"	return sum;\n"
	"}\n"
	"int main(int argc, char **argv) { (void)argv; return outer(argc); }\n";

struct fixture {
	struct compiled compiled;
	struct elf_image *image;
	const struct elf_symbol *outer;
};

static struct fixture begin(void)
{
	struct fixture f = {.compiled = compiled_begin()};
	compiled_write(&f.compiled, "a.c", source);
	if (!compiled_run(&f.compiled, "$CC -O2 -g -o a a.c")) {
		compiled_end(&f.compiled);
		skip();
	}
	f.image = compiled_image(&f.compiled, "a");
	for (uint64_t at = 0; at < 1 << 16 && !f.outer; at++) {
		const struct elf_symbol *symbol = elf_image_symbol(f.image, at);
		if (symbol && strcmp(symbol->name, "outer") == 0)
			f.outer = symbol;
	}
	assert_non_null(f.outer);
	return f;
}

static void end(struct fixture *f)
{
	elf_image_destroy(f->image);
	compiled_end(&f->compiled);
}

static struct code_lines *wait_for(struct line_resolver *resolver)
{
	struct code_lines *rows;
	assert_true(lines_awaited(resolver, 60 * NS_PER_SEC));
	rows = line_resolver_take_range(resolver);
	assert_non_null(rows);
	return rows;
}

static void assert_same(const struct code_lines *rows, const struct code_row *row,
	const struct line_frame *frames, size_t n)
{
	assert_int_equal(row ? row->n_frames : 0, n);
	for (uint32_t i = 0; i < n; i++) {
		const struct code_frame *frame = code_lines_frame(rows, row, i);
		assert_string_equal(frame->symbol, frames[i].name);
		assert_string_equal(frame->file, frames[i].file);
		assert_int_equal(frame->line, frames[i].line);
	}
}

static void test_every_address_has_the_lines_that_it_has_alone(void **state)
{
	static struct line_frame frames[LINE_FRAMES_MAX];
	struct fixture f = begin();
	(void)state;
	struct line_resolver *resolver = line_resolver_create(NULL);
	uint32_t file =
		line_resolver_add_file(resolver, compiled_open(&f.compiled, "a"), false);
	uint64_t limit = f.outer->vaddr + f.outer->size;
	line_resolver_ask_range(resolver, &(struct line_question){.vaddr = f.outer->vaddr,
						  .limit = limit,
						  .file = file,
						  .serial = 7});
	struct code_lines *rows = wait_for(resolver);
	assert_int_equal(rows->serial, 7);
	assert_false(rows->is_cut);

	struct elf_lines *lines =
		elf_lines_open(compiled_open(&f.compiled, "a"), false, NULL);
	uint32_t deepest = 0;
	for (uint64_t at = f.outer->vaddr; at < limit; at++) {
		const struct code_row *row = code_lines_find(rows, at);
		assert_same(rows, row, frames, elf_lines_find(lines, at, frames));
		deepest = row->n_frames > deepest ? row->n_frames : deepest;
	}
	assert_int_equal(deepest, 3); /* twice in deep in outer */
	assert_null(code_lines_find(rows, limit));
	assert_null(code_lines_find(rows, f.outer->vaddr - 1));
	elf_lines_close(lines);
	code_lines_destroy(rows);
	line_resolver_destroy(resolver);
	end(&f);
}

/* Demangled once, however many other functions come between. */
static void test_a_symbol_has_one_name(void **state)
{
	enum {
		OTHERS = 5000
	};
	struct code_lines *lines = code_lines_create(0, 0, OTHERS);
	(void)state;
	for (uint32_t i = 0; i < OTHERS; i++) {
		char other[32];
		snprintf(other, sizeof(other), "_ZN1a5f%04uEi", i);
		code_lines_add_row(lines, i);
		code_lines_add_frame(lines, other, "a.cc", i, 1);
		code_lines_add_frame(lines, "_ZN1a4mainEv", "a.cc", i, 2);
	}
	for (uint32_t i = 0; i < OTHERS; i++) {
		const struct code_row *row = code_lines_find(lines, i);
		char other[32];
		snprintf(other, sizeof(other), "a::f%04u", i);
		assert_string_equal(code_lines_frame(lines, row, 0)->name, other);
		assert_string_equal(code_lines_frame(lines, row, 1)->name, "a::main");
		assert_ptr_equal(code_lines_frame(lines, row, 1)->name,
			lines->frames.data[1].name);
	}
	code_lines_destroy(lines);
}

/* A person waits for it, and for samples nobody does. */
static void test_a_range_is_answered_before_what_waits(void **state)
{
	struct fixture f = begin();
	(void)state;
	struct line_resolver *resolver = line_resolver_create(NULL);
	uint32_t file =
		line_resolver_add_file(resolver, compiled_open(&f.compiled, "a"), false);
	for (uint32_t i = 0; i < 500; i++)
		line_resolver_ask(resolver,
			&(struct line_question){f.outer->vaddr, file, .location = i});
	line_resolver_ask_range(resolver, &(struct line_question){.vaddr = f.outer->vaddr,
						  .limit = f.outer->vaddr + f.outer->size,
						  .file = file});
	struct code_lines *rows = wait_for(resolver); /* the others were not started */
	assert_true(rows->rows.len > 3);
	code_lines_destroy(rows);
	line_resolver_start(resolver);
	assert_true(lines_awaited(resolver, 60 * NS_PER_SEC));
	struct line_answer answer;
	for (uint32_t i = 0; i < 500; i++) {
		assert_true(line_resolver_take(resolver, &answer));
		assert_int_equal(answer.location, i);
		assert_int_equal(answer.n_frames, 1);
		line_answer_finish(&answer);
	}
	line_resolver_destroy(resolver);
	end(&f);
}

static void test_a_file_without_lines_has_none(void **state)
{
	struct fixture f = begin();
	(void)state;
	assert_true(compiled_run(&f.compiled, "strip -o b a"));
	struct line_resolver *resolver = line_resolver_create(NULL);
	uint32_t file =
		line_resolver_add_file(resolver, compiled_open(&f.compiled, "b"), false);
	line_resolver_ask_range(resolver, &(struct line_question){.vaddr = f.outer->vaddr,
						  .limit = f.outer->vaddr + f.outer->size,
						  .file = file});
	struct code_lines *rows = wait_for(resolver);
	assert_int_equal(rows->rows.len, 0);
	code_lines_destroy(rows);
	line_resolver_destroy(resolver);
	end(&f);
}

/* The reader may be in the hands of the file that it reads. */
static void test_forged_rows_are_bounded(void **state)
{
	struct line_question question = {.vaddr = 100, .limit = 1 << 30};
	struct code_lines *rows = line_answer_begin_rows(&question);
	struct line_reply reply = {.kind = LINE_REPLY_FRAME,
		.more = LINE_MORE_ROWS,
		.name_length = 1,
		.vaddr = 99};
	(void)state;
	assert_false(line_answer_take_row(rows, &reply, "x")); /* before the range */
	reply.vaddr = 200;
	assert_false(line_answer_take_row(rows, &reply, "x"));
	reply.vaddr = 150;
	assert_false(line_answer_take_row(rows, &reply, "x")); /* falls */
	assert_int_equal(rows->rows.len, 1);
	reply.vaddr = 200;
	for (uint32_t i = 0; i < 10 * LINE_FRAMES_MAX; i++)
		assert_false(line_answer_take_row(rows, &reply, "x"));
	assert_int_equal(rows->rows.data[0].n_frames, LINE_FRAMES_MAX);
	for (uint32_t i = 0; i < 2 * CODE_ROWS_MAX; i++) {
		reply.vaddr = 1000 + i;
		reply.line = i;
		assert_false(line_answer_take_row(rows, &reply, "x"));
	}
	assert_int_equal(rows->rows.len, CODE_ROWS_MAX);
	reply.more = LINE_MORE_LEFT_OUT;
	assert_true(line_answer_take_row(rows, &reply, "x"));
	assert_true(rows->is_cut);
	code_lines_destroy(rows);
}

static void test_rows_with_the_same_lines_are_one(void **state)
{
	struct code_lines *rows =
		line_answer_begin_rows(&(struct line_question){.vaddr = 0, .limit = 100});
	struct line_reply reply = {.kind = LINE_REPLY_FRAME,
		.more = LINE_MORE_ROWS,
		.name_length = 1,
		.line = 5};
	(void)state;
	for (reply.vaddr = 0; reply.vaddr < 50; reply.vaddr++)
		line_answer_take_row(rows, &reply, "f");
	assert_int_equal(rows->rows.len, 1);
	assert_int_equal(rows->frames.len, 1);
	reply.line = 6;
	line_answer_take_row(rows, &reply, "f");
	assert_int_equal(rows->rows.len, 2);
	assert_int_equal(code_lines_find(rows, 49)->vaddr, 0);
	assert_int_equal(code_lines_find(rows, 99)->vaddr, 50);
	code_lines_destroy(rows);
}

int main(int argc, char **argv)
{
	test_begins_processes(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_symbol_has_one_name),
		cmocka_unit_test(test_every_address_has_the_lines_that_it_has_alone),
		cmocka_unit_test(test_a_range_is_answered_before_what_waits),
		cmocka_unit_test(test_a_file_without_lines_has_none),
		cmocka_unit_test(test_forged_rows_are_bounded),
		cmocka_unit_test(test_rows_with_the_same_lines_are_one),
	};
	return unit_run(tests);
}
