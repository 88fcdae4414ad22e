/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/luajit-code.h"

#include "src/base/byte-cursor.h"
#include "src/base/bytes.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/runtimes/lua/lua-texts.h"
#include "src/read/runtimes/lua/luajit-layout.h"

#include <stdlib.h>
#include <string.h>

enum {
	FUNCTIONS_MAX = 1 << 14,
	TEXTS_MAX = 16 << 20,
	SIZE_MAX_OF_ONE = 4 << 20,
	BYTES_MAX = 64 << 20, /* of all that are kept */
	LOCALS_MAX = 4096,
	MOVES_MAX = 20,	     /* from one local to another, until the name is found */
	NAMED_BY_ITSELF = 7, /* a local whose first byte is less: by the compiler */
};

/* Instructions (lj_bc.h), as far as names go; those between are alike. */
enum {
	IS_LESS_LAST = 1,
	IS_LESS_EQUAL_LAST = 3,
	IS_EQUAL_LAST = 11,
	IS_COPIED_FIRST = 12,
	IS_COPIED_LAST = 13,
	MOVE = 18,
	MINUS = 20,
	LENGTH = 21,
	ARITHMETIC_FIRST = 22,
	POWER = 37,
	CONCATENATE = 38,
	CONSTANT_LAST = 43,
	SET_NIL = 44,
	GET_UPVALUE = 45,
	NEW_FIRST = 51,
	NEW_LAST = 53,
	GET_GLOBAL = 54,
	SET_GLOBAL = 55,
	GET_FIRST = 56,
	GET_FIELD = 57,
	GET_LAST = 59,
	SET_FIRST = 60,
	SET_MANY = 63,
	SET_LAST = 64,
	CALL_FIRST = 65,
	CALL_ITERATOR = 69,
	CALL_LAST = 70,
	RETURN_MANY = 73,
	LOOP_FIRST = 77,
	LOOP_LAST = 84,
};

struct proto {
	uint64_t address, start, limit; /* of its code */
	unsigned char *bytes;		/* all of it, with the arrays */
	uint32_t size, first_line;
	const char *file; /* cleaned */
};

struct luajit_codes {
	struct target_memory memory;
	VEC(struct proto) functions;
	VEC(const char *) names; /* of what an instruction calls; NULL: none */
	VEC(uint32_t) by_code;	 /* those that are there, by the address of their code */
	struct idmap name_ids;	 /* (function, pc) */
	struct lua_texts texts;
	size_t bytes;
};

struct luajit_codes *luajit_codes_create(const struct target_memory *memory)
{
	struct luajit_codes *codes = mem_zalloc(sizeof(*codes));
	codes->memory = *memory;
	return codes;
}

static void clear(struct luajit_codes *codes)
{
	vec_each (&codes->functions, function)
		free(function->bytes);
	codes->functions.len = codes->by_code.len = codes->names.len = 0;
	codes->bytes = 0;
	idmap_clear(&codes->name_ids);
	lua_texts_clear(&codes->texts);
}

void luajit_codes_destroy(struct luajit_codes *codes)
{
	clear(codes);
	vec_free(&codes->functions);
	vec_free(&codes->names);
	vec_free(&codes->by_code);
	idmap_finish(&codes->name_ids);
	lua_texts_finish(&codes->texts);
	free(codes);
}

/* --- functions -------------------------------------------------------------------------- */

/* The bytes of the string at ADDRESS, as many as there is room for; false: it is none. */
static bool read_text(const struct luajit_codes *codes, uint64_t address, char *text,
	size_t size, size_t *length)
{
	unsigned char head[LUAJIT_TEXT_BYTES];
	if (!target_memory_read(&codes->memory, address, head, sizeof(head)) ||
		head[LUAJIT_TYPE] != LUAJIT_TYPE_TEXT)
		return false;
	*length = bytes_u32(head, LUAJIT_TEXT_LENGTH);
	if (*length > size)
		*length = size;
	return *length == 0 ||
	       target_memory_read(&codes->memory, address + sizeof(head), text, *length);
}

static const char *text_at(struct luajit_codes *codes, uint64_t address)
{
	char text[LUA_TEXT_MAX];
	size_t length;
	return address && read_text(codes, address, text, sizeof(text), &length)
		       ? lua_texts_intern(&codes->texts, text, length)
		       : NULL;
}

