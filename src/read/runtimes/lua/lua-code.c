/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/lua/lua-code.h"

#include "src/base/bytes.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/runtimes/lua/lua-call.h"
#include "src/read/runtimes/lua/lua-texts.h"

#include <stdlib.h>
#include <string.h>

enum {
	FUNCTIONS_MAX = 1 << 14,
	TEXTS_MAX = 16 << 20,
	CODE_MAX = 1 << 20,   /* instructions of a function */
	BYTES_MAX = 64 << 20, /* of all that are kept */
	LOCALS_MAX = 4096,
	MOVES_MAX = 20, /* from one local to another, until the name is found */
	INSTRUCTION = 4,
	LINE_IS_ABSOLUTE = -0x80, /* ldebug.h of 5.4 */
	TAG_TEXT = 4,
	TAG_BITS = 0x0f,
	TAG_LONG = 0x14,
	IS_VARARG = 11, /* of 5.4, in a Proto */
	CLOSURE_BYTES = 40,
	WORDS = 7, /* of which one says that a function is the same */
};

struct proto {
	uint64_t proto, words[WORDS];
	unsigned char head[LUA_PROTO_BYTES];
	uint64_t start, limit; /* of its code */
	uint32_t first_line, n_lines, n_more;
	const char *file; /* cleaned */
	uint32_t *code;
	unsigned char *lines, *more; /* may be NULL */
};

struct lua_codes {
	const struct lua_layout *layout;
	struct target_memory memory;
	VEC(struct proto) functions;
	VEC(const char *) names; /* of what an instruction calls; NULL: none */
	struct idmap ids;	 /* (proto, 0) -> function */
	struct idmap name_ids;	 /* (function, pc) */
	struct lua_texts texts;
	size_t bytes;
};

struct lua_codes *lua_codes_create(
	const struct lua_layout *layout, const struct target_memory *memory)
{
	struct lua_codes *codes = mem_zalloc(sizeof(*codes));
	codes->layout = layout;
	codes->memory = *memory;
	return codes;
}

static void free_arrays(struct proto *function)
{
	free(function->code);
	free(function->lines);
	free(function->more);
}

static void clear(struct lua_codes *codes)
{
	for (size_t i = 0; i < codes->functions.len; i++)
		free_arrays(&codes->functions.data[i]);
	codes->functions.len = codes->names.len = 0;
	codes->bytes = 0;
	idmap_clear(&codes->ids);
	idmap_clear(&codes->name_ids);
	lua_texts_clear(&codes->texts);
}

void lua_codes_destroy(struct lua_codes *codes)
{
	if (!codes)
		return;
	clear(codes);
	vec_free(&codes->functions);
	vec_free(&codes->names);
	idmap_finish(&codes->ids);
	idmap_finish(&codes->name_ids);
	lua_texts_finish(&codes->texts);
	free(codes);
}

/* --- memory ----------------------------------------------------------------------------- */

static bool read_all(
	const struct lua_codes *codes, uint64_t address, void *out, size_t length)
{
	return target_memory_read(&codes->memory, address, out, length);
}

/* The bytes of the string at ADDRESS, as many as there is room for; false: it is none. */
static bool read_text(const struct lua_codes *codes, uint64_t address, char *text,
	size_t size, size_t *length)
{
	unsigned char head[LUA_TEXT_BYTES];
	if (!read_all(codes, address, head, sizeof(head)) ||
		(head[LUA_TAG] & TAG_BITS) != TAG_TEXT)
		return false;
	bool is_short = codes->layout->version > 502 && head[LUA_TAG] != TAG_LONG;
	uint64_t bytes = is_short ? head[11] : bytes_u64(head, 16);
	*length = bytes < size ? (size_t)bytes : size;
	return *length == 0 || read_all(codes, address + sizeof(head), text, *length);
}

/* An array of N, each of BYTES. NULL: there is none. */
static void *read_array(
	struct lua_codes *codes, uint64_t address, uint32_t n, uint32_t bytes)
{
	size_t size = (size_t)n * bytes;
	if (n == 0 || n > CODE_MAX)
		return NULL;
	unsigned char *array = mem_alloc(size);
	if (!read_all(codes, address, array, size)) {
		free(array);
		return NULL;
	}
	codes->bytes += size;
	return array;
}

/* --- functions -------------------------------------------------------------------------- */

