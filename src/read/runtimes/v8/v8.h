/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8: the functions of JavaScript in a process, by what V8 has on its stack and in its heap.
 *
 * A frame of JavaScript has the function in it, and, if it is interpreted, its bytecode and the
 * place there; these are of the sample, and so is the function, which is copied in the stop. What
 * that refers to is read some milliseconds later, when the collector may have moved it. So a frame is named only if two witnesses agree: the
 * function that the frame has, and the bytecode in the frame, or the code that the instruction
 * is in. What was found is used for later samples only after it was looked at again.
 *
 * Unlike Python's, these frames are native ones: the unwinder finds them by their frame
 * pointers. One object for each process. One thread.
 */
#ifndef CPROFTOP_V8_H
#define CPROFTOP_V8_H

#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"
#include "src/read/runtimes/v8/v8-code.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct v8;

enum v8_kind {
	V8_NO_FRAME, /* not one of V8's */
	V8_STUB,     /* how V8 runs a function, enters and leaves JavaScript */
	V8_NAMED,
	V8_BUILTIN, /* a function of V8's own, which its code has the name of */
	V8_UNKNOWN, /* a function of JavaScript that cannot be named any more */
};

struct v8_line {
	const struct v8_function *function;
	uint32_t line; /* 0: not known */
};

/* SPACE is borrowed and must outlive it. */
struct v8 *v8_create(struct address_space *space);
void v8_destroy(struct v8 *v8); /* NULL is fine */
void v8_exec(struct v8 *v8);

/* Look for it among the files whose code has run, and at the process's memory. True: RECIPE is
   another one than before: the functions that frames on the stack have. */
bool v8_prepare(struct v8 *v8, uint64_t now_ns, struct recipe *recipe);
bool v8_is_known(const struct v8 *v8);

/* Is REGION code of the file that V8 is in? */
bool v8_owns(const struct v8 *v8, const struct region *region);

/* The frame of SNAPSHOT with the frame pointer FP, at the instruction at ADDRESS in REGION: its
   functions, innermost first, *COUNT of them, at most V8_INLINED_MAX. They are valid until the
   next call. */
enum v8_kind v8_locate(struct v8 *v8, const struct snapshot *snapshot,
	const struct region *region, uint64_t address, uint64_t fp, struct v8_line *lines,
	size_t *count);

#endif
