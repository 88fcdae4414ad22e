/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * phases: what many rows of a difference do together in the course of time, so that it is
 * not taken for a change of each.
 *
 * A program that does one thing for some seconds and then another has rows that rise and
 * fall together. Two recordings of it have been in its phases for different times, so all
 * these rows differ, and the longer the phases the more. The blocks of all rows together show
 * the phases far more sharply than those of one row: they are the principal components of
 * the rows' courses in time, as far as these are larger than chance would make them
 * (Marchenko and Pastur). For each, src/count/difference/phase-length.h says how long it lasts, and
 * whether phases alone would put the two recordings so far apart. If so, a row's change is
 * tested after what it has in common with the component has been taken out of it.
 *
 * What cannot be known is whether one recording has met a phase that the other has not. If
 * there were N phases in each, and the order of all were chance, the two would be divided
 * just so with the probability 1 / C(2N, N): no change is more certain than that.
 *
 * Owned by whoever created it; pure.
 */
#ifndef CPROFTOP_PHASES_H
#define CPROFTOP_PHASES_H

#include "src/count/difference/phase-length.h"

#include <stdbool.h>
#include <stddef.h>

/* The values of one row: in each block, the blocks of the earlier side first, and of each
   side. */
struct phase_row {
	const double *blocks[2];
	double parts[2];
};

struct phase_whole {
	struct phase_scale scale;
	const double *blocks[2]; /* of everything */
	double values[2];
	bool absolute; /* values are compared, and not shares of the whole */
};

struct phases;

/* What ROWS do together. They must be parts of the whole of which none has anything in
   common with another: functions by self, not by total. WHOLE is copied, but not its
   blocks, which must live as long. */
struct phases *phases_create(
	const struct phase_whole *whole, const struct phase_row *rows, size_t n);
void phases_destroy(struct phases *phases);

/* The probability that counting alone makes of a row, which may be any of the same whole,
   what is left of its change when phases have been taken out. */
double phases_chance(const struct phases *phases, const struct phase_row *row);

/* The least probability of any change of a row, and of how many phases in the shorter
   recording that is; 0 and INFINITY: there is no limit. */
double phases_least_chance(const struct phases *phases);
double phases_pieces(const struct phases *phases);

#endif
