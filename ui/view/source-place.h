/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-place: where the source of a function is, as debug information says it.
 *
 * A function is shown as soon as it has a name; its lines come later, and then it is known a
 * second time, with its file (struct function, kin). So the file is looked for in the stacks
 * of the report. Pure; UI thread.
 */
#ifndef CPROFTOP_UI_SOURCE_PLACE_H
#define CPROFTOP_UI_SOURCE_PLACE_H

#include "src/count/report.h"

#include <stdint.h>

struct source_at {
	const char *file; /* "" if it is not known; of the profile */
	uint32_t
		line; /* where the function begins; by line, the row's own. 0: not known */
};

/* FUNCTION is one of REPORT's rows. */
struct source_at source_place_of(const struct report *report, uint32_t function);

#endif
