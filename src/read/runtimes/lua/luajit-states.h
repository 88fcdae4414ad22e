/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * luajit-states: the coroutines (lua_State) that C's stack runs, of one sample of LuaJIT.
 *
 * Whatever runs Lua, interpreter or compiled code, has a C frame (lj_frame.h): a part of C's stack with the
 * address of the coroutine that it runs. The coroutine has the address of its innermost C frame, which
 * leads to the one before. So coroutines are found among the words of the stack, by their place in
 * that list and by their global state.
 *
 * C frames also say how the native stack goes on: at the end of each are the registers of the caller.
 * Unwind tables describe the interpreter only, and that neither in its subroutines nor where it saves
 * registers of a trace that is left. A trace has a frame of any size inside the C frame.
 *
 * The copy may hold anything. The reader's thread.
 */
#ifndef CPROFTOP_LUAJIT_STATES_H
#define CPROFTOP_LUAJIT_STATES_H

#include "src/facts/callchain.h"
#include "src/facts/snapshot.h"
#include "src/process/target-memory.h"
#include "src/read/runtimes/lua/luajit-trace.h"
#include "src/read/runtimes/runtime.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	LUAJIT_GLOBALS_MAX = 256,
	LUAJIT_STATES_MAX = 64,
};

/* The global states of one process, in order. */
struct luajit_globals {
	uint32_t n;
	uint64_t list[LUAJIT_GLOBALS_MAX];
};

struct luajit_state {
	uint64_t address, global, base, stack, limit;
	uint64_t cframe; /* the innermost one */
};

struct luajit_states {
	uint32_t n;
	struct luajit_state list[LUAJIT_STATES_MAX]; /* innermost first */
};

/* Those of SNAPSHOT. If there is none, new global states are looked for in MEMORY, and added to GLOBALS. */
void luajit_states_find(struct luajit_globals *globals,
	const struct target_memory *memory, const struct snapshot *snapshot,
	struct luajit_states *out);

/* The C frame that CFRAME leads to; 0: none, or it was not copied. */
uint64_t luajit_cframe_before(const struct snapshot *snapshot, uint64_t cframe);

/* Which frame of CHAIN, that has some, runs the C frame at CFRAME. */
uint32_t luajit_native_of(const struct callchain *chain, uint64_t cframe);

/* What says where the native frames of one process lie. */
struct luajit_natives {
	struct address_space *space;
	const struct target_memory *memory;
	struct luajit_traces *traces;
};

/* As struct runtime's natives has it. */
enum script_natives luajit_natives_check(const struct luajit_natives *natives,
	const struct luajit_states *states, const struct snapshot *snapshot,
	const struct callchain *chain, uint32_t *length,
	struct arch_registers *registers);

#endif
