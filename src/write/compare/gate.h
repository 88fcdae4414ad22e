/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gate: what a difference must not have, as `diff --fail-on` takes it.
 *
 *	total > 5%		a function has 5 points of the whole more than before
 *	self(REGEX) > 1%	the same of what functions spend themselves, of those that match
 *
 * Only what is more than noise counts (struct change). Main thread.
 */
#ifndef CPROFTOP_GATE_H
#define CPROFTOP_GATE_H

#include "src/base/error.h"
#include "src/base/pattern.h"
#include "src/count/report.h"

#include <stdbool.h>
#include <stdint.h>

struct gate {
	bool is_self;
	double limit;		 /* a share of the whole */
	struct pattern *pattern; /* NULL: all functions */
};

/* ERR says what is possible instead. */
bool gate_parse(struct gate *gate, const char *text, struct error *err);
void gate_finish(struct gate *gate);

/* The function of BOTH with the largest growth over the limit, but those that were told
   before: of the first N of TOLD. False: there is none. */
bool gate_next(const struct gate *gate, const struct report *both, const uint32_t *told,
	size_t n, uint32_t *row);

/* Its change, as a share of the whole before and after. */
void gate_shares(const struct gate *gate, const struct report *both, uint32_t row,
	double *before, double *after);

#endif
