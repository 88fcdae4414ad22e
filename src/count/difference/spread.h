/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * spread: how much a row varies from block to block, where many rows say how much rows do.
 *
 * Twenty blocks of either side measure the variance of one row to a quarter of it, so its test
 * must ask for more than it would if the variance were known. But the rows of a program vary
 * alike: most as much as counting makes them, or all somewhat more. So what the blocks of one
 * row say is averaged with what those of all rows say, and the latter weighs the more the less
 * rows differ (empirical Bayes; Smyth 2004, doi:10.2202/1544-6115.1027). Where some rows
 * are far less steady than others, each is left with its own blocks.
 *
 * Pure; any thread.
 */
#ifndef CPROFTOP_SPREAD_H
#define CPROFTOP_SPREAD_H

#include <stddef.h>

/* The variance of the change of one row. */
struct spread_row {
	double by_counts; /* as if each sample were drawn independently */
	double by_blocks, freedom;
};

/* What is known of a row before its own blocks are looked at: variance by blocks over that by
   counts, and with how many degrees of freedom; INFINITY: they are all alike. */
struct spread {
	double ratio, freedom;
};

/* Rows with a variance of 0 do not count. */
struct spread spread_of(const struct spread_row *rows, size_t n);

/* The probability that chance makes a CHANGE at least as large in a row. */
double spread_chance(
	const struct spread *spread, const struct spread_row *row, double change);

/* What can be found in a comparison. */
struct sensitivity {
	double samples[2]; /* of either side, if each were drawn independently */
	double chance;	   /* a change that is found is less likely by chance */
	size_t n_blocks;   /* of either side; 0: noise is that of counting */
	struct spread spread;
};

/* By how much a share of SHARE must grow to be told from chance in nine tries of ten: the
   quantile of `chance` and about 1.3 more, times the error of counting. Somewhat more if
   noise is measured by blocks, and if rows vary more than counting makes them. */
double spread_least_change(const struct sensitivity *sensitivity, double share);

/* How many times the samples it takes until that is no more than GOAL; 1 or more. */
double spread_samples_needed(
	const struct sensitivity *sensitivity, double share, double goal);

#endif
