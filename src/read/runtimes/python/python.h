/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python: the interpreter of Python in a process: is there one, of which version, and what is
 * to be copied in a stop so that its frames can be told.
 *
 * A layout is used only if the interpreter says itself that it is of that version. What its
 * structures hold is believed only if they agree with each other, sample by sample
 * (python-stack.h, python-code.h). One thread.
 */
#ifndef CPROFTOP_PYTHON_H
#define CPROFTOP_PYTHON_H

#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"
#include "src/read/runtimes/python/python-code.h"
#include "src/read/runtimes/python/python-stack.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct python;

/* SPACE is borrowed and must outlive it. */
struct python *python_create(struct address_space *space);
void python_destroy(struct python *python); /* NULL is fine */

/* The process has called exec. */
void python_exec(struct python *python);

/* Look for an interpreter among the files whose code has run, and at the process's memory.
   True: RECIPE is another one than before. */
bool python_prepare(struct python *python, uint64_t now_ns, struct recipe *recipe);

/* Is there one whose frames are known? */
bool python_is_known(const struct python *python);

/* Is there one whose frames nobody knows? TEXT says of which version. */
bool python_is_unknown(const struct python *python, char *text, size_t size);

/* A sample lacked memory that the recipe did not allow: look at the process's memory again. */
void python_lacks(struct python *python);

/* Only of one that is known: */
void python_stack(const struct python *python, const struct snapshot *snapshot,
	struct python_stack *out);
const struct python_code *python_find_code(struct python *python,
	const struct snapshot *snapshot, const struct python_frame *frame,
	uint32_t *line);

/* Is the word of the futex at ADDRESS one of the interpreter's lock (GIL)? */
bool python_is_lock(const struct python *python, uint64_t address);

/* Is FRAME, whose function is CODE or NULL, the interpreter's own, which looks at what __init__ has
   returned (_Py_InitCleanup, since 3.12)? */
bool python_is_cleanup(const struct python *python, const struct python_frame *frame,
	const struct python_code *code);

/* Does the code in REGION belong to the interpreter itself? */
bool python_owns(const struct python *python, const struct region *region);

#endif