static const char *read_file(struct luajit_codes *codes, uint64_t source)
{
	char text[LUA_TEXT_MAX];
	size_t length;
	return read_text(codes, source, text, sizeof(text), &length)
		       ? lua_texts_file(&codes->texts, text, length)
		       : NULL;
}

/* Is HEAD what FUNCTION began with? But for what the collector and the compiler write there. */
static bool is_same(const struct proto *function, const unsigned char *head)
{
	return memcmp(function->bytes + LUAJIT_PROTO_N_CODE, head + LUAJIT_PROTO_N_CODE,
		       sizeof(uint32_t)) == 0 &&
	       memcmp(function->bytes + LUAJIT_PROTO_CONSTANTS,
		       head + LUAJIT_PROTO_CONSTANTS,
		       LUAJIT_PROTO_N_UPVALUES - LUAJIT_PROTO_CONSTANTS) == 0 &&
	       memcmp(function->bytes + LUAJIT_PROTO_FILE, head + LUAJIT_PROTO_FILE,
		       LUAJIT_PROTO_BYTES - LUAJIT_PROTO_FILE) == 0;
}

static bool read_head(const struct luajit_codes *codes, uint64_t address,
	unsigned char head[LUAJIT_PROTO_BYTES])
{
	if (address % LUAJIT_VALUE != 0 ||
		!target_memory_read(&codes->memory, address, head, LUAJIT_PROTO_BYTES) ||
		head[LUAJIT_TYPE] != LUAJIT_TYPE_PROTO)
		return false;
	uint64_t size = bytes_u32(head, LUAJIT_PROTO_SIZE);
	uint64_t n = bytes_u32(head, LUAJIT_PROTO_N_CODE);
	return n > 0 && size <= SIZE_MAX_OF_ONE &&
	       LUAJIT_PROTO_BYTES + n * LUAJIT_INSTRUCTION <= size;
}