/* What is the same as long as a function is: its address, code, source and lines. */
static bool read_head(struct lua_codes *codes, uint64_t proto, struct proto *out)
{
	const struct lua_layout *layout = codes->layout;
	if (!read_all(codes, proto, out->head, sizeof(out->head)) ||
		out->head[LUA_TAG] != layout->proto_tag)
		return false;
	const unsigned char *head = out->head;
	uint64_t words[WORDS] = {bytes_u64(head, layout->code),
		bytes_u64(head, layout->lines), bytes_u64(head, layout->source),
		bytes_u64(head, layout->constants), bytes_u32(head, layout->n_code),
		bytes_u32(head, layout->first_line), bytes_u32(head, layout->n_lines)};
	memcpy(out->words, words, sizeof(words));
	out->proto = proto;
	out->start = words[0];
	out->limit = words[0] + words[4] * INSTRUCTION;
	out->first_line = (uint32_t)words[5];
	return words[0] != 0 && words[4] != 0 && words[4] <= CODE_MAX;
}

static const char *read_file(struct lua_codes *codes, uint64_t source)
{
	char text[LUA_TEXT_MAX];
	size_t length;
	if (source == 0)
		return "";
	return read_text(codes, source, text, sizeof(text), &length)
		       ? lua_texts_file(&codes->texts, text, length)
		       : NULL;
}

/* The function at PROTO now; NULL: it is none. */
static struct proto *read_function(struct lua_codes *codes, uint64_t proto)
{
	const struct lua_layout *layout = codes->layout;
	struct proto fresh = {.proto = 0}, again = {.proto = 0};
	const uint32_t *id = idmap_get(&codes->ids, proto, 0);
	struct proto *known = id ? &codes->functions.data[*id] : NULL;
	if (!read_head(codes, proto, &fresh))
		return NULL;
	if (known && memcmp(known->words, fresh.words, sizeof(fresh.words)) == 0)
		return known;
	fresh.file = read_file(codes, bytes_u64(fresh.head, layout->source));
	fresh.code =
		read_array(codes, fresh.start, (uint32_t)fresh.words[4], INSTRUCTION);
	fresh.n_lines = bytes_u32(fresh.head, layout->n_lines);
	fresh.lines = read_array(codes, bytes_u64(fresh.head, layout->lines),
		fresh.n_lines, layout->line_bytes);
	if (layout->more_lines) {
		fresh.n_more = bytes_u32(fresh.head, layout->n_more_lines);
		fresh.more = read_array(codes, bytes_u64(fresh.head, layout->more_lines),
			fresh.n_more, 8);
	}
	if (!fresh.file || !fresh.code || !read_head(codes, proto, &again) ||
		memcmp(again.words, fresh.words, sizeof(again.words)) != 0) {
		free_arrays(&fresh);
		return NULL;
	}
	/* Another one at the same address has another number: names and numbers go by that. */
	idmap_put(&codes->ids, proto, 0, (uint32_t)codes->functions.len);
	if (id)
		*idmap_get(&codes->ids, proto, 0) = (uint32_t)codes->functions.len;
	vec_push(&codes->functions, fresh);
	return &codes->functions.data[codes->functions.len - 1];
}

static bool is_in(const struct proto *function, uint64_t pc)
{
	return function && pc >= function->start && pc <= function->limit;
}

/* The function that is at CLOSURE now; NULL: none. */
static const struct proto *read_closure(struct lua_codes *codes, uint64_t closure)
{
	unsigned char head[CLOSURE_BYTES];
	bool is_one = closure % 8 == 0 && read_all(codes, closure, head, sizeof(head)) &&
		      (head[LUA_TAG] & TAG_BITS) == LUA_TAG_CLOSURE;
	return is_one ? read_function(
				codes, bytes_u64(head, codes->layout->closure_proto))
		      : NULL;
}

/* The function of CLOSURE, of which PC was an instruction. If the closure is gone, its function
   may be there. */
static const struct proto *find_function(
	struct lua_codes *codes, uint64_t closure, uint64_t pc)
{
	const struct proto *function = read_closure(codes, closure);
	if (function)
		return is_in(function, pc) ? function : NULL;
	for (size_t i = codes->functions.len; i-- > 0;)
		if (is_in(&codes->functions.data[i], pc)) {
			function = read_function(codes, codes->functions.data[i].proto);
			return is_in(function, pc) ? function : NULL;
		}
	return NULL;
}

