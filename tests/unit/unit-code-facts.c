/* SPDX-License-Identifier: GPL-2.0-or-later */
/* code-facts: instructions and lines arrive as they were told, and nothing malformed does. */
#include "tests/lib/unit.h"

#include "src/base/mem.h"
#include "src/read/tell/code-facts.h"
#include "src/read/tell/code-question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	COUNT = 3,
};

/* A jump over a call, and a return. */
static struct assembly *make_assembly(const char *target_name)
{
	static const unsigned char bytes[] = {0xeb, 5, 0xe8, 1, 2, 3, 4, 0xc3};
	static const char *const texts[COUNT][ASSEMBLY_SYNTAXES] = {
		{"jmp 0x1007", "jmp 0x1007"}, {"callq 0x5", "call 0x5"}, {"retq", "ret"}};
	static const uint8_t lengths[COUNT] = {2, 5, 1};
	struct assembly *assembly = mem_zalloc(sizeof(*assembly));
	assembly->serial = 7;
	assembly->name = mem_strdup("naïve()");
	assembly->module = mem_strdup("m.so");
	assembly->path = mem_strdup("/lib/m.so");
	assembly->problem = mem_strdup("");
	assembly->remark = mem_strdup("it is small");
	assembly->start = 0x1000;
	assembly->limit = 0x1010;
	assembly->bias = 0x400;
	assembly->check = ASSEMBLY_DIFFERENT;
	assembly->n_changed = 5;
	assembly->is_guessed = true;
	assembly->n_instructions = COUNT;
	assembly->instructions = mem_zalloc(COUNT * sizeof(struct instruction));
	assembly->bytes = mem_alloc(sizeof(bytes));
	memcpy(assembly->bytes, bytes, sizeof(bytes));
	uint64_t address = assembly->start;
	for (size_t i = 0; i < COUNT; i++) {
		assembly->instructions[i] = (struct instruction){
			.address = address,
			.length = lengths[i],
			.kind = INSTRUCTION_JUMP + 2 * (i == 1) + 3 * (i == 2),
			.is_changed = i == 1,
			.has_target = i < 2,
			.target = i == 0 ? 0x1007 : 5,
			.to = i == 0 ? 2 : ASSEMBLY_NONE,
			.target_name = i == 1 ? target_name : "",
			.texts = {texts[i][0], texts[i][1]},
		};
		address += lengths[i];
	}
	return assembly;
}

/* The payload of the only fact that TELLER has told, of KIND. */
static const unsigned char *payload_of(
	const struct teller *teller, enum fact_kind kind, size_t *length)
{
	struct fact fact;
	assert_true(teller->bytes.len >= sizeof(fact));
	memcpy(&fact, teller->bytes.data, sizeof(fact));
	assert_int_equal(fact.kind, kind);
	assert_int_equal(fact.bytes, teller->bytes.len - sizeof(fact));
	assert_int_equal(fact.code.serial, 7);
	assert_true(fact.bytes <= FACT_PAYLOAD_MAX);
	*length = fact.bytes;
	return teller->bytes.data + sizeof(fact);
}

static struct teller tell_assembly(const char *target_name)
{
	struct teller teller;
	struct assembly *assembly = make_assembly(target_name);
	teller_init(&teller, -1);
	code_facts_tell_assembly(&teller, assembly);
	assembly_destroy(assembly);
	return teller;
}

static void test_instructions_arrive(void **state)
{
	(void)state;
	struct teller teller = tell_assembly("memcpy@plt");
	struct assembly *told = make_assembly("memcpy@plt");
	size_t length;
	const unsigned char *payload = payload_of(&teller, FACT_ASSEMBLY, &length);
	struct assembly *got = code_facts_assembly(payload, length);
	assert_non_null(got);
	assert_int_equal(got->serial, 7);
	assert_string_equal(got->name, told->name);
	assert_string_equal(got->module, told->module);
	assert_string_equal(got->path, told->path);
	assert_string_equal(got->problem, "");
	assert_string_equal(got->remark, told->remark);
	assert_int_equal(got->start, told->start);
	assert_int_equal(got->limit, told->limit);
	assert_int_equal(got->bias, told->bias);
	assert_int_equal(got->check, ASSEMBLY_DIFFERENT);
	assert_int_equal(got->n_changed, 5);
	assert_true(got->is_guessed && !got->is_cut);
	assert_int_equal(got->n_instructions, COUNT);
	assert_memory_equal(got->bytes, told->bytes, 8);
	for (size_t i = 0; i < COUNT; i++) {
		const struct instruction *a = &got->instructions[i];
		const struct instruction *b = &told->instructions[i];
		assert_int_equal(a->address, b->address);
		assert_int_equal(a->length, b->length);
		assert_int_equal(a->kind, b->kind);
		assert_int_equal(a->is_changed, b->is_changed);
		assert_int_equal(a->has_target, b->has_target);
		assert_int_equal(a->target, b->target);
		assert_int_equal(a->to, b->to);
		assert_string_equal(a->target_name, b->target_name);
		for (int syntax = 0; syntax < ASSEMBLY_SYNTAXES; syntax++)
			assert_string_equal(a->texts[syntax], b->texts[syntax]);
	}
	assembly_destroy(got);
	assembly_destroy(told);
	teller_finish(&teller);
}