/* How many of those that are known have code that begins before PC. */
static size_t count_before(const struct luajit_codes *codes, uint64_t pc)
{
	size_t low = 0, high = codes->by_code.len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (codes->functions.data[codes->by_code.data[middle]].start < pc)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last of these; NULL: there is none. */
static struct proto *known_before(const struct luajit_codes *codes, uint64_t pc)
{
	size_t n = count_before(codes, pc);
	return n > 0 ? &codes->functions.data[codes->by_code.data[n - 1]] : NULL;
}

/* Another one at the same address has another number: names and numbers go by that. */
static const struct proto *add(struct luajit_codes *codes, const struct proto *fresh)
{
	uint32_t id = (uint32_t)codes->functions.len;
	size_t at = count_before(codes, fresh->start);
	vec_push(&codes->functions, *fresh);
	codes->bytes += fresh->size;
	if (at < codes->by_code.len &&
		codes->functions.data[codes->by_code.data[at]].start == fresh->start) {
		codes->by_code.data[at] = id;
		return &codes->functions.data[id];
	}
	vec_push(&codes->by_code, id);
	memmove(&codes->by_code.data[at + 1], &codes->by_code.data[at],
		(codes->by_code.len - 1 - at) * sizeof(id));
	codes->by_code.data[at] = id;
	return &codes->functions.data[id];
}

/* The function whose GCproto is at ADDRESS now; NULL: it is none. */
static const struct proto *read_function(struct luajit_codes *codes, uint64_t address)
{
	unsigned char head[LUAJIT_PROTO_BYTES];
	const struct proto *known = known_before(codes, address + LUAJIT_PROTO_BYTES + 1);
	if (!read_head(codes, address, head))
		return NULL;
	if (known && known->address == address && is_same(known, head))
		return known;
	struct proto fresh = {.address = address,
		.start = address + LUAJIT_PROTO_BYTES,
		.limit = address + LUAJIT_PROTO_BYTES +
			 (uint64_t)bytes_u32(head, LUAJIT_PROTO_N_CODE) *
				 LUAJIT_INSTRUCTION,
		.size = bytes_u32(head, LUAJIT_PROTO_SIZE),
		.first_line = bytes_u32(head, LUAJIT_PROTO_FIRST_LINE)};
	fresh.file = read_file(codes, bytes_u64(head, LUAJIT_PROTO_FILE));
	fresh.bytes = mem_alloc(fresh.size);
	if (!fresh.file ||
		!target_memory_read(&codes->memory, address, fresh.bytes, fresh.size) ||
		!is_same(&fresh, head)) {
		free(fresh.bytes);
		return NULL;
	}
	return add(codes, &fresh);
}

/* Is what comes before PC an instruction of FUNCTION? */
static bool has(const struct proto *function, uint64_t pc)
{
	return function && pc > function->start && pc <= function->limit &&
	       pc % LUAJIT_INSTRUCTION == 0;
}

static bool read_closure(const struct luajit_codes *codes, uint64_t address,
	unsigned char head[LUAJIT_FUNCTION_BYTES])
{
	return address % LUAJIT_VALUE == 0 &&
	       target_memory_read(&codes->memory, address, head, LUAJIT_FUNCTION_BYTES) &&
	       head[LUAJIT_TYPE] == LUAJIT_TYPE_FUNCTION;
}

static const struct proto *proto_of(
	struct luajit_codes *codes, const unsigned char head[LUAJIT_FUNCTION_BYTES])
{
	return head[LUAJIT_FUNCTION_KIND] == 0
		       ? read_function(codes,
				 bytes_u64(head, LUAJIT_FUNCTION_PC) - LUAJIT_PROTO_BYTES)
		       : NULL;
}

/* The function of the closure at ADDRESS, if it has an instruction before PC or that is 0; else that is
   gone, and it is one that is known. */
static const struct proto *find_function(
	struct luajit_codes *codes, uint64_t address, uint64_t pc)
{
	unsigned char head[LUAJIT_FUNCTION_BYTES];
	const struct proto *function = address && read_closure(codes, address, head)
					       ? proto_of(codes, head)
					       : NULL;
	if (function && (pc == 0 || has(function, pc)))
		return function;
	const struct proto *known = known_before(codes, pc);
	if (!has(known, pc))
		return NULL;
	function = read_function(codes, known->address);
	return has(function, pc) ? function : NULL;
}

static struct luajit_function describe(const struct proto *proto)
{
	struct luajit_function out = {.is_lua = proto != NULL};
	if (proto) {
		out.start = proto->start;
		out.limit = proto->limit;
		out.constants = bytes_u64(proto->bytes, LUAJIT_PROTO_CONSTANTS);
	}
	return out;
}

struct luajit_function luajit_codes_look(
	struct luajit_codes *codes, uint64_t global, uint64_t function)
{
	unsigned char head[LUAJIT_FUNCTION_BYTES];
	if (!read_closure(codes, function, head))
		return (struct luajit_function){.is_c = false};
	uint64_t distance = bytes_u64(head, LUAJIT_FUNCTION_PC) - global;
	if (head[LUAJIT_FUNCTION_KIND] != 0)
		return (struct luajit_function){.is_c = distance < LUAJIT_GLOBAL_MOST};
	return describe(proto_of(codes, head));
}

struct luajit_function luajit_codes_around(struct luajit_codes *codes, uint64_t pc)
{
	return describe(find_function(codes, 0, pc));
}

bool luajit_codes_calls(struct luajit_codes *codes, uint64_t pc, uint32_t *slot)
{
	const struct proto *function = find_function(codes, 0, pc);
	unsigned char bytes[LUAJIT_INSTRUCTION];
	if (function)
		memcpy(bytes,
			function->bytes + (pc - LUAJIT_INSTRUCTION - function->address),
			sizeof(bytes));
	else if (pc % LUAJIT_INSTRUCTION != 0 ||
		 !target_memory_read(
			 &codes->memory, pc - LUAJIT_INSTRUCTION, bytes, sizeof(bytes)))
		return false;
	*slot = bytes[1];
	return bytes[0] >= CALL_FIRST && bytes[0] <= CALL_LAST;
}

/* --- what a function says of itself ----------------------------------------------------- */

/* Where in FUNCTION's bytes the array at the word at FIELD is, of LENGTH bytes at least; 0: nowhere. */
static uint32_t array_at(const struct proto *function, uint32_t field, uint64_t length)
{
	uint64_t at = bytes_u64(function->bytes, field) - function->address;
	return at >= LUAJIT_PROTO_BYTES && at <= function->size &&
			       length <= function->size - at
		       ? (uint32_t)at
		       : 0;
}

static uint32_t instruction_at(const struct proto *function, uint32_t index)
{
	return bytes_u32(
		function->bytes, LUAJIT_PROTO_BYTES + (size_t)index * LUAJIT_INSTRUCTION);
}

/* lj_debug_line, of the instruction with INDEX; the first one is the function's head, which has none of its
   own. */
static uint32_t line_of(const struct proto *function, uint32_t index)
{
	uint32_t n = bytes_u32(function->bytes, LUAJIT_PROTO_N_LINES);
	uint32_t bytes = n < 256 ? 1 : n < 65536 ? 2 : 4, difference = 0;
	index += index == 0;
	uint32_t at = array_at(function, LUAJIT_PROTO_LINES, (uint64_t)index * bytes);
	if (at == 0)
		return 0;
	memcpy(&difference, function->bytes + at + (size_t)(index - 1) * bytes, bytes);
	uint32_t line = function->first_line + difference;
	return line < INT32_MAX ? line : 0;
}

static const char *constant(
	struct luajit_codes *codes, const struct proto *function, uint32_t index)
{
	uint64_t at = bytes_u64(function->bytes, LUAJIT_PROTO_CONSTANTS) -
		      function->address - ((uint64_t)index + 1) * LUAJIT_VALUE;
	return index < bytes_u32(function->bytes, LUAJIT_PROTO_N_OBJECTS) &&
			       at < function->size - LUAJIT_VALUE
		       ? text_at(codes, bytes_u64(function->bytes, at))
		       : NULL;
}

/* Texts one behind the other, each with its NUL. */
static const char *upvalue(
	struct luajit_codes *codes, const struct proto *function, uint32_t index)
{
	uint32_t at = array_at(function, LUAJIT_PROTO_UPVALUES, 1);
	if (at == 0 || index >= function->bytes[LUAJIT_PROTO_N_UPVALUES])
		return NULL;
	const char *text = (const char *)function->bytes + at;
	const char *limit = (const char *)function->bytes + function->size, *end;
	for (; (end = memchr(text, '\0', (size_t)(limit - text))); text = end + 1)
		if (index-- == 0)
			return lua_texts_intern(
				&codes->texts, text, (size_t)(end - text));
	return NULL;
}

/* debug_varname: the local variable that has SLOT at the instruction with INDEX. Of each there are a name,
   how far behind the one before it begins, and how long it is there; a byte of 0 ends them. */
static const char *local(struct luajit_codes *codes, const struct proto *function,
	uint32_t index, uint32_t slot)
{
	struct byte_cursor at = {.bytes = function->bytes,
		.at = array_at(function, LUAJIT_PROTO_LOCALS, 1),
		.limit = function->size};
	uint32_t start = 0;
	if (at.at == 0)
		return NULL;
	for (int i = 0; i < LOCALS_MAX && at.at < at.limit && at.bytes[at.at] != 0; i++) {
		const char *name = (const char *)at.bytes + at.at;
		bool has_text = at.bytes[at.at] >= NAMED_BY_ITSELF;
		size_t length = has_text ? strnlen(name, at.limit - at.at) : 0;
		if (length == at.limit - at.at)
			return NULL;
		at.at += length + 1;
		start += (uint32_t)byte_cursor_leb128(&at);
		uint32_t lasts = (uint32_t)byte_cursor_leb128(&at);
		if (start > index || at.failed)
			return NULL;
		if (index - start < lasts && slot-- == 0)
			return has_text ? lua_texts_intern(&codes->texts, name, length)
					: "for iterator";
	}
	return NULL;
}

/* --- names ------------------------------------------------------------------------------ */

static bool sets_one(uint32_t op)
{
	return (op >= IS_COPIED_FIRST && op <= IS_COPIED_LAST) ||
	       (op >= MOVE && op <= CONSTANT_LAST) || op == GET_UPVALUE ||
	       (op >= NEW_FIRST && op <= GET_GLOBAL) ||
	       (op >= GET_FIRST && op <= GET_LAST);
}

static bool sets_many(uint32_t op)
{
	return op == SET_NIL || op == SET_MANY ||
	       (op >= CALL_FIRST && op <= RETURN_MANY) ||
	       (op >= LOOP_FIRST && op <= LOOP_LAST);
}

/* The name by which the value in SLOT came there (lj_debug_slotname). */
static const char *slot_name(struct luajit_codes *codes, const struct proto *function,
	uint32_t index, uint32_t slot)
{
	const char *name = local(codes, function, index, slot);
	for (int moves = 0; !name && moves < MOVES_MAX && index > 1;) {
		uint32_t word = instruction_at(function, --index), op = word & 0xff;
		uint32_t a = word >> 8 & 0xff, c = word >> 16 & 0xff, d = word >> 16;
		if (sets_many(op) && slot >= a && (op != SET_NIL || slot <= d))
			return NULL;
		if (!sets_one(op) || slot != a)
			continue;
		switch (op) {
		case MOVE:
			slot = d;
			name = local(codes, function, index, slot);
			moves++;
			break;
		case GET_GLOBAL:
			return constant(codes, function, d);
		case GET_FIELD:
			return constant(codes, function, c);
		case GET_UPVALUE:
			return upvalue(codes, function, d);
		default:
			return NULL;
		}
	}
	return name;
}

/* Which metamethod an instruction calls, if it calls one. */
static const char *event_of(uint32_t op)
{
	static const char *const arithmetic[] = {
		"__add", "__sub", "__mul", "__div", "__mod"};
	if (op <= IS_EQUAL_LAST)
		return op <= IS_LESS_LAST	  ? "__lt"
		       : op <= IS_LESS_EQUAL_LAST ? "__le"
						  : "__eq";
	if (op >= ARITHMETIC_FIRST && op < POWER)
		return arithmetic[(op - ARITHMETIC_FIRST) % 5];
	if (op >= NEW_FIRST && op <= NEW_LAST)
		return "__gc";
	if (op == GET_GLOBAL || (op >= GET_FIRST && op <= GET_LAST))
		return "__index";
	if (op == SET_GLOBAL || (op >= SET_FIRST && op <= SET_LAST))
		return "__newindex";
	return op == MINUS	   ? "__unm"
	       : op == LENGTH	   ? "__len"
	       : op == POWER	   ? "__pow"
	       : op == CONCATENATE ? "__concat"
				   : NULL;
}

/* What the instruction of FUNCTION before PC calls (lj_debug_funcname). */
static const char *read_name(
	struct luajit_codes *codes, const struct proto *function, uint64_t pc)
{
	uint32_t index = (uint32_t)((pc - function->start) / LUAJIT_INSTRUCTION) - 1;
	uint32_t word = instruction_at(function, index), op = word & 0xff;
	uint32_t slot = word >> 8 & 0xff;
	if (op < CALL_FIRST || op > CALL_LAST)
		return event_of(op);
	return op >= CALL_ITERATOR ? "for iterator"
				   : slot_name(codes, function, index, slot);
}

static const char *name_by_caller(struct luajit_codes *codes, uint64_t pc)
{
	const struct proto *function = pc ? find_function(codes, 0, pc) : NULL;
	if (!function)
		return NULL;
	uint64_t id = (uint64_t)(function - codes->functions.data);
	const uint32_t *known = idmap_get(&codes->name_ids, id, pc);
	if (known)
		return codes->names.data[*known];
	const char *name = read_name(codes, function, pc);
	idmap_put(&codes->name_ids, id, pc, (uint32_t)codes->names.len);
	vec_push(&codes->names, name);
	return name;
}

enum script_kind luajit_codes_find(struct luajit_codes *codes,
	const struct script_frame *frame, struct script_function *out)
{
	if (codes->functions.len >= FUNCTIONS_MAX || codes->bytes > BYTES_MAX ||
		codes->texts.pool.block_bytes > TEXTS_MAX)
		clear(codes);
	*out = (struct script_function){.line = 0};
	const char *name = name_by_caller(codes, frame->more);
	if (frame->function == 0)
		return lua_texts_tell(&codes->texts, name, NULL, 0, out);
	const struct proto *function =
		find_function(codes, frame->function, frame->place);
	if (!function)
		return SCRIPT_GONE;
	if (!name || function->first_line == 0)
		name = lua_texts_own_name(
			&codes->texts, function->file, function->first_line);
	if (frame->place != 0)
		out->line =
			line_of(function, (uint32_t)((frame->place - function->start) /
						     LUAJIT_INSTRUCTION) -
						  1);
	return lua_texts_tell(
		&codes->texts, name, function->file, function->first_line, out);
}
