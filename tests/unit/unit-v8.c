/* SPDX-License-Identifier: GPL-2.0-or-later */
/* v8: functions, scripts and code in a made-up heap, as V8 lays them out, and as nobody should. */

#include "tests/lib/unit.h"

#include "src/read/runtimes/v8/v8-bytecode.h"
#include "src/read/runtimes/v8/v8-code.h"
#include "src/read/runtimes/v8/v8-function.h"

#include <stdlib.h>
#include <string.h>

#define HEAP UINT64_C(0x10000)

enum {
	BYTES = 16384,
	ROUNDS = 3000,
	/* types */
	STRING = 8, /* plain, of one byte each */
	MAP = 200,
	SHARED = 201,
	SCRIPT = 202,
	SCOPE = 203,
	CODE = 204,
	STREAM = 205,
	BYTECODE = 206,
	TABLE = 207,
	INTERPRETER_DATA = 208,
	ARRAY = 209,
	KIND_BASELINE = 11,
	KIND_OPTIMIZED = 13,
};

struct heap {
	unsigned char bytes[BYTES];
	size_t used;
	uint64_t maps[256]; /* of the types so far */
	struct v8_heap v8;
	struct v8_codes codes;
};

static size_t read_heap(void *context, uint64_t address, void *out, size_t length)
{
	struct heap *heap = context;
	uint64_t at = address - HEAP;
	if (at >= BYTES || length > BYTES - at)
		return 0;
	memcpy(out, heap->bytes + at, length);
	return length;
}

static void put(struct heap *heap, uint64_t address, uint64_t word)
{
	memcpy(heap->bytes + (address - HEAP), &word, sizeof(word));
}

static uint64_t small(uint64_t number)
{
	return number << 32;
}

static uint64_t make(struct heap *heap, uint16_t type, size_t bytes);

static uint64_t map_of(struct heap *heap, uint16_t type)
{
	if (!heap->maps[type]) {
		heap->used = (heap->used + 31) / 32 * 32;
		uint64_t map = HEAP + heap->used + 1;
		heap->used += 32;
		heap->maps[type] = map;
		memcpy(heap->bytes + (map - 1 - HEAP) + 12, &type, sizeof(type));
		put(heap, map - 1, map_of(heap, MAP));
	}
	return heap->maps[type];
}

/* An object; its tagged address. */
static uint64_t make(struct heap *heap, uint16_t type, size_t bytes)
{
	uint64_t map = map_of(heap, type);
	heap->used = (heap->used + 31) / 32 * 32;
	uint64_t object = HEAP + heap->used;
	heap->used += bytes;
	assert_true(heap->used <= BYTES);
	put(heap, object, map);
	return object + 1;
}

static uint64_t make_string(struct heap *heap, const char *text)
{
	uint32_t length = (uint32_t)strlen(text);
	uint64_t string = make(heap, STRING, 16 + length + 16);
	unsigned char *bytes = heap->bytes + (string - 1 - HEAP);
	memcpy(bytes + 12, &length, sizeof(length));
	memcpy(bytes + 16, text, length);
	return string;
}

static uint64_t make_table(struct heap *heap, const void *bytes, size_t length)
{
	uint64_t table = make(heap, TABLE, 16 + length);
	put(heap, table - 1 + 8, small(length));
	memcpy(heap->bytes + (table - 1 - HEAP) + 16, bytes, length);
	return table;
}

