/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * difference: two reports as one, with what has changed from the first to the second.
 *
 * The result is a report like any other, of a profile of its own: it has every function,
 * stack and thread of either, so that what is new or has vanished is in it; a stack weighs
 * its two values together. Its `difference` has both values of each row and says which
 * changes are more than noise. Views and exporters that know nothing of differences show
 * the two together.
 *
 * A function is the same as another if name and module are; the main programs count as one
 * module, and so do versions of a library (libx.so.1, libx.so.2). A thread is the same if
 * its number is, in one process; else if its name is.
 *
 * Noise is measured by time blocks if both reports have them (report_request.blocks), else
 * by counts; see src/count/difference/significance.h. Main thread, or whoever owns the reports.
 */
#ifndef CPROFTOP_DIFFERENCE_H
#define CPROFTOP_DIFFERENCE_H

#include "src/count/change.h"
#include "src/count/report.h"

enum {
	/* What to ask for in both requests: some more than a variance needs, as a process
	   may be idle in some. */
	DIFFERENCE_BLOCKS = 20
};

/* Both are shared (report_share). SAME_PROCESS: they are of the same, living or ended. */
struct report *difference_build(struct report *before, struct report *after,
	enum normalization normalization, bool same_process);

#endif
