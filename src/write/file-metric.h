/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-metric: the metric of a file: which part of a weight its percentages are made of.
 *
 * The wall clock if it was sampled, else CPU time; samples if nothing was charged yet. Of
 * what was read from a file, the values of the type that is shown. Pure; any thread.
 */
#ifndef CPROFTOP_FILE_METRIC_H
#define CPROFTOP_FILE_METRIC_H

#include "src/count/report.h"
#include "src/facts/text/quantity.h"

#include <stdint.h>

struct file_metric {
	uint64_t (*of)(const struct weight *weight);
	const char *name; /* "CPU time": in a heading */
	const char *type; /* "cpu", as pprof has it */
	const char *unit; /* "nanoseconds", of what OF returns */
	enum value_kind kind;
};

struct file_metric file_metric_of(const struct report *report);

static inline double file_metric_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

#endif