static void begin(struct heap *heap)
{
	static const int32_t types[][2] = {{V8_TYPE_MAP, MAP}, {V8_TYPE_SHARED, SHARED},
		{V8_TYPE_SCRIPT, SCRIPT}, {V8_TYPE_SCOPE, SCOPE}, {V8_TYPE_CODE, CODE},
		{V8_TYPE_STREAM, STREAM}, {V8_TYPE_BYTECODE, BYTECODE},
		{V8_TYPE_BYTES, TABLE}, {V8_TYPE_INTERPRETER_DATA, INTERPRETER_DATA},
		{V8_MAJOR, 11}, {V8_MINOR, 3}, {V8_BUILD, 244}, {V8_FUNCTION_SHARED, 24},
		{V8_SHARED_NAME, 16}, {V8_SHARED_SCRIPT, 32}, {V8_SCRIPT_SOURCE, 8},
		{V8_SCRIPT_NAME, 16}, {V8_SCOPE_LOCALS, 2}, {V8_SCOPE_FIRST, 3},
		{V8_STREAM_START, 16}, {V8_BYTECODE_DATA, 54},
		{V8_KIND_BASELINE, KIND_BASELINE}};
	*heap = (struct heap){.used = 0};
	heap->v8.memory = (struct target_memory){read_heap, heap};
	heap->codes.heap = &heap->v8;
	for (int i = 0; i < V8_CONSTANTS; i++)
		heap->v8.layout.constants[i] = -1;
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		heap->v8.layout.constants[types[i][0]] = types[i][1];
	assert_true(v8_layout_complete(&heap->v8.layout));
}

static void finish(struct heap *heap)
{
	v8_codes_finish(&heap->codes);
	v8_heap_finish(&heap->v8);
}

static uint64_t make_script_of(struct heap *heap, const char *text)
{
	uint64_t source = make_string(heap, text), name;
	name = make_string(heap, "file:///app/main.mjs");
	uint64_t script = make(heap, SCRIPT, 64);
	put(heap, script - 1 + 8, source);
	put(heap, script - 1 + 16, name);
	return script;
}

static uint64_t make_script(struct heap *heap)
{
	return make_script_of(heap, "one\ntwo\nthree\nfour");
}

static uint64_t make_shared(struct heap *heap, uint64_t name, uint64_t script)
{
	uint64_t shared = make(heap, SHARED, 64);
	put(heap, shared - 1 + 16, name);
	put(heap, shared - 1 + 32, script);
	return shared;
}

/* A scope with two locals, whose function is called NAME, from START to LIMIT. */
static uint64_t make_scope(
	struct heap *heap, const char *name, uint64_t start, uint64_t limit)
{
	uint64_t text = make_string(heap, name), scope = make(heap, SCOPE, 128);
	const uint64_t words[] = {small(1u << 12), small(0), small(2), 0, 0, 0, 0, text,
		small(0), small(start), small(limit)};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		put(heap, scope - 1 + 8 + 8 * i, words[i]);
	return scope;
}

static void test_functions(void **state)
{
	(void)state;
	struct heap heap;
	begin(&heap);
	uint64_t script = make_script(&heap);
	uint64_t scope = make_scope(&heap, "handler", 4, 7);
	uint64_t shared = make_shared(&heap, scope, script);
	const struct v8_function *function = v8_function(&heap.v8, shared, 0);
	assert_non_null(function);
	assert_string_equal(function->name, "handler");
	assert_string_equal(function->file, "/app/main.mjs");
	assert_int_equal(function->first_line, 2);
	assert_int_equal(v8_line(&heap.v8, function, 2), 1);
	assert_int_equal(
		v8_line(&heap.v8, function, 3), 1); /* the end of a line is its own */
	assert_int_equal(v8_line(&heap.v8, function, 16), 4);
	assert_int_equal(v8_line(&heap.v8, function, 1000), 0);

	const struct v8_function *plain = v8_function(&heap.v8,
		make_shared(&heap, make_string(&heap, "sort\x1b"), small(0)), 0);
	assert_string_equal(plain->name, "sort\\x1b");
	assert_string_equal(plain->file, "");
	assert_int_equal(v8_line(&heap.v8, plain, 5), 0);
	assert_string_equal(
		v8_function(&heap.v8, make_shared(&heap, small(0), script), 0)->name,
		"(anonymous main.mjs)");
	assert_null(v8_function(&heap.v8, script, 0));
	assert_null(v8_function(&heap.v8, 4, 0));

	/* Another one at the same address. */
	put(&heap, shared - 1 + 16, make_scope(&heap, "other", 4, 7));
	assert_string_equal(v8_function(&heap.v8, shared, 0)->name, "handler");
	assert_string_equal(v8_function(&heap.v8, shared, UINT64_MAX)->name, "other");
	finish(&heap);
}