/* What is told in one piece, in the order of code-facts.c, of LENGTH bytes with the number NOW
   of SIZE bytes at AT. */
struct forgery {
	size_t at, size;
	uint64_t now;
};

/* No forgery of PAYLOAD is believed; nor is any part of it, or more. */
static void assert_refused(const unsigned char *payload, size_t length, bool is_lines,
	const struct forgery *forgeries, size_t count)
{
	for (size_t i = 0; i <= count + length; i++) {
		size_t short_by = i > count ? i - count : 0;
		unsigned char *forged = mem_alloc(length + 1);
		memcpy(forged, payload, length);
		if (i < count)
			memcpy(forged + forgeries[i].at, &forgeries[i].now,
				forgeries[i].size);
		forged[length] = 'x';
		size_t given = i == count ? length + 1 : length - short_by;
		void *got = is_lines ? (void *)code_facts_lines(forged, given)
				     : (void *)code_facts_assembly(forged, given);
		if (got)
			print_error("forgery %zu is believed\n", i);
		assert_null(got);
		free(forged);
	}
}

static void test_malformed_instructions_are_refused(void **state)
{
	(void)state;
	enum {
		HEAD = 72,
		EACH = 16,
		START = 8,
		LIMIT = 16,
		FIRST = 40,
		TO = HEAD + 8,
		BYTES = HEAD + COUNT * EACH,
		TEXTS = BYTES + 8,
	};
	static const struct forgery forgeries[] = {
		{START, 8, 0x1001},	/* the first instruction is before it */
		{START, 8, 0x1011},	/* behind the limit */
		{LIMIT, 8, 0x1007},	/* amid the instructions */
		{LIMIT, 8, 0},		/* before the start */
		{32, 8, 1 << 20},	/* more bytes changed than there can be */
		{FIRST, 8, 0xfff},	/* before the start */
		{FIRST, 8, 0x1009},	/* the last one ends behind the limit */
		{FIRST, 8, UINT64_MAX}, /* the addresses begin at 0 again */
		{48, 4, 2},		/* origin */
		{52, 4, 4},		/* check */
		{56, 4, COUNT + 1}, {56, 4, COUNT - 1}, {56, 4, UINT32_MAX},
		{60, 4, 7},					 /* bytes */
		{60, 4, 9}, {60, 4, UINT32_MAX}, {TO, 4, COUNT}, /* no instruction */
		{TO, 4, 1},	     /* another one than the target is */
		{TO + 4, 1, 0},	     /* without a length */
		{TO + 4, 1, 3},	     /* the lengths are not those of the bytes */
		{TO + 5, 1, 6},	     /* kind */
		{TO + 7, 1, 0},	     /* leads to one, and has no target */
		{TEXTS, 1, 0x1b},    /* unclean */
		{TEXTS + 2, 1, 'x'}, /* not UTF-8 */
		{TEXTS + 1, 1, 0},   /* one text too many */
	};
	struct teller teller = tell_assembly("memcpy@plt");
	size_t length;
	const unsigned char *payload = payload_of(&teller, FACT_ASSEMBLY, &length);
	assert_memory_equal(payload + TEXTS, "na\xc3", 3);
	assert_refused(payload, length, false, forgeries,
		sizeof(forgeries) / sizeof(*forgeries));
	teller_finish(&teller);
}

