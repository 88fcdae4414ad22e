/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * phase-length: how long the phases of a program last, from a series that follows them, and
 * how far they alone would put two recordings apart.
 *
 * The series is what src/count/difference/phases.h has found: a number for each block of two
 * recordings, in which counting alone has the variance 1. The model is that of phases of
 * random length: what two moments have in common falls off exponentially with their
 * distance. Length and strength are not estimated by one number each, as with few phases in
 * a recording no number is certain: each pair of a grid gets its likelihood, and what is
 * asked for is the mean over all. A cosine transform makes the numbers of such a series
 * nearly independent, so that the likelihood is a product.
 *
 * Pure; any thread.
 */
#ifndef CPROFTOP_PHASE_LENGTH_H
#define CPROFTOP_PHASE_LENGTH_H

#include <stddef.h>

struct phase_scale {
	size_t n_blocks;   /* of either recording */
	double lengths[2]; /* of the recordings, in any unit of time */
	double samples[2]; /* how many each has */
};

struct phase_fit {
	/* the probability that phases put the two at least so far apart */
	double shift_chance;
	/* How many phases the shorter of the two has; INFINITY if they are too short or too
	   weak to matter. The median of the grid. */
	double pieces;
};

struct phase_model;

struct phase_model *phase_model_create(const struct phase_scale *scale);
void phase_model_destroy(struct phase_model *model);

/* SERIES has the blocks of the first recording, then those of the second; the mean of each
   has been taken out. SHIFT is the difference of the means, in units of what counting
   alone makes of it. */
struct phase_fit phase_model_fit(
	const struct phase_model *model, const double *series, double shift);

#endif