/* Of two sources:
   {"sources":["../src/shop.ts","price.ts"],"names":["checkout","shipping","n","taxes","discount","zip"],
   "mappings":"AAUA,SAASA,EAASE,GCUhB,aDUED,EAAIC,KAUJC,EAAI,eAURC,QAUAC,EACEH"} */
#define BUNDLE                                                                     \
	"function s(n){return n}var t=n=>n,u=function(){};x.y=()=>0;z(n=>1)\n\n"   \
	"//# sourceMappingURL=data:application/json;base64,"                       \
	"eyJzb3VyY2VzIjpbIi4uL3NyYy9zaG9wLnRzIiwicHJpY2UudHMiXSwibmFtZXMiOlsiY2hl" \
	"Y2tvdXQiLCJzaGlwcGluZyIsIm4iLCJ0YXhlcyIsImRpc2NvdW50IiwiemlwIl0sIm1hcHBp" \
	"bmdzIjoiQUFVQSxTQUFTQSxFQUFTRSxHQ1VoQixhRFVFRCxFQUFJQyxLQVVKQyxFQUFJLGVB" \
	"VVJDLFFBVUFDLEVBQ0VIIn0=\n//# sourceURL=main.mjs\n"

/* Names, files and lines are the author's if the map is wanted, and has them of that very place. */
static void test_source_map(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint64_t start, position;
		const char *author, *file;
		uint32_t first_line, line;
	} functions[] = {{"s", 10, 13, "checkout", "/src/shop.ts", 11, 11},
		{"s", 10, 15, "checkout", "/src/shop.ts", 11, 0}, /* is price.ts:21 */
		{"t", 29, 32, "shipping", "/src/shop.ts", 31, 31},
		{"u", 44, 46, "taxes", "/src/shop.ts", 41, 41},
		{"x.y", 53, 57, "discount", "/src/shop.ts", 51, 51},
		{"", 61, 64, "(anonymous shop.ts:62)", "/src/shop.ts", 62, 62},
		{"longer", 61, 64, "longer", "/src/shop.ts", 62, 62},
		{"", 0, 64, "(anonymous main.mjs:1)", "/app/main.mjs", 1, 1}};
	for (int is_wanted = 0; is_wanted < 2; is_wanted++)
		for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
			const struct proc_dir nowhere = {.fd = -1};
			struct heap heap;
			begin(&heap);
			heap.v8.maps.dir = is_wanted ? &nowhere : NULL;
			uint64_t script = make_script_of(&heap, BUNDLE);
			uint64_t scope = make_scope(
				&heap, functions[i].name, functions[i].start, 66);
			const struct v8_function *function = v8_function(
				&heap.v8, make_shared(&heap, scope, script), 0);
			assert_string_equal(heap.v8.maps.refusal.text, "");
			if (is_wanted)
				assert_string_equal(function->name, functions[i].author);
			else if (functions[i].name[0])
				assert_string_equal(function->name, functions[i].name);
			assert_string_equal(function->file,
				is_wanted ? functions[i].file : "/app/main.mjs");
			assert_int_equal(function->first_line,
				is_wanted ? functions[i].first_line : 1);
			assert_int_equal(v8_line(&heap.v8, function,
						 (uint32_t)functions[i].position),
				is_wanted ? functions[i].line : 1);
			finish(&heap);
		}
}

