/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lua-stack: the functions of Lua of one sample, from what its recipe has copied.
 *
 * Nothing of a program leads to the coroutine that runs (lua_State). But all code of Lua works
 * with it, so the registers and the stack of C have its address; it is known by
 * that of the global state which it has. Coroutines that are active have, for what catches their
 * errors (lua_longjmp), a place on the stack of C: so the inner of two is the one whose place is
 * farther down, and the native frames below its outermost one are its own.
 *
 * A coroutine has a list of calls, in 5.1 an array. The loop (luaV_execute) was called by C for each
 * that is marked fresh, in 5.1 each whose caller is not a function of Lua at an instruction that
 * calls: a segment, whose mark is the stack pointer of that native frame. Where the loop is, is
 * known by a symbol, or, as most are stripped, by its size and its neighbours (lua.c); so the two
 * lists are compared, and must agree:
 *
 * - A function that is just being called has a call, but the loop none yet; one that returns has
 *   none any more.
 * - A coroutine that was resumed after a yield runs what it was in by one loop after the other: all
 *   its calls from there on are of its outermost loop (unroll in ldo.c).
 *
 * A frame's FUNCTION is its closure, its PLACE the instruction that comes next, MORE its
 * call (CallInfo); of a function that C implements the first two are 0. The copy may hold anything. The reader's thread.
 */
#ifndef CPROFTOP_LUA_STACK_H
#define CPROFTOP_LUA_STACK_H

#include "src/facts/callchain.h"
#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"
#include "src/read/runtimes/lua/lua-code.h"
#include "src/read/runtimes/lua/lua-layout.h"
#include "src/read/runtimes/runtime.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	LUA_GLOBALS_MAX = 256,
};

/* One process. */
struct lua_place {
	const struct lua_layout *layout;
	struct target_memory memory;
	struct lua_codes *codes;
	uint64_t loop, loop_limit;
	/* Where allocations begin: states have the same distance from there. 0: not known. */
	uint32_t alignment;
	int32_t residue;
	uint32_t n_globals;
	uint64_t globals[LUA_GLOBALS_MAX]; /* in order */
};

void lua_recipe(const struct lua_place *place, struct recipe *recipe);

/* New global states are added to PLACE. */
void lua_stack_read(struct lua_place *place, const struct snapshot *snapshot,
	const struct callchain *chain, struct script_stack *out);

#endif
