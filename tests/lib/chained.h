/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * chained: a child whose threads keep a chain in memory of their own, as an interpreter does
 * with its frames, and change it all the time.
 *
 * A thread-local pointer leads to the first node, which lies on the thread's stack; the others
 * lie in anonymous memory, and each refers to a text. A thread writes a number to every node and
 * text in turn, from the first to the last, then the next number. So at any instant the numbers
 * go down once at most, by one; and those who read while it runs see others.
 */
#ifndef CPROFTOP_TESTS_CHAINED_H
#define CPROFTOP_TESTS_CHAINED_H

#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"

#include <sys/types.h>

enum chained_kind {
	CHAINED_GOOD,
	CHAINED_ASLEEP,	   /* it sleeps after each number, for some milliseconds */
	CHAINED_CIRCLE,	   /* the last node leads to the second */
	CHAINED_LONG,	   /* 100,000 nodes */
	CHAINED_FILE,	   /* the last node but one leads to memory of a file, */
	CHAINED_USERFAULT, /* to memory whose page faults nobody handles, */
	CHAINED_WILD,	   /* to nowhere */
};

enum chained_verdict {
	CHAINED_WHOLE,
	CHAINED_TORN,
	CHAINED_SHORT, /* not all of it was copied */
};

/* A child with THREADS such threads, the first one its only one at last; they all run. -1: not
   possible here. */
pid_t chained_start(enum chained_kind kind, unsigned threads);
void chained_end(pid_t child);

/* What copies a chain of CHILD. */
void chained_recipe(pid_t child, struct recipe *recipe);

/* Of a good one: was SNAPSHOT, of thread TID, one instant? */
enum chained_verdict chained_judge(const struct snapshot *snapshot, pid_t tid);

#endif
