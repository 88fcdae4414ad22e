/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made-luajit: the memory of a process that runs LuaJIT, made up: a sample of it, and how it is some time
 * later.
 *
 * The program's main chunk calls sort, which calls a comparator. Its native frames are: the interpreter, C, the
 * interpreter, C. There is also a trace that began in the main chunk, and in which the comparator is
 * inlined.
 */
#ifndef CPROFTOP_TESTS_MADE_LUAJIT_H
#define CPROFTOP_TESTS_MADE_LUAJIT_H

#include "src/facts/callchain.h"
#include "src/facts/snapshot.h"
#include "src/read/runtimes/lua/luajit-stack.h"

#include <stddef.h>
#include <stdint.h>

#define MADE_MEMORY	UINT64_C(0x7f0000000000)
#define MADE_STACK	UINT64_C(0x7ffd00000000)
#define MADE_TRACE_CODE UINT64_C(0x555500000000)

enum {
	MADE_BLOCKS = 8,
	MADE_BYTES = MADE_BLOCKS * RECIPE_BLOCK,
	MADE_STACK_BYTES = 512, /* of C; in it: */
	MADE_INNER = 0x40,	/* the C frame of the comparator, and */
	MADE_OUTER = 0x140,	/* that of the main chunk */
	MADE_CALLER = 0x190,
	/* from MADE_MEMORY on: */
	MADE_STATE = 0x0100,
	MADE_GLOBAL = 0x1000,
	MADE_VALUES = 0x2000, /* Lua's stack; in it: */
	MADE_MAIN_BASE = MADE_VALUES + 0x20,
	MADE_SORT_BASE = MADE_VALUES + 0x30,
	MADE_COMPARATOR_BASE = MADE_VALUES + 0x50,
	MADE_COMPARATOR = 0x3000, /* closures, */
	MADE_MAIN = 0x3100,
	MADE_SORT = 0x3200,
	MADE_TEXTS = 0x3300,
	MADE_COMPARATOR_PROTO = 0x4000, /* functions */
	MADE_MAIN_PROTO = 0x5000,
	MADE_CODE = 104, /* in them */
	MADE_INSTRUCTIONS = 8,
	MADE_CONSTANTS = 0x100,
	MADE_TRACES = 0x6000,
	MADE_TRACE = 0x6100,
	MADE_SNAPSHOTS = 0x6200,
	MADE_MAP = 0x6300,
	MADE_IR = 0x6400,
	MADE_TRACE_BYTES = 0x80, /* of machine code */
};

struct made_luajit {
	struct luajit_place place;
	unsigned char bytes[MADE_BYTES]; /* may be changed after made_luajit_sample, */
	unsigned char stack[MADE_STACK_BYTES]; /* and this before */
	struct snapshot *snapshot;
	struct callchain *chain;
};

/* In SPACE nothing of this is mapped. */
void made_luajit_init(struct made_luajit *made, struct address_space *space);
void made_luajit_finish(struct made_luajit *made);

/* Take the sample: what is in BYTES now is what was copied. */
void made_luajit_sample(struct made_luajit *made);

void made_luajit_put(struct made_luajit *made, size_t at, uint64_t word);

/* The interpreter's registers: the base of a frame, its next instruction, its constants. */
void made_luajit_registers(
	struct made_luajit *made, uint64_t base, uint64_t pc, uint64_t constants);

/* The trace runs: its machine code is at OFFSET. */
void made_luajit_run_trace(struct made_luajit *made, uint32_t offset);

#endif
