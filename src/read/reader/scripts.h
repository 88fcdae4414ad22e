/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scripts: one stack of a sample, from its native frames and those of an interpreter.
 *
 * The native frame in whose part of the stack the mark of a segment lies is the call of the
 * interpreter that runs the functions of that segment, and they take its place. Native code
 * that they call, or that calls them, stays where it is, but for the interpreter's own: its
 * frames say how a function is run, and not what the program does. The stack begins with the
 * first function of the program; what the interpreter and the C library do to start it is left
 * out, too. If the marks are not in order, or the interpreter's frames are not certain, the
 * native frames are all there is, below SCRIPTS_UNKNOWN_LABEL.
 *
 * Methods of Java are native frames with names (src/read/names/java-names.h); there, too, the
 * stack begins with the first one, if only the virtual machine began that.
 *
 * One object for each process. The reader's thread.
 */
#ifndef CPROFTOP_SCRIPTS_H
#define CPROFTOP_SCRIPTS_H

#include "src/facts/callchain.h"
#include "src/facts/profile.h"
#include "src/facts/ring.h"
#include "src/read/names/symbolizer.h"
#include "src/read/space/address-space.h"

#include <stddef.h>
#include <stdint.h>

/* The outermost function of such a stack, and of one of which the innermost frames alone could
   be copied. */
#define SCRIPTS_UNKNOWN_LABEL "[Python frames not known]"
/* The same of an interpreter of a version whose frames nobody knows. */
#define SCRIPTS_VERSION_LABEL "[Python %s: functions not known]"
/* What a thread does that sleeps until it gets the interpreter's lock. */
#define SCRIPTS_LOCK_LABEL "[waits for the GIL]"
/* A function whose code object was gone before it was read. */
#define SCRIPTS_GONE_LABEL    "[Python function that is gone]"
#define SCRIPTS_GONE_JS_LABEL "[JavaScript function that is gone]"

struct scripts;

/* All are borrowed, and must outlive it. What is to be copied is told to the tracer by RING. */
struct scripts *scripts_create(struct address_space *space, struct symbolizer *symbolizer,
	struct profile *profile, struct ring *ring);
void scripts_destroy(struct scripts *scripts); /* NULL is fine */

/* The process has called exec. */
void scripts_exec(struct scripts *scripts);

/* Move to another profile. */
void scripts_renew(struct scripts *scripts, struct profile *profile);

/* The process may have begun an interpreter, or have other memory than before. */
void scripts_refresh(struct scripts *scripts, uint64_t now_ns);

/* Write to LOCATIONS the locations of RECORD, which was unwound to CHAIN, leaf first: MOST at
   most. Returns how many. */
size_t scripts_locate(struct scripts *scripts, const struct snapshot *record,
	const struct callchain *chain, uint32_t *locations, size_t most);

#endif
