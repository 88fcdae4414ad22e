/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noise: which changes of a difference are more than noise.
 *
 * The part of src/difference/difference.h that adds up what src/difference/significance.h needs of
 * every row that is large enough to matter, and decides together for all rows that one
 * screen shows: functions by self and by total, nodes of the tree, their own parts,
 * threads.
 */
#ifndef CPROFTOP_NOISE_H
#define CPROFTOP_NOISE_H

#include "src/difference/union.h"
#include "src/report/change.h"

/* A change is not called real if fewer than this share of the whole is concerned, however
   certain it is; or more than NOISE_FALSE_SHARE of those on a screen would be chance. */
#define NOISE_LEAST_SHARE 0.001
#define NOISE_FALSE_SHARE 0.05

/* DIFFERENCE has the values of stacks, nodes and threads. Fill in those of functions, and
   `chance` and `real` of all, and what is said of all functions together. VALUE is what a stack weighs. */
void noise_judge(struct difference *difference, const struct report_union *joined,
	uint64_t (*value)(const struct weight *weight));

#endif