enum lua_owner lua_codes_owner(struct lua_codes *codes, uint64_t closure, uint64_t pc)
{
	const struct proto *function = read_closure(codes, closure);
	return !function	     ? LUA_OWNER_GONE
	       : is_in(function, pc) ? LUA_OWNER_IT
				     : LUA_OWNER_OTHER;
}

bool lua_codes_range(struct lua_codes *codes, uint64_t closure, uint64_t pc,
	uint64_t *start, uint64_t *limit)
{
	const struct proto *function = find_function(codes, closure, pc);
	if (!function)
		return false;
	*start = function->start;
	*limit = function->limit;
	return true;
}

/* --- lines ------------------------------------------------------------------------------ */

static uint32_t index_of(const struct proto *function, uint64_t next)
{
	uint64_t index = (next - function->start) / INSTRUCTION;
	return index > 0 ? (uint32_t)index - 1 : 0;
}

/* luaG_getfuncline of 5.4: differences, and from time to time a line. */
static uint32_t add_lines(const struct proto *function, uint32_t pc)
{
	int64_t line = function->first_line, from = -1;
	for (uint32_t i = 0; function->more && i < function->n_more; i++) {
		uint32_t at = bytes_u32(function->more, (size_t)i * 8);
		if (at > pc)
			break;
		from = at;
		line = bytes_u32(function->more, (size_t)i * 8 + 4);
	}
	for (int64_t i = from + 1; i <= pc; i++) {
		int step = (signed char)function->lines[i];
		if (step == LINE_IS_ABSOLUTE)
			return 0;
		line += step;
	}
	return line > 0 && line < INT32_MAX ? (uint32_t)line : 0;
}

static uint32_t line_of(
	const struct lua_codes *codes, const struct proto *function, uint32_t pc)
{
	if (!function->lines || pc >= function->n_lines)
		return 0;
	return codes->layout->line_bytes == 1
		       ? add_lines(function, pc)
		       : bytes_u32(function->lines, (size_t)pc * 4);
}

/* --- names ------------------------------------------------------------------------------ */

struct instruction {
	struct lua_opcode code;
	uint32_t a, b, c, bx;
	int32_t jump;
	bool is_constant; /* C is one */
};

static struct instruction decode(
	const struct lua_layout *layout, const struct proto *function, uint32_t pc)
{
	uint32_t word = function->code[pc], op = word & ((1u << layout->op_bits) - 1);
	struct instruction out = {.code = {.op = LUA_OTHER}};
	if (op < layout->n_opcodes)
		out.code = layout->opcodes[op];
	if (layout->op_bits == 7) {
		out.a = word >> 7 & 0xff;
		out.b = word >> 16 & 0xff;
		out.c = word >> 24;
		out.bx = word >> 15;
		out.jump = (int32_t)(word >> 7) - 0xffffff;
		out.is_constant = word >> 15 & 1;
	} else {
		out.a = word >> 6 & 0xff;
		out.b = word >> 23;
		out.c = word >> 14 & 0xff;
		out.bx = word >> 14;
		out.jump = (int32_t)(word >> 14) - 0x1ffff;
		out.is_constant = word >> 22 & 1;
	}
	if (layout->version == 501 && out.code.op == LUA_LOADNIL)
		out.b -= out.a; /* the last register, where others have how many more */
	return out;
}

static bool changes(const struct instruction *i, uint32_t reg)
{
	switch (i->code.op) {
	case LUA_LOADNIL:
		return i->a <= reg && reg <= i->a + i->b;
	case LUA_TFORCALL:
		return reg >= i->a + 2;
	case LUA_CALL:
		return reg >= i->a;
	default:
		return i->a == reg && !i->code.keeps;
	}
}

/* The instruction before LAST that has set register REG; -1: not known (findsetreg). */
static int64_t find_setter(const struct lua_layout *layout, const struct proto *function,
	uint32_t last, uint32_t reg)
{
	int64_t setter = -1, target = 0;
	if (decode(layout, function, last).code.op == LUA_MMBIN && last > 0)
		last--;
	for (uint32_t pc = 0; pc < last; pc++) {
		struct instruction i = decode(layout, function, pc);
		int64_t to = (int64_t)pc + 1 + i.jump;
		if (i.code.op == LUA_JMP) {
			if (to > pc && to <= last && to > target)
				target = to;
		} else if (changes(&i, reg)) {
			setter = pc < target ? -1 : (int64_t)pc;
		}
	}
	return setter;
}

