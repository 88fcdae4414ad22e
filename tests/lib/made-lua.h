/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made-lua: the memory of a process that runs Lua, made up, as each version that is known would
 * have it: a sample of it, and how it is some time later.
 *
 * The program's main chunk calls sort, which calls a comparator. Its native frames are: the loop, C, the
 * loop, C.
 */
#ifndef CPROFTOP_TESTS_MADE_LUA_H
#define CPROFTOP_TESTS_MADE_LUA_H

#include "src/facts/callchain.h"
#include "src/facts/snapshot.h"
#include "src/read/runtimes/lua/lua-stack.h"

#include <stddef.h>
#include <stdint.h>

#define MADE_MEMORY UINT64_C(0x7f0000000000)
#define MADE_STACK  UINT64_C(0x7ffd00000000)
#define MADE_LOOP   UINT64_C(0x555500001000)

enum {
	MADE_BLOCKS = 8,
	MADE_BYTES = MADE_BLOCKS * RECIPE_BLOCK,
	MADE_STACK_BYTES = 512, /* of C; in it: */
	MADE_JUMP = 0x1c0,	/* where errors are caught */
	/* from MADE_MEMORY on: */
	MADE_STATE = 0x1008,
	MADE_GLOBAL = 0x2000,
	MADE_CALLS = 0x3000,	 /* 0x100 for each */
	MADE_VALUES = 0x4000,	 /* Lua's stack */
	MADE_FUNCTIONS = 0x5000, /* 0x1000 for each: closure, Proto, and what that has */
	MADE_PROTO = 0x100,
	MADE_CODE = 0x200,
	MADE_LINES = 0x300,
	MADE_CONSTANTS = 0x400,
	MADE_TEXT = 0x500,
	MADE_SOURCE = 0x600,
	MADE_INSTRUCTIONS = 8,
};

enum made_call {
	MADE_COMPARATOR,
	MADE_SORT,
	MADE_MAIN,
};

struct made_lua {
	struct lua_place place;
	unsigned char bytes[MADE_BYTES];       /* may be changed after made_lua_sample, */
	unsigned char stack[MADE_STACK_BYTES]; /* and this before */
	struct snapshot *snapshot;
	struct callchain *chain;
};

void made_lua_init(struct made_lua *made, const char *release);
void made_lua_finish(struct made_lua *made);

/* Take the sample: what is in BYTES now is what was copied. */
void made_lua_sample(struct made_lua *made);

void made_lua_put(struct made_lua *made, size_t at, uint64_t word);

/* Where in BYTES a call is, and what says where the innermost function is. */
size_t made_lua_call(const struct made_lua *made, enum made_call call);
size_t made_lua_pc(const struct made_lua *made);

/* CALL is the innermost one. */
void made_lua_enter(struct made_lua *made, enum made_call call);

/* Innermost first, LOOPS of them and C between. If not IS_LEAF, C is the innermost. */
void made_lua_chain(struct made_lua *made, unsigned loops, bool is_leaf);

#endif
