/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewritten: the stacks of a report by a person's rules (src/facts/rewrite.h).
 *
 * Names of functions are rewritten by the report's naming tables. What is left are threads' names,
 * and the frames of processes that are counted as one: the report gets a stack table of its own,
 * without these frames. So no view and no exporter needs to know of rules. Analyst thread only.
 */
#ifndef CPROFTOP_REWRITTEN_H
#define CPROFTOP_REWRITTEN_H

#include "src/count/report.h"

/* REPORT has its stacks, but nothing that is made of them yet. A stack of which nothing is
   left is not counted, as pprof has it. */
void rewritten_apply(struct report *report);

#endif