static const char *name_at(struct lua_codes *codes, uint64_t address)
{
	char text[LUA_TEXT_MAX];
	size_t length;
	return address && read_text(codes, address, text, sizeof(text), &length)
		       ? lua_texts_intern(&codes->texts, text, length)
		       : NULL;
}

static const char *constant(
	struct lua_codes *codes, const struct proto *function, uint32_t index)
{
	unsigned char value[LUA_VALUE_BYTES];
	const struct lua_layout *layout = codes->layout;
	if (index >= bytes_u32(function->head, layout->n_constants) ||
		!read_all(codes,
			bytes_u64(function->head, layout->constants) +
				(uint64_t)index * sizeof(value),
			value, sizeof(value)) ||
		(value[LUA_TAG] & TAG_BITS) != TAG_TEXT)
		return NULL;
	return name_at(codes, bytes_u64(value, 0));
}

static const char *upvalue(
	struct lua_codes *codes, const struct proto *function, uint32_t index)
{
	const struct lua_layout *layout = codes->layout;
	if (index >= bytes_u32(function->head, layout->n_upvalues))
		return NULL;
	return name_at(codes, target_memory_word(&codes->memory,
				      bytes_u64(function->head, layout->upvalues) +
					      (uint64_t)index * layout->upvalue_bytes));
}

/* luaF_getlocalname: the local variable that has register REG at PC. */
static const char *local(
	struct lua_codes *codes, const struct proto *function, uint32_t pc, uint32_t reg)
{
	unsigned char bytes[LUA_LOCAL_BYTES];
	const struct lua_layout *layout = codes->layout;
	uint32_t n = bytes_u32(function->head, layout->n_locals);
	uint64_t at = bytes_u64(function->head, layout->locals);
	for (uint32_t i = 0; i < n && i < LOCALS_MAX; i++, at += sizeof(bytes)) {
		if (!read_all(codes, at, bytes, sizeof(bytes)) ||
			bytes_u32(bytes, 8) > pc)
			return NULL;
		if (pc < bytes_u32(bytes, 12) && reg-- == 0)
			return name_at(codes, bytes_u64(bytes, 0));
	}
	return NULL;
}

/* The name by which the value in register REG came there (getobjname). */
static const char *object_name(
	struct lua_codes *codes, const struct proto *function, uint32_t pc, uint32_t reg)
{
	for (int moves = 0; moves < MOVES_MAX; moves++) {
		const char *name = local(codes, function, pc, reg);
		int64_t setter =
			name ? -1 : find_setter(codes->layout, function, pc, reg);
		if (setter < 0)
			return name;
		pc = (uint32_t)setter;
		struct instruction i = decode(codes->layout, function, pc);
		bool is_field = codes->layout->op_bits == 7;
		switch (i.code.op) {
		case LUA_MOVE:
			if (i.b >= i.a)
				return NULL;
			reg = i.b;
			continue;
		case LUA_GETUPVAL:
			return upvalue(codes, function, i.b);
		case LUA_LOADK:
		case LUA_GETGLOBAL:
			return constant(codes, function, i.bx);
		case LUA_GETFIELD:
			return constant(codes, function, i.c);
		case LUA_GETTABUP:
			return is_field || i.is_constant ? constant(codes, function, i.c)
							 : NULL;
		case LUA_SELF:
			if (i.is_constant)
				return constant(codes, function, i.c);
			break;
		case LUA_GETTABLE:
			if (!is_field && i.is_constant)
				return constant(codes, function, i.c);
			break;
		default:
			return NULL;
		}
		/* The key is in a register: it is a name only if it is a constant there. */
		setter = local(codes, function, pc, i.c)
				 ? -1
				 : find_setter(codes->layout, function, pc, i.c);
		if (setter < 0)
			return NULL;
		i = decode(codes->layout, function, (uint32_t)setter);
		return i.code.op == LUA_LOADK ? constant(codes, function, i.bx) : NULL;
	}
	return NULL;
}

bool lua_codes_moves(struct lua_codes *codes, uint64_t closure)
{
	const struct proto *function = read_closure(codes, closure);
	return function && codes->layout->version == 504 && function->head[IS_VARARG];
}

