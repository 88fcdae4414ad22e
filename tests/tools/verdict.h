/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verdict: compares stacks with the true ones, and counts the results and the places of
 * most failures.
 *
 * A stack is right if it is exactly the true stack; incomplete if it says so itself;
 * wrong if it claims to be complete and is not the true stack. An incomplete stack whose
 * frames are not the innermost true ones is a bad prefix. Guessed stacks are those marked
 * approximate.
 */
#ifndef CPROFTOP_TESTS_VERDICT_H
#define CPROFTOP_TESTS_VERDICT_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/facts/callchain.h"
#include "tests/lib/tracee.h"

#include <stdbool.h>
#include <stdint.h>

/* Where it went wrong, and how often. */
struct place {
	uint64_t pc;
	uint64_t count;
	const char *what;
	char text[768];
};

/* Zeroed, it is a verdict on no stack yet. */
struct verdict {
	uint64_t steps, right, guessed, guessed_right, incomplete, wrong, bad_prefix;
	uint64_t frames, unwind_ns;
	VEC(struct place) places;
	struct idmap seen; /* (PC, kind of failure) to its place */
};

void verdict_finish(struct verdict *verdict);

/* CHAIN is what was made of a stack of TRACEE, TRUTH what it is. A STOCK unwinder does not
   tell which frames were interrupted, so that is not compared. */
void verdict_add(struct verdict *verdict, struct tracee *tracee,
	const struct callchain *chain, const struct callchain *truth, bool stock);

/* Print the figures, and the places with the most failures. True if no stack was wrong and
   99.9 % were right; if only PC and stack pointer were known (ONLY_PC_AND_SP), if 95 % were
   right, and 99 % of those that were guessed. */
bool verdict_print(struct verdict *verdict, bool only_pc_and_sp);

#endif
