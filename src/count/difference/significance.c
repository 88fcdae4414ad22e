/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/difference/significance.h"

#include "src/base/mem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	LAGS = 3,	  /* neighbours whose common part is counted */
	FEW_SAMPLES = 40, /* up to here the binomial distribution is added up */
};

/* How much more a sum varies than it would if neighbours had nothing in common: 1 or more.
   DEVIATIONS sum to 0. What is negative is left out, because a short series shows it by
   chance. */
static double common_part(const double *deviations, size_t n, double squares)
{
	double factor = 1;
	for (size_t lag = 1; lag <= LAGS && lag < n; lag++) {
		double products = 0;
		for (size_t i = lag; i < n; i++)
			products += deviations[i] * deviations[i - lag];
		/* the deviations of independent blocks have -1/n in common */
		double correlation = products / squares + 1 / (double)n;
		double weight = 1 - (double)lag / (LAGS + 1);
		if (correlation <= 0)
			break;
		factor += 2 * weight * correlation;
	}
	return factor;
}

/* The variance of a value by what it would be without each of N blocks. */
static struct estimate jackknife(double value, double *without, size_t n)
{
	struct estimate estimate = {.value = value};
	double mean = 0, squares = 0;
	if (n < 2)
		return estimate;
	for (size_t i = 0; i < n; i++)
		mean += without[i] / (double)n;
	for (size_t i = 0; i < n; i++) {
		without[i] -= mean;
		squares += without[i] * without[i];
	}
	double common = squares > 0 ? common_part(without, n, squares) : 1;
	estimate.variance = squares * (double)(n - 1) / (double)n * common;
	/* As many blocks as would vary so much with nothing in common. */
	estimate.freedom = fmax(((double)n - 1) / common, 1);
	return estimate;
}

struct estimate estimate_share(const double *parts, const double *wholes, size_t n)
{
	double *without = mem_alloc((n + 1) * sizeof(*without));
	double part = 0, whole = 0;
	size_t used = 0;
	for (size_t i = 0; i < n; i++) {
		part += parts[i];
		whole += wholes[i];
	}
	for (size_t i = 0; i < n; i++)
		if (wholes[i] > 0 && whole > wholes[i])
			without[used++] = (part - parts[i]) / (whole - wholes[i]);
	struct estimate estimate = jackknife(whole > 0 ? part / whole : 0, without, used);
	free(without);
	return estimate;
}

struct estimate estimate_sum(const double *values, size_t n, double per)
{
	double *without = mem_alloc((n + 1) * sizeof(*without));
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += values[i] / per;
	/* N times the mean of the others */
	for (size_t i = 0; i < n; i++)
		without[i] = (sum - values[i] / per) * (double)n / (double)(n - 1);
	struct estimate estimate = jackknife(sum, without, n);
	free(without);
	return estimate;
}

/* The continued fraction of the incomplete beta function, by Lentz's method; it converges
   for X below (A + 1) / (A + B + 2). */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1);
	d = 1 / (fabs(d) < tiny ? tiny : d);
	double fraction = d;
	for (int m = 1; m <= 300; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		for (int half = 0; half < 2; half++) {
			double term = half ? odd : even;
			d = 1 + term * d;
			c = 1 + term / c;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = fabs(c) < tiny ? tiny : c;
			fraction *= d * c;
		}
		if (fabs(d * c - 1) < 1e-14)
			break;
	}
	return fraction;
}

/* The regularised incomplete beta function I_x(a, b). */
static double incomplete_beta(double x, double a, double b)
{
	if (x <= 0 || x >= 1)
		return x <= 0 ? 0 : 1;
	double front =
		exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
					 : 1 - front * beta_fraction(1 - x, b, a) / b;
}

double student_two_sided(double t, double freedom)
{
	return freedom > 0
		       ? incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5)
		       : 1;
}

double student_quantile(double chance, double freedom)
{
	double low = 0, high = 40;
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;
		if (student_two_sided(middle, freedom) > chance)
			low = middle;
		else
			high = middle;
	}
	return low;
}

struct estimate estimate_change(
	const struct estimate *before, const struct estimate *after)
{
	struct estimate change = {.value = after->value - before->value,
		.variance = before->variance + after->variance};
	/* Welch and Satterthwaite */
	double freedom = 0;
	if (before->freedom > 0)
		freedom += before->variance * before->variance / before->freedom;
	if (after->freedom > 0)
		freedom += after->variance * after->variance / after->freedom;
	if (change.variance > 0)
		change.freedom = change.variance * change.variance / freedom;
	return change;
}

/* The probability that of N coins that fall heads with P at least as unlikely a number of
   heads comes as HEADS. */
static double binomial(int heads, int n, double p)
{
	double probabilities[FEW_SAMPLES + 1], sum = 0;
	for (int k = 0; k <= n; k++)
		probabilities[k] =
			exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) +
				k * log(p) + (n - k) * log1p(-p));
	for (int k = 0; k <= n; k++)
		if (probabilities[k] <= probabilities[heads] * (1 + 1e-9))
			sum += probabilities[k];
	return sum < 1 ? sum : 1;
}

double counted_variance(const struct counted *before, const struct counted *after)
{
	const struct counted *const sides[] = {before, after};
	double part = before->part + after->part, whole = before->whole + after->whole;
	double squares = before->part_squares + after->part_squares, variance = 0;
	if (before->per > 0) /* of two counts at one rate */
		return squares / (before->per * after->per);
	if (!(part > 0) || !(before->whole > 0) || !(after->whole > 0))
		return 0;
	double sample = squares / part; /* what one sample of the row weighs */
	double share = part / whole;	/* if nothing changed */
	for (int i = 0; i < 2; i++) {
		double all = sides[i]->whole;
		variance += ((1 - 2 * share) * sample * share * all +
				    share * share * sides[i]->whole_squares) /
			    (all * all);
	}
	return variance;
}

static double divisor_of(const struct counted *counted)
{
	return counted->per > 0 ? counted->per : counted->whole;
}

double significance_by_counts(const struct counted *before, const struct counted *after)
{
	double part = before->part + after->part;
	double divisors[2] = {divisor_of(before), divisor_of(after)};
	double squares = before->part_squares + after->part_squares;
	if (!(part > 0) || !(squares > 0) || !(divisors[0] > 0) || !(divisors[1] > 0))
		return 1;
	double sample = squares / part;
	if (part / sample <= FEW_SAMPLES) {
		double expected = divisors[1] / (divisors[0] + divisors[1]);
		int n = (int)lround(part / sample);
		int heads = (int)lround(after->part / sample);
		return n ? binomial(heads < n ? heads : n, n, expected) : 1;
	}
	double variance = counted_variance(before, after);
	double change = after->part / divisors[1] - before->part / divisors[0];
	if (change == 0)
		return 1;
	return variance > 0 ? erfc(fabs(change) / sqrt(2 * variance)) : 0;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

void significance_choose(
	const double *probabilities, size_t n, double false_share, bool *chosen)
{
	double limit = -1;
	double *sorted = mem_alloc((n + 1) * sizeof(*sorted));
	memcpy(sorted, probabilities, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), compare_doubles);
	for (size_t i = 0; i < n; i++)
		if (sorted[i] <= false_share * (double)(i + 1) / (double)n)
			limit = sorted[i];
	for (size_t i = 0; i < n; i++)
		chosen[i] = probabilities[i] <= limit;
	free(sorted);
}
