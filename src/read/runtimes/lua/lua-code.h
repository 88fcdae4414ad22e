/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lua-code: the functions of Lua, from what the process keeps of them (Proto): file, lines, and the
 * instructions. Functions have no names: a call says by which name it calls one, as a
 * global, method, field, upvalue, local or metamethod; so each is named by its caller's instruction,
 * as Lua itself does it (ldebug.c), and else by where it begins.
 *
 * They are read later than the sample was taken. An instruction must lie in the code of its
 * function, which must be what it was; else the function is gone. The reader's thread.
 */
#ifndef CPROFTOP_LUA_CODE_H
#define CPROFTOP_LUA_CODE_H

#include "src/facts/snapshot.h"
#include "src/process/target-memory.h"
#include "src/read/runtimes/lua/lua-layout.h"
#include "src/read/runtimes/runtime.h"

#include <stdbool.h>
#include <stdint.h>

struct lua_codes;

struct lua_codes *lua_codes_create(
	const struct lua_layout *layout, const struct target_memory *memory);
void lua_codes_destroy(struct lua_codes *codes); /* NULL is fine */

/* The instructions of the function at CLOSURE, of which PC was one or is the first. */
bool lua_codes_range(struct lua_codes *codes, uint64_t closure, uint64_t pc,
	uint64_t *start, uint64_t *limit);

/* Is at CLOSURE a function now, and has it an instruction at PC? */
enum lua_owner {
	LUA_OWNER_GONE,
	LUA_OWNER_OTHER,
	LUA_OWNER_IT
};
enum lua_owner lua_codes_owner(struct lua_codes *codes, uint64_t closure, uint64_t pc);

/* Does the function at CLOSURE move itself up on Lua's stack, behind its arguments? */
bool lua_codes_moves(struct lua_codes *codes, uint64_t closure);

/* What the instruction before PC, of the function at CLOSURE, calls. */
enum lua_calls {
	LUA_CALLS_UNKNOWN,
	LUA_CALLS_SLOT,	    /* what is in register SLOT */
	LUA_CALLS_ITERATOR, /* what is in register SLOT, by C */
	LUA_CALLS_EVENT,    /* a metamethod, by C */
};
enum lua_calls lua_codes_calls(
	struct lua_codes *codes, uint64_t closure, uint64_t pc, uint32_t *slot);

/* FRAME of SNAPSHOT, as lua-stack.h has it. */
enum script_kind lua_codes_find(struct lua_codes *codes, const struct snapshot *snapshot,
	const struct script_frame *frame, struct script_function *out);

#endif
