/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python-code: what a PyCodeObject is called, where it is written, and which line an
 * instruction of it belongs to.
 *
 * Code objects are read some milliseconds after the sample, from memory that the program may
 * have used for something else meanwhile. So the recipe copies words of each in the stop, its
 * identity, and a code object is named only if it still has these words, is alive, and is of
 * the type of code; and so are its texts, of the type of text. A freed object keeps its words
 * but for the first: where the count of references was, the allocator has put a pointer or 0.
 * What was found is kept; it is read again before a later sample is named by it.
 *
 * Most code objects live as long as the program, and reading their words is most of what a stop
 * costs. One that had the same words in several samples over some seconds, at an address that
 * never had others, is settled: its words need not be copied any more. It is still named
 * only if it has them after the sample.
 *
 * The process may be hostile: all that is read is bounded, and texts are cleaned. One thread.
 */
#ifndef CPROFTOP_PYTHON_CODE_H
#define CPROFTOP_PYTHON_CODE_H

#include "src/facts/snapshot.h"
#include "src/process/target-memory.h"
#include "src/read/runtimes/python/python-layout.h"
#include "src/read/runtimes/runtime.h"

#include <stddef.h>
#include <stdint.h>

/* The memory of a process that runs, and the types of its objects. */
struct python_memory {
	struct target_memory target;
	uint64_t code_type, text_type; /* PyCode_Type, PyUnicode_Type */
};

/* What is known of one code object; of no function if FILE is NULL. */
struct python_code {
	const char *name, *file; /* cleaned */
	uint32_t first_line;
	uint32_t number; /* of no other one */
};

struct python_codes;

struct python_codes *python_codes_create(
	const struct python_layout *layout, const struct python_memory *memory);
void python_codes_destroy(struct python_codes *codes); /* NULL is fine */

/* Forget all. */
void python_codes_clear(struct python_codes *codes);

/* Write to ADDRESSES those that are settled, in order: MOST at most. Returns how many. */
size_t python_codes_settled(
	const struct python_codes *codes, uint64_t *addresses, size_t most);

/* The function of FRAME, of the sample SNAPSHOT, and the *LINE that it is at, 0 if that is not
   known. NULL: the code object is gone, or another one. Valid until the next call. */
const struct python_code *python_codes_find(struct python_codes *codes,
	const struct snapshot *snapshot, const struct script_frame *frame,
	uint32_t *line);

#endif