/* Offsets with a sign, which says whether it is a statement, or without; and places. */
static void test_positions(void **state)
{
	(void)state;
	const unsigned char with_sign[] = {0x02, 0x14, 0x09, 0x28}; /* 1: 10, 1 + 4: 30 */
	const unsigned char plain[] = {0x06, 0x14, 0x11, 0x28};
	static const uint64_t expected[] = {10, 10, 10, 10, 30, 30};
	for (uint64_t at = 0; at < 6; at++) {
		assert_int_equal(v8_position(with_sign, sizeof(with_sign), at, false),
			expected[at]);
		assert_int_equal(
			v8_position(plain, sizeof(plain), at, true), at < 4 ? 10 : 30);
	}
	assert_int_equal(v8_position(plain, 3, 100, true), 10); /* cut off */
	assert_int_equal(v8_position(NULL, 0, 7, false), 0);
}

struct made_code {
	uint64_t code, stream, start, outer, inner;
};

/* Optimized code of `outer`, into which `inner` is inlined. */
static struct made_code make_code(struct heap *heap)
{
	struct made_code made = {0};
	/* offset 0: inlining 1, place 5 (plus 1) */
	uint64_t position = UINT64_C(1) << 31 | 6 << 1;
	unsigned char table[16] = {0x02}, inlining[16] = {0};
	size_t length = 1;
	for (uint64_t rest = position << 1; rest > 0 || length == 1; rest >>= 7)
		table[length++] =
			(unsigned char)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
	uint64_t outer_place = 10 << 1;
	memcpy(inlining, &outer_place, sizeof(outer_place)); /* function 0 */
	uint64_t script = make_script(heap);
	made.outer = make_shared(heap, make_scope(heap, "outer", 4, 17), script);
	made.inner = make_shared(heap, make_scope(heap, "inner", 0, 8), script);
	uint64_t literals = make(heap, ARRAY, 32), deopt = make(heap, ARRAY, 96);
	put(heap, literals - 1 + 16, made.inner);
	const uint64_t words[] = {0, small(1), literals, 0, 0, 0, made.outer,
		make_table(heap, inlining, sizeof(inlining)), 0};
	put(heap, deopt - 1 + 8, small(9));
	for (size_t i = 0; i < 9; i++)
		put(heap, deopt - 1 + 16 + 8 * i, words[i]);
	made.code = make(heap, CODE, 160);
	made.stream = make(heap, STREAM, 272) + 16; /* instructions are aligned */
	put(heap, made.stream - 1, map_of(heap, STREAM));
	made.start = made.stream - 1 + 16;
	put(heap, made.code - 1 + 16, deopt);
	put(heap, made.code - 1 + 24, make_table(heap, table, length));
	put(heap, made.code - 1 + 32, made.stream);
	put(heap, made.code - 1 + 40, made.start);
	put(heap, made.code - 1 + 48, KIND_OPTIMIZED);
	put(heap, made.code - 1 + 56, 200);
	put(heap, made.stream - 1 + 8, made.code);
	return made;
}

static void test_code(void **state)
{
	(void)state;
	struct heap heap;
	struct v8_place places[V8_INLINED_MAX];
	begin(&heap);
	struct made_code made = make_code(&heap);
	struct v8_code *code = v8_code_find(&heap.codes, made.start + 100, HEAP, 0);
	assert_non_null(code);
	assert_true(code->is_optimized && !code->is_baseline);
	assert_int_equal(code->start, made.start);
	assert_int_equal(v8_code_places(&heap.codes, code, made.start + 100, places), 2);
	assert_int_equal(places[0].shared, made.inner);
	assert_int_equal(places[0].position, 5);
	assert_int_equal(places[1].shared, made.outer);
	assert_int_equal(places[1].position, 9);
	assert_null(v8_code_find(&heap.codes, made.start + 200, HEAP, 0));
	assert_null(v8_code_find(&heap.codes, made.start + 100 + BYTES, HEAP, 0));

	/* It is given up, and known again only as long as nobody asks. */
	put(&heap, made.stream - 1 + 8, small(0));
	assert_non_null(v8_code_find(&heap.codes, made.start + 100, HEAP, 0));
	assert_null(v8_code_find(&heap.codes, made.start + 100, HEAP, UINT64_MAX));
	finish(&heap);
}

