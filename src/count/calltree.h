/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * calltree: add up the stacks of a report, in a tree and in a table of functions.
 *
 * Makes report_node[] and report_function[] from (stack, weight) pairs, in the orders
 * that report.h promises. Takes time linear in the nodes used, except for sorting
 * siblings by name. Analyst thread only.
 */
#ifndef CPROFTOP_CALLTREE_H
#define CPROFTOP_CALLTREE_H

#include "src/count/report.h"

/* Fill report->nodes and report->functions from report->stacks. */
void calltree_build(struct report *report);

static inline void weight_add(struct weight *sum, const struct weight *part)
{
	sum->samples += part->samples;
	sum->instants += part->instants;
	sum->cpu_ns += part->cpu_ns;
	sum->wall_ns += part->wall_ns;
}

#endif
