/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * copies: copies of the stacks of stopped threads, as a recording makes them.
 *
 * The sampler copies what the analyst has advised after earlier samples
 * (src/facts/advice.h): as far as the root that was found there, a second part that is far
 * away, or a stack that the thread has left for another one. A tool that judges stacks
 * must judge those of such copies, not of longer ones. One test thread.
 */
#ifndef CPROFTOP_TESTS_COPIES_H
#define CPROFTOP_TESTS_COPIES_H

#include "src/facts/callchain.h"
#include "src/facts/snapshot.h"
#include "src/read/unwind/unwinder.h"
#include "tests/lib/tracee.h"

#include <stddef.h>

struct copies;

/* TRACEE and UNWINDER are borrowed. Copies have at most STACK_BYTES. */
struct copies *copies_create(
	struct tracee *tracee, struct unwinder *unwinder, size_t stack_bytes);
void copies_destroy(struct copies *copies); /* NULL is fine */

/* Copy the stack of the stopped thread snapshot->tid, whose registers SNAPSHOT has. */
void copies_take(struct copies *copies, struct snapshot *snapshot);

/* SNAPSHOT was unwound to CHAIN: this may change the next copies. */
void copies_learn(struct copies *copies, const struct snapshot *snapshot,
	const struct callchain *chain);

#endif