/* Five bytes of instructions for the prologue and a bytecode, 132 for one with a prefix, five for the last. */
static struct v8_code *make_baseline(
	struct heap *heap, const unsigned char *steps, size_t length, uint64_t *bytecode)
{
	static const unsigned char bytes[] = {5, 0, 6, 1, 1, 7, 1, 1};
	begin(heap);
	struct made_code made = make_code(heap);
	*bytecode = make(heap, BYTECODE, 80);
	put(heap, *bytecode - 1 + 8, small(sizeof(bytes)));
	memcpy(heap->bytes + (*bytecode - 1 - HEAP) + 54, bytes, sizeof(bytes));
	put(heap, made.code - 1 + 24, make_table(heap, steps, length));
	put(heap, made.code - 1 + 48, KIND_BASELINE);
	heap->codes.n_sizes = 8;
	heap->codes.sizes[0][5] = 1;
	heap->codes.sizes[1][6] = heap->codes.sizes[0][7] = 3;
	struct v8_code *code = v8_code_find(&heap->codes, made.start + 8, HEAP, 0);
	assert_non_null(code);
	assert_true(code->is_baseline && code->start == made.start);
	return code;
}

static void test_baseline(void **state)
{
	(void)state;
	static const unsigned char steps[] = {2, 3, 0x84, 0x01, 5};
	static const int64_t offsets[][2] = {
		{0, 0}, {4, 0}, {5, 1}, {136, 1}, {137, 5}, {141, 5}, {142, -1}};
	struct heap heap;
	uint64_t bytecode;
	struct v8_code *code = make_baseline(&heap, steps, sizeof(steps), &bytecode);
	for (size_t i = 0; i < sizeof(offsets) / sizeof(*offsets); i++)
		assert_int_equal(v8_baseline_offset(&heap.codes, code, bytecode,
					 code->start + (uint64_t)offsets[i][0]),
			offsets[i][1]);
	finish(&heap);
	/* One bytecode more than the table has; sizes that are not known. */
	code = make_baseline(&heap, steps, sizeof(steps) - 1, &bytecode);
	assert_int_equal(
		v8_baseline_offset(&heap.codes, code, bytecode, code->start), -1);
	finish(&heap);
	code = make_baseline(&heap, steps, sizeof(steps), &bytecode);
	heap.codes.n_sizes = 7;
	assert_int_equal(
		v8_baseline_offset(&heap.codes, code, bytecode, code->start), -1);
	finish(&heap);
}

static void test_bytecode(void **state)
{
	(void)state;
	struct heap heap;
	begin(&heap);
	bool begins;
	const unsigned char table[] = {0x02, 0x14, 0x09, 0x04}; /* places 4, and 5 */
	uint64_t bytecode = make(&heap, BYTECODE, 80);
	put(&heap, bytecode - 1 + 8, small(20));
	put(&heap, bytecode - 1 + 32, make_table(&heap, table, sizeof(table)));
	assert_int_equal(v8_bytecode_position(&heap.v8, bytecode, 6, 4, 17, &begins), 5);
	assert_false(begins);
	assert_int_equal(v8_bytecode_position(&heap.v8, bytecode, 4, 4, 17, &begins), 5);
	assert_true(begins);
	assert_int_equal(v8_bytecode_position(&heap.v8, bytecode, 6, 40, 57, NULL), 0);

	uint64_t shared = make_shared(&heap, small(0), small(0));
	uint64_t data = make(&heap, INTERPRETER_DATA, 32);
	put(&heap, shared - 1 + 8, data);
	put(&heap, data - 1 + 8, bytecode);
	assert_true(v8_has_bytecode(&heap.v8, shared, bytecode));
	assert_false(v8_has_bytecode(&heap.v8, shared, data + 64));
	put(&heap, data - 1 + 8, data); /* a circle */
	assert_false(v8_has_bytecode(&heap.v8, shared, bytecode));
	finish(&heap);
}