/* A name that is longer than any is cut; with too many of them there is no code, and why. */
static void test_too_much_code_is_a_problem(void **state)
{
	(void)state;
	enum {
		MANY = 4000
	};
	char name[CLEAN_MAX + 100];
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	size_t length;
	struct teller teller = tell_assembly(name);
	const unsigned char *payload = payload_of(&teller, FACT_ASSEMBLY, &length);
	struct assembly *got = code_facts_assembly(payload, length);
	assert_int_equal(strlen(got->instructions[1].target_name), CLEAN_MAX - 1);
	assembly_destroy(got);
	teller.bytes.len = 0;

	struct assembly *large = make_assembly(name);
	large->instructions =
		mem_resize(large->instructions, MANY, sizeof(struct instruction));
	large->bytes = mem_resize(large->bytes, MANY + 1, 1);
	large->bytes[MANY] = 0x90;
	for (size_t i = 1; i < MANY; i++) {
		large->instructions[i] = large->instructions[1];
		large->instructions[i].length = 1;
		large->instructions[i].address = 0x1001 + i;
		large->bytes[i] = 0x90;
	}
	large->n_instructions = MANY;
	large->limit = 0x10000;
	code_facts_tell_assembly(&teller, large);
	payload = payload_of(&teller, FACT_ASSEMBLY, &length);
	got = code_facts_assembly(payload, length);
	assert_non_null(got);
	assert_int_equal(got->n_instructions, 0);
	assert_non_null(strstr(got->problem, "too long"));
	assert_string_equal(got->name, large->name);
	assembly_destroy(got);
	assembly_destroy(large);
	teller_finish(&teller);
}

/* ROWS of two frames each, one of them inlined; of each third nothing is known. */
static struct code_lines *make_lines(size_t rows, const char *tail)
{
	struct code_lines *lines = code_lines_create(7, 0x100, 0x100 + rows);
	for (size_t i = 0; i < rows; i++) {
		char symbol[CLEAN_MAX];
		code_lines_add_row(lines, 0x100 + i);
		if (i % 3 == 2)
			continue;
		snprintf(symbol, sizeof(symbol), "_Z6inlinei%zu%s", i, tail);
		code_lines_add_frame(
			lines, symbol, "/src/a.h", (uint32_t)i + 1, (uint32_t)i);
		code_lines_add_frame(lines, "main", "/src/a.c", (uint32_t)i + 2, 1);
	}
	return lines;
}

static void assert_same_lines(const struct code_lines *a, const struct code_lines *b)
{
	for (size_t i = 0; i < a->rows.len; i++) {
		const struct code_row *x = &a->rows.data[i], *y = &b->rows.data[i];
		assert_int_equal(x->vaddr, y->vaddr);
		assert_int_equal(x->n_frames, y->n_frames);
		for (uint32_t k = 0; k < x->n_frames; k++) {
			const struct code_frame *f = code_lines_frame(a, x, k);
			const struct code_frame *g = code_lines_frame(b, y, k);
			assert_string_equal(f->symbol, g->symbol);
			assert_string_equal(f->name, g->name);
			assert_string_equal(f->file, g->file);
			assert_int_equal(f->line, g->line);
			assert_int_equal(f->start_line, g->start_line);
		}
	}
}

static void test_lines_arrive(void **state)
{
	(void)state;
	struct teller teller;
	size_t length;
	struct code_lines *told = make_lines(20, "");
	teller_init(&teller, -1);
	code_facts_tell_lines(&teller, told);
	const unsigned char *payload = payload_of(&teller, FACT_LINES, &length);
	struct code_lines *got = code_facts_lines(payload, length);
	assert_non_null(got);
	assert_int_equal(got->serial, 7);
	assert_int_equal(got->start, told->start);
	assert_int_equal(got->limit, told->limit);
	assert_false(got->is_cut);
	assert_int_equal(got->rows.len, told->rows.len);
	assert_same_lines(got, told);
	code_lines_destroy(got);
	code_lines_destroy(told);

	/* there may be none */
	told = code_lines_create(7, 0, 0);
	teller.bytes.len = 0;
	code_facts_tell_lines(&teller, told);
	payload = payload_of(&teller, FACT_LINES, &length);
	got = code_facts_lines(payload, length);
	assert_int_equal(got->rows.len, 0);
	code_lines_destroy(got);
	code_lines_destroy(told);
	teller_finish(&teller);
}

static void test_of_too_many_lines_the_first_arrive(void **state)
{
	(void)state;
	char tail[2000];
	struct teller teller;
	size_t length;
	memset(tail, 't', sizeof(tail));
	tail[sizeof(tail) - 1] = '\0';
	struct code_lines *told = make_lines(7000, tail);
	teller_init(&teller, -1);
	code_facts_tell_lines(&teller, told);
	const unsigned char *payload = payload_of(&teller, FACT_LINES, &length);
	struct code_lines *got = code_facts_lines(payload, length);
	assert_non_null(got);
	assert_true(got->is_cut);
	assert_true(got->rows.len > 2000 && got->rows.len < told->rows.len);
	assert_same_lines(got, told);
	code_lines_destroy(got);
	code_lines_destroy(told);
	teller_finish(&teller);
}

