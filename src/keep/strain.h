/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strain: the moments at which sampling did not go as asked.
 *
 * The meter only has totals. The analyst compares them a few times a second and keeps what
 * has grown, with its time, so that a timeline can show where samples are missing. Bounded
 * in number. Analyst thread only; a copy is plain data.
 */
#ifndef CPROFTOP_STRAIN_H
#define CPROFTOP_STRAIN_H

#include "src/base/vec.h"
#include "src/facts/meter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum strain_kind {
	STRAIN_LOST, /* samples that were dropped, and tracers that died */
	STRAIN_LATE, /* of the instants more than a tenth came late */
	STRAIN_KINDS,
};

struct strain {
	uint64_t from_ns, to_ns; /* monotonic */
	uint64_t count;		 /* lost samples, late instants */
	enum strain_kind kind;
};

/* What one meter showed when it was read last; zeroed at the beginning. */
struct strain_reading {
	uint64_t time_ns, lost, late, instants;
};

struct strains {
	VEC(struct strain) list; /* by to_ns */
};

/* Read METER, unless it was read less than STRAIN_EVERY_NS before NOW_NS, and keep what
   has grown since READING, which is replaced. */
#define STRAIN_EVERY_NS UINT64_C(250000000)
void strains_note(struct strains *strains, struct strain_reading *reading,
	const struct meter *meter, uint64_t now_ns);

/* Forget what was over before OLDEST_NS; of very many the older half. */
void strains_trim(struct strains *strains, uint64_t oldest_ns);

/* The sum of the counts of KIND in [FROM_NS, TO_NS). */
uint64_t strains_count(const struct strain *list, size_t n, enum strain_kind kind,
	uint64_t from_ns, uint64_t to_ns);

#endif
