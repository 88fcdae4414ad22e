/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * luajit-stack: the functions of Lua of one sample of LuaJIT, from what its recipe has copied.
 *
 * A segment is what one C frame runs (luajit-states.h), and that is its mark. Lua's stack has the frames;
 * the innermost one is known
 * - of the interpreter, by its registers, in which it has the base of the frame and the next instruction;
 * - of compiled code, by what the trace has (luajit-trace.h);
 * - of C, by the coroutine, to which the interpreter wrote it before it called.
 *
 * A frame's FUNCTION is its closure, its PLACE the instruction that comes next, MORE that of its
 * caller; of a function that is not of Lua the first two are 0. The copy may hold anything. The reader's thread.
 */
#ifndef CPROFTOP_LUAJIT_STACK_H
#define CPROFTOP_LUAJIT_STACK_H

#include "src/facts/callchain.h"
#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"
#include "src/process/target-memory.h"
#include "src/read/runtimes/lua/luajit-code.h"
#include "src/read/runtimes/lua/luajit-states.h"
#include "src/read/runtimes/lua/luajit-trace.h"
#include "src/read/runtimes/runtime.h"

#include <stdint.h>

/* One process. */
struct luajit_place {
	struct address_space *space;
	struct target_memory memory;
	struct luajit_codes *codes;
	struct luajit_traces traces;
	struct luajit_globals globals;
};

void luajit_recipe(const struct luajit_place *place, struct recipe *recipe);

/* New global states are added to PLACE. */
void luajit_stack_read(struct luajit_place *place, const struct snapshot *snapshot,
	const struct callchain *chain, struct script_stack *out);

#endif
