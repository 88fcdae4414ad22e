/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metric: which part of a weight is shown: CPU time, samples or wall clock.
 *
 * Widths, percentages and orders all use the same metric. Pure; any thread.
 */
#ifndef CPROFTOP_UI_METRIC_H
#define CPROFTOP_UI_METRIC_H

#include "src/count/report.h"

#include <stdint.h>

enum metric {
	METRIC_CPU,
	METRIC_SAMPLES,
	METRIC_WALL,
	METRIC_COUNT,
};

static inline uint64_t metric_of(enum metric metric, const struct weight *weight)
{
	return metric == METRIC_CPU	  ? weight->cpu_ns
	       : metric == METRIC_SAMPLES ? weight->samples
					  : weight->wall_ns;
}

#endif
