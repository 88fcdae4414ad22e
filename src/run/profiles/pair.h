/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pair: two profiles that are compared, read from a file each. Main thread.
 */
#ifndef CPROFTOP_PAIR_H
#define CPROFTOP_PAIR_H

#include "src/base/error.h"
#include "src/count/difference/difference.h"
#include "src/count/import/recording.h"
#include "src/run/profiles/folder.h"

#include <stdbool.h>
#include <stdint.h>

/* Of each side; the difference has as much again as both. */
enum {
	PAIR_BYTES_MAX = RECORDING_BYTES_MAX / 5,
};

struct pair {
	struct recording sides[2]; /* the earlier one first */
	uint32_t types[2];	   /* of each: the index of what is compared */
	struct left_out left_out;  /* of both, where they are folders */
};

/* Read BEFORE and AFTER. TYPE names what is compared; NULL: what BEFORE shows first. Call
   pair_finish in any case. */
bool pair_read(struct pair *pair, const char *before, const char *after, const char *type,
	struct error *err);
void pair_finish(struct pair *pair);

/* A report of one side, 0 or 1, for REQUEST, whose sample_type is of the later one; if the
   earlier one has no values of that type, of what was read first. The caller owns it. */
struct report *pair_side(
	struct pair *pair, int side, const struct report_request *request);

/* The difference, which the caller owns. */
struct report *pair_report(struct pair *pair, const struct report_request *request,
	enum normalization normalization);

#endif