/* Two calls of maglev's code, and a place where nothing is left. All entries must lead to where the code is left. */
static void test_returns(void **state)
{
	(void)state;
	static const unsigned char entries[] = {
		0x20, 2, 0x81, 0, 0x30, 0, 0, 0, 0x40, 3, 0x85, 0};
	struct heap heap;
	struct v8_return *returns;
	begin(&heap);
	size_t first = (size_t)heap.v8.layout.constants[V8_DEOPT_POSITIONS] + 4;
	const uint64_t words[] = {small(1), small(2), small(3), small(4), small(0x7c),
		small(17), small(5), small(0x80), small(36), small(6), small(0x84)};
	uint64_t deopt = make(&heap, ARRAY, 16 + (first + 9) * 8);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		put(&heap, deopt - 1 + 16 + (first - 2 + i) * 8, words[i]);
	uint64_t table = make(&heap, TABLE, 64) - 1;
	put(&heap, table, UINT64_C(3) << 32 | 5);
	put(&heap, table + 8, 0x91); /* one byte each */
	memcpy(heap.bytes + (table + 16 - HEAP), entries, sizeof(entries));

	assert_int_equal(v8_returns_read(&heap.v8, table, deopt, first + 9, &returns), 2);
	assert_int_equal(returns[0].to, 0x20);
	assert_int_equal(returns[0].bytecode, 17);
	assert_int_equal(returns[1].to, 0x40);
	assert_int_equal(returns[1].bytecode, 36);
	free(returns);
	/* Other numbers of places than it says; a table that is another's; one that is not there. */
	assert_int_equal(v8_returns_read(&heap.v8, table, deopt, first + 6, &returns), 0);
	free(returns);
	heap.bytes[table + 18 - HEAP]++;
	assert_int_equal(v8_returns_read(&heap.v8, table, deopt, first + 9, &returns), 0);
	free(returns);
	put(&heap, table, UINT64_C(60000) << 32);
	assert_int_equal(v8_returns_read(&heap.v8, table, deopt, first + 9, &returns), 0);
	free(returns);
	finish(&heap);
}

/* Words of a right heap, mixed up: whatever is said of it, nothing is read that is not there, and
   everything ends. */
static void test_hostile(void **state)
{
	(void)state;
	struct heap *heap = malloc(sizeof(*heap));
	assert_non_null(heap);
	srand(1);
	for (int round = 0; round < ROUNDS; round++) {
		begin(heap);
		struct made_code made = make_code(heap);
		if (round % 2) /* maglev's */
			put(heap, made.code - 1 + 48, KIND_BASELINE + 1);
		for (int i = 0; i < 1 + round % 12; i++) {
			uint64_t at = HEAP + (uint64_t)rand() % (heap->used / 8) * 8;
			uint64_t word =
				HEAP + (uint64_t)rand() % (heap->used / 8) * 8 + 1;
			put(heap, at, rand() % 4 ? word : (uint64_t)rand() << 20 | 3);
		}
		struct v8_place places[V8_INLINED_MAX];
		struct v8_code *code =
			v8_code_find(&heap->codes, made.start + 50, HEAP, 0);
		size_t count = code && code->is_optimized
				       ? v8_code_places(&heap->codes, code,
						 made.start + 50, places)
				       : 0;
		for (size_t i = 0; i < count; i++) {
			const struct v8_function *function =
				v8_function(&heap->v8, places[i].shared, 0);
			if (function)
				v8_line(&heap->v8, function, places[i].position);
			v8_call_position(&heap->codes, code, made.start + 50,
				places[i].shared, 0, 0);
		}
		v8_has_bytecode(&heap->v8, made.outer, made.inner);
		v8_bytecode_position(&heap->v8, made.code, 3, 0, 0, NULL);
		finish(heap);
	}
	free(heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_source_map),
		cmocka_unit_test(test_positions),
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_baseline),
		cmocka_unit_test(test_bytecode),
		cmocka_unit_test(test_returns),
		cmocka_unit_test(test_hostile),
	};
	return unit_run(tests);
}
