/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/difference/spread.h"

#include "src/count/difference/significance.h"

#include <math.h>

enum {
	LEAST_ROWS = 8, /* fewer say too little of each other */
	FREEDOM_MAX = 1000000,
};

/* The first and second derivative of lgamma. */
static double digamma(double x)
{
	double sum = 0;
	for (; x < 8; x++)
		sum -= 1 / x;
	double y = 1 / (x * x);
	return sum + log(x) - 0.5 / x - y * (1.0 / 12 - y * (1.0 / 120 - y / 252));
}

static double trigamma(double x)
{
	double sum = 0;
	for (; x < 8; x++)
		sum += 1 / (x * x);
	double y = 1 / (x * x);
	return sum + 1 / x + y / 2 + y / x * (1.0 / 6 - y * (1.0 / 30 - y / 42));
}

/* The x for which trigamma is VALUE; it falls. */
static double trigamma_inverse(double value)
{
	double low = 1e-3, high = FREEDOM_MAX;
	for (int i = 0; i < 100; i++) {
		double middle = sqrt(low * high);
		if (trigamma(middle) > value)
			low = middle;
		else
			high = middle;
	}
	return low;
}

static int is_usable(const struct spread_row *row)
{
	return row->by_counts > 0 && row->by_blocks > 0 && row->freedom > 0;
}

struct spread spread_of(const struct spread_row *rows, size_t n)
{
	struct spread none = {.ratio = 1, .freedom = 0};
	double mean = 0, squares = 0, of_chance = 0, used = 0;
	for (size_t i = 0; i < n; i++) {
		if (!is_usable(&rows[i]))
			continue;
		double half = rows[i].freedom / 2;
		/* the logarithm of the ratio, without what chance makes of it */
		double ratio = log(rows[i].by_blocks / rows[i].by_counts) -
			       digamma(half) + log(half);
		used++;
		squares += (ratio - mean) * (ratio - mean) * (used - 1) / used;
		mean += (ratio - mean) / used;
		of_chance += trigamma(half);
	}
	if (used < LEAST_ROWS)
		return none;
	double between = squares / (used - 1) - of_chance / used;
	if (!(between > trigamma(FREEDOM_MAX)))
		return (struct spread){fmax(exp(mean), 1), INFINITY};
	double half = trigamma_inverse(between);
	return (struct spread){fmax(exp(mean + digamma(half) - log(half)), 1), 2 * half};
}

double spread_chance(
	const struct spread *spread, const struct spread_row *row, double change)
{
	if (change == 0)
		return 1;
	double usual = spread->ratio * row->by_counts;
	double weight = isinf(spread->freedom) ? 1
			: spread->freedom > 0
				? spread->freedom / (spread->freedom + row->freedom)
				: 0;
	double variance = weight * usual + (1 - weight) * row->by_blocks;
	if (!(variance > 0)) /* the same in each block, and then another in each */
		return 0;
	return student_two_sided(change / sqrt(variance),
		fmin(spread->freedom + row->freedom, FREEDOM_MAX));
}

double spread_least_change(const struct sensitivity *sensitivity, double share)
{
	const struct spread *spread = &sensitivity->spread;
	const double missed = 0.1, *samples = sensitivity->samples;
	double limit = student_quantile(sensitivity->chance, FREEDOM_MAX);
	double usual = 1, varies = 1;
	if (sensitivity->n_blocks > 1) {
		/* The variance comes from blocks, so it is uncertain itself. */
		double own = 2 * ((double)sensitivity->n_blocks - 1);
		double freedom = fmin(spread->freedom + own, FREEDOM_MAX);
		limit = student_quantile(sensitivity->chance, freedom);
		/* What independent blocks of a row seem to have in common by chance is never
		   below 1, and so large on average; the ratio of all rows has it, too. */
		const double common = 1.17;
		usual = (fmin(spread->freedom, FREEDOM_MAX) * spread->ratio +
				own * fmax(spread->ratio, common)) /
			(fmin(spread->freedom, FREEDOM_MAX) + own);
		varies = 1 + limit * limit / freedom;
	}
	double errors = limit * sqrt(usual) +
			student_quantile(2 * missed, FREEDOM_MAX) * sqrt(varies);
	double change = 0;
	/* The error depends a little on the share that it becomes. */
	for (int i = 0; i < 20; i++) {
		double after = fmin(share + change, 1);
		change = errors * sqrt(share * (1 - share) / samples[0] +
					  after * (1 - after) / samples[1]);
	}
	return fmin(change, 1 - share);
}

double spread_samples_needed(
	const struct sensitivity *sensitivity, double share, double goal)
{
	double low = 1, high = 1e9;
	if (spread_least_change(sensitivity, share) <= goal)
		return 1;
	for (int i = 0; i < 60; i++) {
		double middle = sqrt(low * high);
		struct sensitivity more = *sensitivity;
		more.samples[0] *= middle;
		more.samples[1] *= middle;
		if (spread_least_change(&more, share) > goal)
			low = middle;
		else
			high = middle;
	}
	return high;
}
