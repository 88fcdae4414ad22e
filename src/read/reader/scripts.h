/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * scripts: the functions of languages that are not on the native stack, or have no names there:
 * which runtime a process has, what the tracer is to copy for it, and one stack of a sample from
 * its native frames and those functions (merging.h).
 *
 * If the runtime's frames are not certain, or are not in the order of the native ones, the
 * native ones are all there is, below "[Python frames not known]"; a runtime of a version that
 * nobody knows is "[Python 3.16: functions not known]".
 *
 * One object for each process. The reader's thread.
 */
#ifndef CPROFTOP_SCRIPTS_H
#define CPROFTOP_SCRIPTS_H

#include "src/facts/callchain.h"
#include "src/facts/profile.h"
#include "src/facts/ring.h"
#include "src/read/names/symbolizer.h"
#include "src/read/reader/reader-options.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct scripts;

/* All are borrowed, and must outlive it. What is to be copied is told to the tracer by RING. NATIVE
   may change at any time, for stacks to come. */
struct scripts *scripts_create(struct address_space *space, struct symbolizer *symbolizer,
	struct profile *profile, struct ring *ring, const enum native_frames *native);
/* Files and lines as source maps have them. Once, before anything else. */
void scripts_use_source_maps(struct scripts *scripts);
void scripts_destroy(struct scripts *scripts); /* NULL is fine */

/* The process has called exec. */
void scripts_exec(struct scripts *scripts);

/* Move to another profile. */
void scripts_renew(struct scripts *scripts, struct profile *profile);

/* The process may have begun an interpreter, or have other memory than before. */
void scripts_refresh(struct scripts *scripts, uint64_t now_ns);

/* The languages whose functions run in the process, and whether they are known: "Python 3.11",
   "Python 3.16 (functions not known)"; "" if there are none. Valid until scripts_exec. */
const char *scripts_language(const struct scripts *scripts);

/* Why a source map is not used, a sentence; "": all are. Valid until scripts_exec. */
const char *scripts_refusal(const struct scripts *scripts);

/* Did the last second have functions that were gone before they were named? Then samples should
   be taken as soon as they come. */
bool scripts_is_late(const struct scripts *scripts, uint64_t now_ns);

/* Is the futex at ADDRESS that of the interpreter's lock? Then *LOCK is its address, and *OWNER who
   has it now, as the process knows that thread; 0: nobody, or not known. */
bool scripts_find_lock(
	const struct scripts *scripts, uint64_t address, uint64_t *lock, pid_t *owner);

/* Does the runtime know better where the native frames of RECORD lie than CHAIN, to which it was unwound? Then the
   first *LENGTH are right, and *REGISTERS are those of the next one. That a guess was right is noted in
   CHAIN. */
bool scripts_correct(const struct scripts *scripts, const struct snapshot *record,
	struct callchain *chain, uint32_t *length, struct arch_registers *registers);

/* Write to LOCATIONS the locations of RECORD, which was unwound to CHAIN, leaf first: MOST at
   most. Returns how many. */
size_t scripts_locate(struct scripts *scripts, const struct snapshot *record,
	const struct callchain *chain, uint32_t *locations, size_t most);

#endif
