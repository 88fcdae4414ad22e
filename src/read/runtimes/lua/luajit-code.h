/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * luajit-code: the functions of Lua in LuaJIT, from what the process keeps of them (GCproto): file,
 * lines, and the instructions. As in other Lua, functions have no names: each is named by
 * the instruction that calls it, as LuaJIT itself does it (lj_debug.c), and else by where
 * it begins.
 *
 * They are read later than the sample was taken. An instruction must lie in the code of its
 * function; else the function is gone. The reader's thread.
 */
#ifndef CPROFTOP_LUAJIT_CODE_H
#define CPROFTOP_LUAJIT_CODE_H

#include "src/process/target-memory.h"
#include "src/read/runtimes/lua/luajit-layout.h"
#include "src/read/runtimes/runtime.h"

#include <stdbool.h>
#include <stdint.h>

struct luajit_codes;

struct luajit_codes *luajit_codes_create(const struct target_memory *memory);
void luajit_codes_destroy(struct luajit_codes *codes);

struct luajit_function {
	bool is_c, is_lua; /* neither: it is gone */
	/* Of Lua: its code, and its constants, whose address the interpreter has in a register. */
	uint64_t start, limit, constants;
};

/* What is at FUNCTION now, of the process with the global_State GLOBAL. */
struct luajit_function luajit_codes_look(
	struct luajit_codes *codes, uint64_t global, uint64_t function);

/* The function that is known to have an instruction before PC. */
struct luajit_function luajit_codes_around(struct luajit_codes *codes, uint64_t pc);

/* Is what comes before PC an instruction of FUNCTION? */
static inline bool luajit_has(const struct luajit_function *function, uint64_t pc)
{
	return function->is_lua && pc > function->start && pc <= function->limit &&
	       pc % LUAJIT_INSTRUCTION == 0;
}

/* The slot that the instruction before PC calls, wherever that is. False: it calls none. */
bool luajit_codes_calls(struct luajit_codes *codes, uint64_t pc, uint32_t *slot);

/* A frame: FUNCTION, 0 of one that is not of Lua; PLACE, what it executes next, 0: not known; MORE, what its
   caller does then, 0 if no instruction has called it. */
enum script_kind luajit_codes_find(struct luajit_codes *codes,
	const struct script_frame *frame, struct script_function *out);

#endif
