/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * significance: is a change more than what chance makes of two samplings of the same?
 *
 * By time blocks: a part of a whole is measured in each of at least SIGNIFICANCE_BLOCKS
 * blocks of time. How much it varies from block to block says how much it would vary from
 * one recording to the next, whatever the reason: few samples, or a program that does
 * something else every few seconds (delete-one jackknife of the ratio; what neighbouring
 * blocks have in common is added, as of Newey and West; Welch's t test). By counts: as if
 * each sample had been drawn independently, which is all that can be said of a file
 * without times; a program with phases varies more. Many rows are tested at once, so a few
 * would pass by chance: significance_choose allows for that (Benjamini and Hochberg).
 *
 * Pure; any thread.
 */
#ifndef CPROFTOP_SIGNIFICANCE_H
#define CPROFTOP_SIGNIFICANCE_H

#include <stdbool.h>
#include <stddef.h>

enum {
	SIGNIFICANCE_BLOCKS = 16 /* the fewest that a variance is estimated from */
};

/* A value, or the ratio of two, and how uncertain it is. */
struct estimate {
	double value, variance;
	double freedom; /* degrees of, of the variance */
};

/* The sum of PARTS over the sum of WHOLES. Blocks whose whole is 0 do not count. */
struct estimate estimate_share(const double *parts, const double *wholes, size_t n);

/* The sum of VALUES, divided by PER. */
struct estimate estimate_sum(const double *values, size_t n, double per);

/* What one side of a comparison by counts has of a row. */
struct counted {
	double part, whole;   /* values: of the row, of everything */
	double part_squares;  /* the sum of the squares of the single samples' values */
	double whole_squares; /* the same of everything */
	double per; /* parts are divided by this; 0: by the whole, which makes shares */
};

/* From one to the other, and how uncertain that is; see src/count/difference/spread.h. */
struct estimate estimate_change(
	const struct estimate *before, const struct estimate *after);

/* How uncertain a change is by counts. */
double counted_variance(const struct counted *before, const struct counted *after);

/* The probability that chance makes a change at least as large, if nothing changed: 1 for
   no change at all. */
double significance_by_counts(const struct counted *before, const struct counted *after);

/* CHOSEN[i]: the i-th of N probabilities is so small that of all that are chosen no more
   than the share FALSE_SHARE is expected to be chance. */
void significance_choose(
	const double *probabilities, size_t n, double false_share, bool *chosen);

/* The probability that Student's t with FREEDOM is beyond -T or T. */
double student_two_sided(double t, double freedom);

/* The t for which it is CHANCE. */
double student_quantile(double chance, double freedom);

#endif
