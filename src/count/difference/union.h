/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * union: one report with the stacks of two, by name.
 *
 * The part of src/count/difference/difference.h that finds out what is the same in both.
 */
#ifndef CPROFTOP_UNION_H
#define CPROFTOP_UNION_H

#include "src/count/report.h"

struct report_union {
	const struct report *sides[2];
	struct report *both;
	/* the stack of BOTH that each stack of a side has become */
	uint32_t *rows[2];
	/* of each stack of BOTH: its row among the threads, and the node of its leaf */
	uint32_t *threads, *leaves;
};

/* Make the union; the caller owns BOTH. VALUE is what a stack of a side weighs there; its
   cpu_ns in BOTH is the sum of what it weighs in the two, the first multiplied by FACTOR. */
void report_union_init(struct report_union *joined, const struct report *before,
	const struct report *after, bool same_process,
	uint64_t (*value)(const struct weight *weight), double factor);
void report_union_finish(struct report_union *joined);

#endif
