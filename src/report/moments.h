/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * moments: when each stack of a report was sampled.
 *
 * Analyst thread only.
 */
#ifndef CPROFTOP_MOMENTS_H
#define CPROFTOP_MOMENTS_H

#include "src/history/sample-log.h"
#include "src/report/report.h"

/* Fill report->moments, from the samples that report->stacks were counted from. */
void moments_build(struct report *report, const struct sample_log *samples);

#endif
