/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * made-python: the memory of a process that runs Python, made up, as each version that is known
 * lays it out.
 *
 * One thread, with calls of the interpreter one below the other, and one Python function in each,
 * or several. Its memory is PYTHON_BYTES from PYTHON_MEMORY on, and all of it is in the sample.
 * Function I is called "function<I>", is in "file.py", and begins at line 10 * (I + 1); its
 * first instruction is on that line, the second on the next one, and so on.
 */
#ifndef CPROFTOP_TESTS_MADE_PYTHON_H
#define CPROFTOP_TESTS_MADE_PYTHON_H

#include "src/facts/snapshot.h"
#include "src/read/runtimes/python/python-code.h"
#include "src/read/runtimes/python/python-layout.h"
#include "src/read/runtimes/python/python-stack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MADE_MEMORY UINT64_C(0x7f0000000000)

enum {
	MADE_BLOCKS = 16,
	MADE_BYTES = MADE_BLOCKS * RECIPE_BLOCK,
	MADE_FUNCTIONS = 8, /* at most */
	MADE_INSTRUCTIONS = 16,
	/* from MADE_MEMORY on: */
	MADE_THREAD = 0,      /* what the thread pointer points to */
	MADE_STATE = 0x1000,  /* PyThreadState */
	MADE_CALLS = 0x2000,  /* the stack of C, with marks: 0x400 for each call */
	MADE_FRAMES = 0x5000, /* the stack of frames, 0x100 for each function */
	MADE_CODES = 0x7000,  /* 0x200 for each function */
	MADE_NAMES = 0x9000,  /* 0x100 for each function */
	MADE_TABLES = 0xb000, /* 0x100 for each function */
	MADE_FILE = 0xd000,
	MADE_CODE_TYPE = 0xe000,
	MADE_TEXT_TYPE = 0xe100,
};

struct made_python {
	const struct python_layout *layout;
	int32_t place;
	struct python_memory memory;	 /* of a process that runs on: BYTES */
	unsigned char bytes[MADE_BYTES]; /* may be changed after made_python_sample */
	struct snapshot *snapshot;
	unsigned functions; /* 0 is the innermost one */
};

/* CALLS: how many functions each call of the interpreter runs, the innermost first; 0 ends them. */
void made_python_init(struct made_python *made, unsigned version, const unsigned *calls);
void made_python_finish(struct made_python *made);

/* Take the sample: what is in BYTES now is what was copied. */
void made_python_sample(struct made_python *made);

void made_python_put(struct made_python *made, size_t at, uint64_t word);
void made_python_put_text(struct made_python *made, size_t at, const void *units,
	size_t length, size_t unit_bytes, bool is_ascii);

/* The word at AT, for a test that changes it. */
uint64_t made_python_word(const struct made_python *made, size_t at);

/* Where the mark of call I is: what a segment says. */
uint64_t made_python_mark(const struct made_python *made, unsigned call);

#endif
