/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * folded: a stack of a report as folded stacks have it (src/write/export-folded.c).
 *
 * Pure; any thread.
 */
#ifndef CPROFTOP_FOLDED_H
#define CPROFTOP_FOLDED_H

#include "src/count/report.h"

/* "thread name;outermost;...;leaf", which the caller frees; NULL: out of memory. */
char *folded_spell(const struct report *report, const struct report_stack *stack);

#endif
