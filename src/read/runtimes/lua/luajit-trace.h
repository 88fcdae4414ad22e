/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * luajit-trace: what the code of a trace stands for.
 *
 * A trace is machine code for a path through the program. It calls no functions of Lua: they are part
 * of it, and what they would have on Lua's stack is written there only when the trace is left. For each
 * place where that can happen it has a snapshot (lj_snap.c): which slots have which values, among them
 * the functions and how they were called, and which instruction would be next. The snapshot before a
 * place in the machine code says in which functions that is. So the time of one that has no such place
 * is its caller's. Read while the process runs. The reader's thread.
 */
#ifndef CPROFTOP_LUAJIT_TRACE_H
#define CPROFTOP_LUAJIT_TRACE_H

#include "src/process/target-memory.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	LUAJIT_SLOTS = 256,
};

/* Constants that a trace has in slots, counted from that of the function in which it began. */
struct luajit_slots {
	bool is_set[LUAJIT_SLOTS];
	uint64_t values[LUAJIT_SLOTS];
	uint32_t function; /* the slot of the innermost function */
	uint64_t pc;	   /* the instruction that it executes next */
};

/* The traces of one process, by number. */
struct luajit_traces {
	struct luajit_trace {
		uint64_t start, limit; /* its code */
		uint64_t address;      /* 0: there was none */
	} * list;
	uint32_t n;
};

/* Is the code at CODE that of a trace, of the process with the global_State GLOBAL? */
bool luajit_trace_has(struct luajit_traces *traces, const struct target_memory *memory,
	uint64_t global, uint64_t code);

/* What the trace whose code is at CODE has. False: there is none, or nobody knows. */
bool luajit_trace_read(struct luajit_traces *traces, const struct target_memory *memory,
	uint64_t global, uint64_t code, struct luajit_slots *out);

#endif
