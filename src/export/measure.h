/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * measure: which part of a weight the percentages of a file are made of.
 *
 * The wall clock if it was sampled, else CPU time; samples if nothing was charged yet. Of
 * what was read from a file, the values of the type that is shown. Pure; any thread.
 */
#ifndef CPROFTOP_MEASURE_H
#define CPROFTOP_MEASURE_H

#include "src/export/quantity.h"
#include "src/report/report.h"

#include <stdint.h>

struct measure {
	uint64_t (*of)(const struct weight *weight);
	const char *name; /* "CPU time": in a heading */
	const char *type; /* "cpu", as pprof has it */
	const char *unit; /* "nanoseconds", of what OF returns */
	enum value_kind kind;
};

struct measure measure_of(const struct report *report);

static inline double measure_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

#endif
