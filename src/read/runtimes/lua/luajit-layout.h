/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * luajit-layout: where LuaJIT 2.1 with 64-bit references (LJ_GC64) keeps what is read of it: lj_obj.h,
 * lj_frame.h, lj_jit.h and lj_bc.h. It is the same in the luajit of Debian 12 and 13 and in OpenResty's
 * luajit2 of 2023 and 2025. Whether a process has it is told by the code of lua_gettop (luajit.c), and by
 * the references between its states (luajit-states.c). Constant.
 */
#ifndef CPROFTOP_LUAJIT_LAYOUT_H
#define CPROFTOP_LUAJIT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	LUAJIT_VALUE = 8, /* bytes of one */
	LUAJIT_INSTRUCTION = 4,

	/* An object: its type. */
	LUAJIT_TYPE = 9,
	LUAJIT_TYPE_TEXT = 4,
	LUAJIT_TYPE_STATE = 6,
	LUAJIT_TYPE_PROTO = 7,
	LUAJIT_TYPE_FUNCTION = 8,
	LUAJIT_TYPE_TRACE = 9,

	/* lua_State: a coroutine. CFRAME: the innermost C frame that runs it. */
	LUAJIT_STATE_BYTES = 96,
	LUAJIT_STATE_GLOBAL = 16,
	LUAJIT_STATE_BASE = 32,
	LUAJIT_STATE_TOP = 40,
	LUAJIT_STATE_LIMIT = 48, /* the last slot that is free */
	LUAJIT_STATE_STACK = 56,
	LUAJIT_STATE_CFRAME = 80,

	/* global_State, and behind it, at one of a few distances, the compiler's state. MODE: the number
	   of the trace that runs, or what else is done: by the compiler, if it is MODE_COMPILER or less.
	   BASE: of the function in which the trace began that runs. */
	LUAJIT_GLOBAL_MODE = 184,
	LUAJIT_MODE_COMPILER = ~3,
	LUAJIT_GLOBAL_MAIN = 192,
	LUAJIT_GLOBAL_BASE = 376,
	LUAJIT_GLOBAL_MOST = 64 << 10, /* bytes, with instructions for functions of C */
	LUAJIT_TRACES_FIRST = 1112,
	LUAJIT_TRACES_LAST = 1144,
	LUAJIT_TRACES_COUNT = 12, /* from there */

	/* A C frame (lj_frame.h). RESULTS: 32 bits; negative while it runs no function. SAVED: registers of
	   the caller, the last of which is the return address. */
	LUAJIT_CFRAME_RESULTS = 8,
	LUAJIT_CFRAME_STATE = 16,
	LUAJIT_CFRAME_PC = 24,
	LUAJIT_CFRAME_PREVIOUS = 32,
	LUAJIT_CFRAME_SAVED = 40,
	LUAJIT_CFRAME_BYTES = 80,
	LUAJIT_CFRAME_TAGS = 3,

	/* A function: of Lua, whose PC is behind its GCproto; of C. */
	LUAJIT_FUNCTION_BYTES = 40,
	LUAJIT_FUNCTION_KIND = 10, /* 0: of Lua */
	LUAJIT_FUNCTION_PC = 32,

	/* GCproto */
	LUAJIT_PROTO_BYTES = 104,
	LUAJIT_PROTO_N_CODE = 12,
	LUAJIT_PROTO_CONSTANTS = 32, /* those that are objects are before it */
	LUAJIT_PROTO_N_OBJECTS = 48,
	LUAJIT_PROTO_SIZE = 56,
	LUAJIT_PROTO_N_UPVALUES = 60,
	LUAJIT_PROTO_FILE = 64,
	LUAJIT_PROTO_FIRST_LINE = 72,
	LUAJIT_PROTO_N_LINES = 76,
	LUAJIT_PROTO_LINES = 80,
	LUAJIT_PROTO_UPVALUES = 88,
	LUAJIT_PROTO_LOCALS = 96,

	/* GCstr */
	LUAJIT_TEXT_BYTES = 24,
	LUAJIT_TEXT_LENGTH = 20,

	/* GCtrace, and one of its snapshots. References to instructions are biased. */
	LUAJIT_TRACE_BYTES = 120,
	LUAJIT_TRACE_N_SNAPSHOTS = 10,
	LUAJIT_TRACE_IR = 32,
	LUAJIT_TRACE_N_MAP = 44,
	LUAJIT_TRACE_SNAPSHOTS = 48,
	LUAJIT_TRACE_MAP = 56,
	LUAJIT_TRACE_CODE_BYTES = 84,
	LUAJIT_TRACE_CODE = 88,
	LUAJIT_TRACE_NUMBER = 104,
	LUAJIT_SNAPSHOT_BYTES = 12,
	LUAJIT_SNAPSHOT_CODE = 6, /* 16 bits: where in the code it begins to hold */
	LUAJIT_SNAPSHOT_N = 10,	  /* 8 bits: its entries in the map */
	LUAJIT_IR_BYTES = 8,
	LUAJIT_IR_BIAS = 0x8000,

	/* How a frame was called: the lower bits of the word before its base (lj_frame.h). */
	LUAJIT_LINK_BITS = 7,
	LUAJIT_LINK_LUA = 0, /* in the lower two */
	LUAJIT_LINK_C = 1,   /* likewise */
	LUAJIT_LINK_CONTINUED = 2,
	LUAJIT_LINK_VARARG = 3,
};

/* What a value on Lua's stack refers to, and is it a function? */
static inline uint64_t luajit_object(uint64_t value)
{
	return value & ((1ull << 47) - 1);
}

static inline uint64_t luajit_function_value(uint64_t object)
{
	return ~8ull << 47 | object;
}

static inline bool luajit_is_function(uint64_t value)
{
	return luajit_function_value(luajit_object(value)) == value;
}

#endif
