/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lua-layout: where Lua 5.1 to 5.4 keep what is read of them, on 64-bit machines: lstate.h and
 * lobject.h of each. Releases of one version agree, but for the state of 5.4.0 to 5.4.2. Pure.
 */
#ifndef CPROFTOP_LUA_LAYOUT_H
#define CPROFTOP_LUA_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	/* The same in all. An object: its tag is at 8. */
	LUA_TAG = 8,
	LUA_TAG_STATE = 8,
	LUA_TAG_CLOSURE = 6, /* of a function of Lua, */
	LUA_TAG_BITS = 0x3f, /* in a value, too */
	LUA_CLOSURE_HEAD = 16,
	LUA_CLOSURE_IS_C = 10, /* of 5.1 */
	LUA_STATE_TOP = 16,
	LUA_STATE_BYTES = 176,
	LUA_CALL_BYTES = 80, /* or less */
	LUA_PROTO_BYTES = 128,
	LUA_TEXT_BYTES = 24, /* the head of a string, which is before its bytes */
	LUA_VALUE_BYTES = 16,
	LUA_LOCAL_BYTES = 16, /* name, first and last instruction */
};

/* What an instruction does, as far as names go. */
enum lua_op {
	LUA_OTHER,
	LUA_MOVE,
	LUA_LOADK,
	LUA_LOADNIL,
	LUA_GETUPVAL,
	LUA_GETGLOBAL,
	LUA_GETTABUP,
	LUA_GETTABLE,
	LUA_GETFIELD, /* whose key is a constant: always */
	LUA_GETI,
	LUA_SELF,
	LUA_SET, /* into a table */
	LUA_MMBIN,
	LUA_JMP,
	LUA_CALL, /* also of a tail call */
	LUA_TFORCALL,
	LUA_EVENT, /* the event of NAME, if it calls a function */
};

struct lua_opcode {
	enum lua_op op;
	const char *event;
	bool keeps; /* it does not change register A */
};

struct lua_layout {
	unsigned version; /* 504 */
	bool is_pc_kept;  /* the innermost call knows its instruction as any other does */
	/* Calls are elements of an array that grows, STATE_BASE is the address of its first one, and the
	   state knows where the innermost function is. Else they are a list, which ends in the
	   state. */
	bool is_array;
	uint16_t state_global, state_call, state_stack, state_last, state_jump,
		state_base, state_pc;
	/* Of a call; CALL_FUNCTION: where on Lua's stack its function is. */
	uint16_t call_bytes, call_function, call_previous, call_pc, call_status,
		call_base;
	bool has_no_base; /* it is just behind the function */
	/* Bits of the status, if it says so much (lua-call.h). A call is of a function of Lua if IS_LUA or not IS_C; the loop was called for
	   it if IS_FRESH or not IS_REENTRY; each 0 where there is none. */
	uint16_t is_lua, is_c, is_fresh, is_reentry, is_hooked, is_tail, is_finalizer;
	uint8_t proto_tag, closure_proto, upvalue_bytes;
	/* Of a function: arrays, and how many each has; a line is of INFO_BYTES. */
	uint16_t constants, code, lines, upvalues, locals, source, more_lines;
	uint16_t n_constants, n_code, n_lines, n_upvalues, n_locals, n_more_lines;
	uint16_t first_line, line_bytes;
	uint8_t op_bits, n_opcodes;
	const struct lua_opcode *opcodes;
};

/* That of RELEASE, "5.4.6"; NULL: not known. */
const struct lua_layout *lua_layout_of(const char *release);

#endif
