/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noise: which changes of a difference are more than noise.
 *
 * The part of src/count/difference/difference.h that decides, together for all rows that one screen
 * shows: functions by self and by total, nodes of the tree, their own parts, threads. A
 * change is real if it is unlikely by counting, and by how much the row varies from block to
 * block (src/count/difference/significance.h).
 */
#ifndef CPROFTOP_NOISE_H
#define CPROFTOP_NOISE_H

#include "src/count/change.h"
#include "src/count/difference/union.h"

/* No more than this share of the changes on a screen that are called real would be chance. */
#define NOISE_FALSE_SHARE 0.05

/* DIFFERENCE has the values of stacks, nodes and threads. Fill in those of functions, and
   `chance` and `real` of all, and what is said of all functions together. VALUE is what a stack weighs. */
void noise_judge(struct difference *difference, const struct report_union *joined,
	uint64_t (*value)(const struct weight *weight));

#endif
