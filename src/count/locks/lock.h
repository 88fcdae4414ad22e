/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock: what is known of an object that threads waited for, and of all of them.
 *
 * src/count/locks/locks.h makes them of a report. Plain data; one thread at a time.
 */
#ifndef CPROFTOP_LOCK_H
#define CPROFTOP_LOCK_H

#include "src/base/idmap.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/count/locks/wait-name.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of the time that was waited for a lock. */
struct lock_part {
	uint64_t
		id; /* of what it is a part: a tid, a function, a stack of the stack table */
	const char *name; /* of a thread; NULL: ID says it */
	uint64_t ns;
};

/* Sorted by time, largest first. A zeroed list is empty. */
struct lock_parts {
	struct lock_part *data;
	size_t len, cap;
	struct idmap places; /* (id, 0) -> index, until it is sorted */
};

struct lock {
	enum wait_kind kind;
	const char *call;   /* the system call */
	const char *object; /* which one; "": not known */
	uint64_t ns;
	uint64_t samples;
	struct lock_parts waiters; /* tids */
	struct lock_parts holders; /* tids: the time for which it is known who held it */
	struct lock_parts codes;   /* functions of the report: the code that waits */
	/* What the holders did meanwhile: stacks of the stack table. */
	struct lock_parts stacks;
};

struct locks {
	/* By time; before that what is certainly a lock, unless hardly anybody waits for it (less
	   than 1 % of all). */
	VEC(struct lock) list;
	uint64_t ns;	  /* of all together */
	bool has_moments; /* else nothing is known of the holders' stacks */
	struct strpool names;
};

/* Add NS to the part ID of PARTS. NAME must live as long as PARTS. */
void lock_parts_add(struct lock_parts *parts, uint64_t id, const char *name, uint64_t ns);

/* Put the largest first. Nothing can be added afterwards. */
void lock_parts_sort(struct lock_parts *parts);

#endif