enum lua_calls lua_codes_calls(
	struct lua_codes *codes, uint64_t closure, uint64_t pc, uint32_t *slot)
{
	const struct proto *function = find_function(codes, closure, pc);
	if (!function)
		return LUA_CALLS_UNKNOWN;
	struct instruction i = decode(codes->layout, function, index_of(function, pc));
	if (i.code.op == LUA_TFORCALL) { /* behind what the loop keeps */
		*slot = i.a + (codes->layout->version == 504 ? 4 : 3);
		return LUA_CALLS_ITERATOR;
	}
	*slot = i.a;
	return i.code.op == LUA_CALL ? LUA_CALLS_SLOT : LUA_CALLS_EVENT;
}

/* ltm.h of 5.4 */
static const char *const EVENTS[] = {"__index", "__newindex", "__gc", "__mode", "__len",
	"__eq", "__add", "__sub", "__mul", "__mod", "__pow", "__div", "__idiv", "__band",
	"__bor", "__bxor", "__shl", "__shr", "__unm", "__bnot", "__lt", "__le",
	"__concat", "__call", "__close"};

/* What the instruction at PC calls (funcnamefromcode). */
static const char *read_name(
	struct lua_codes *codes, const struct proto *function, uint32_t pc)
{
	struct instruction i = decode(codes->layout, function, pc);
	switch (i.code.op) {
	case LUA_CALL:
		return object_name(codes, function, pc, i.a);
	case LUA_TFORCALL:
		return "for iterator";
	case LUA_SELF:
	case LUA_GETGLOBAL:
	case LUA_GETTABUP:
	case LUA_GETTABLE:
	case LUA_GETFIELD:
	case LUA_GETI:
		return "__index";
	case LUA_SET:
		return "__newindex";
	case LUA_MMBIN:
		return i.c < sizeof(EVENTS) / sizeof(*EVENTS) ? EVENTS[i.c] : NULL;
	default:
		return i.code.event;
	}
}

static const char *called_name(
	struct lua_codes *codes, const struct proto *function, uint32_t pc)
{
	uint64_t id = (uint64_t)(function - codes->functions.data);
	const uint32_t *known = idmap_get(&codes->name_ids, id, pc);
	if (known)
		return codes->names.data[*known];
	const char *name = read_name(codes, function, pc);
	idmap_put(&codes->name_ids, id, pc, (uint32_t)codes->names.len);
	vec_push(&codes->names, name);
	return name;
}

/* The name that the caller of the call at ADDRESS has for it (funcnamefromcall); NULL: none. */
static const char *name_by_caller(
	struct lua_codes *codes, const struct snapshot *snapshot, uint64_t address)
{
	const struct lua_layout *layout = codes->layout;
	struct lua_call call, by;
	if (!lua_call_read(layout, snapshot, address, &call) ||
		(call.is_lua && (call.status & layout->is_tail)) ||
		!lua_call_read(layout, snapshot, call.previous, &by))
		return NULL;
	if (by.status & layout->is_hooked)
		return "hook";
	if (by.status & layout->is_finalizer)
		return "__gc";
	const struct proto *caller =
		by.is_lua ? find_function(codes, by.function, by.pc) : NULL;
	return caller ? called_name(codes, caller, index_of(caller, by.pc)) : NULL;
}

enum script_kind lua_codes_find(struct lua_codes *codes, const struct snapshot *snapshot,
	const struct script_frame *frame, struct script_function *out)
{
	if (codes->functions.len >= FUNCTIONS_MAX || codes->bytes > BYTES_MAX ||
		codes->texts.pool.block_bytes > TEXTS_MAX)
		clear(codes);
	*out = (struct script_function){.line = 0};
	const char *name = name_by_caller(codes, snapshot, frame->more);
	if (frame->function == 0)
		return lua_texts_tell(&codes->texts, name, NULL, 0, out);
	const struct proto *function =
		find_function(codes, frame->function, frame->place);
	if (!function)
		return SCRIPT_GONE;
	if (!name || function->first_line == 0)
		name = lua_texts_own_name(
			&codes->texts, function->file, function->first_line);
	out->line = line_of(codes, function, index_of(function, frame->place));
	return lua_texts_tell(
		&codes->texts, name, function->file, function->first_line, out);
}