static void test_malformed_lines_are_refused(void **state)
{
	(void)state;
	enum {
		ROWS = 4,
		FRAMES = 6,
		HEAD = 40,
		ROW = HEAD,
		FRAME = ROW + ROWS * 16,
		TEXTS = FRAME + FRAMES * 20,
	};
	static const struct forgery forgeries[] = {
		{8, 8, 0x101},	   /* start: behind the first row */
		{8, 8, 0x1000},	   /* behind the limit */
		{16, 8, 0x103},	   /* limit: before the last row */
		{16, 8, 0},	   /* before the start */
		{28, 4, ROWS + 1}, /* rows */
		{28, 4, ROWS - 1},
		{28, 4, UINT32_MAX},
		{32, 4, FRAMES + 1}, /* frames */
		{32, 4, FRAMES - 1},
		{32, 4, UINT32_MAX},
		{36, 4, 0}, /* texts */
		{36, 4, UINT32_MAX},
		{ROW, 8, 0xff},	 /* address: before the start */
		{ROW, 8, 0x101}, /* that of the second row */
		{ROW, 8, 0x102}, /* behind it */
		{ROW + 8, 8, 1}, /* one of the frames is nobody's */
		{ROW + 8, 8, 3}, /* one is missing */
		{ROW + 8, 8, UINT64_MAX - 1},
		{ROW + 8, 8, 65},
		{FRAME, 4, 100}, /* texts: none */
		{FRAME + 4, 4, 100},
		{FRAME + 8, 4, UINT32_MAX},
		{TEXTS, 1, '\n'},
	};
	struct teller teller;
	size_t length;
	struct code_lines *told = make_lines(ROWS, "");
	teller_init(&teller, -1);
	code_facts_tell_lines(&teller, told);
	const unsigned char *payload = payload_of(&teller, FACT_LINES, &length);
	assert_memory_equal(payload + TEXTS, "_Z6", 3);
	assert_refused(
		payload, length, true, forgeries, sizeof(forgeries) / sizeof(*forgeries));
	code_lines_destroy(told);
	teller_finish(&teller);
}

static void test_questions_arrive(void **state)
{
	(void)state;
	static const struct mapping mapping = {.start = 0x1000,
		.limit = 0x5000,
		.file_offset = 0x2000,
		.path = "/usr/bin/x (deleted)",
		.module = "x",
		.build_id = "0123ab",
		.is_main = true};
	unsigned char bytes[CODE_QUESTION_MAX];
	struct assembly_request got,
		asked = {.serial = 9, .address = 0x1234, .profile = profile_create()};
	asked.mapping = profile_add_mapping((struct profile *)asked.profile, &mapping);
	size_t length = code_question_write(&asked, bytes);
	assert_true(code_question_read(bytes, length, &got));
	assert_int_equal(got.serial, 9);
	assert_int_equal(got.address, 0x1234);
	const struct mapping *same = profile_mapping(got.profile, got.mapping);
	assert_int_equal(same->start, mapping.start);
	assert_int_equal(same->limit, mapping.limit);
	assert_int_equal(same->file_offset, mapping.file_offset);
	assert_string_equal(same->path, mapping.path);
	assert_string_equal(same->module, mapping.module);
	assert_string_equal(same->build_id, mapping.build_id);
	assert_true(same->is_main);
	profile_unref(got.profile);
	for (size_t less = 0; less < length; less++)
		assert_false(code_question_read(bytes, less, &got));

	asked.mapping = PROFILE_NONE;
	length = code_question_write(&asked, bytes);
	assert_true(code_question_read(bytes, length, &got));
	assert_int_equal(got.mapping, PROFILE_NONE);
	assert_int_equal(got.address, 0x1234);
	profile_unref(got.profile);
	profile_unref(asked.profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_instructions_arrive),
		cmocka_unit_test(test_malformed_instructions_are_refused),
		cmocka_unit_test(test_too_much_code_is_a_problem),
		cmocka_unit_test(test_lines_arrive),
		cmocka_unit_test(test_of_too_many_lines_the_first_arrive),
		cmocka_unit_test(test_malformed_lines_are_refused),
		cmocka_unit_test(test_questions_arrive),
	};
	return unit_run(tests);
}
