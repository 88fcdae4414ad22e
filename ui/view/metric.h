/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * metric: of which of its measures a width, a percentage or an order is made.
 *
 * Pure; any thread.
 */
#ifndef CPROFTOP_UI_METRIC_H
#define CPROFTOP_UI_METRIC_H

#include "src/report/report.h"

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
