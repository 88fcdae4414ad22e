/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/difference/phase-length.h"

#include "src/base/mem.h"

#include <math.h>
#include <stdlib.h>

enum {
	LENGTHS = 16,	/* of the grid, from a tenth of a block to four recordings */
	STRENGTHS = 16, /* of the grid, from none to 3000 times what counting makes */
	PAIRS = LENGTHS * STRENGTHS,
};

/* One length of the grid. */
struct phase_step {
	double length;	      /* in units of the shorter recording */
	double *variances[2]; /* of the numbers of the transformed series */
};

struct phase_model {
	struct phase_scale scale;
	double *cosines; /* row k: what is multiplied with the blocks */
	struct phase_step steps[LENGTHS];
	double strengths[STRENGTHS];
};

/* What the means over two blocks have in common that are DISTANCE blocks apart, if a block
   is BLOCK times as long as the time in which it falls to 1/e. */
static double common(double block, size_t distance)
{
	if (distance == 0)
		return 2 / block * (1 - (1 - exp(-block)) / block);
	/* As 4 sinh(block / 2)^2 exp(-distance * block), which overflows for long blocks. */
	return pow((1 - exp(-block)) / block, 2) * exp(-(double)(distance - 1) * block);
}

static double *transformed_variances(const struct phase_model *model, double block)
{
	size_t n = model->scale.n_blocks;
	double *variances = mem_zalloc(n * sizeof(*variances));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			double both = common(block, i > j ? i - j : j - i);
			for (size_t k = 0; k < n; k++)
				variances[k] += both * model->cosines[k * n + i] *
						model->cosines[k * n + j];
		}
	return variances;
}

struct phase_model *phase_model_create(const struct phase_scale *scale)
{
	const double pi = acos(-1);
	size_t n = scale->n_blocks;
	double shorter = fmin(scale->lengths[0], scale->lengths[1]);
	struct phase_model *model = mem_zalloc(sizeof(*model));
	model->scale = *scale;
	model->cosines = mem_alloc(n * n * sizeof(double));
	for (size_t k = 0; k < n; k++)
		for (size_t i = 0; i < n; i++)
			model->cosines[k * n + i] =
				k ? sqrt(2.0 / (double)n) *
						cos(pi * (double)k * ((double)i + 0.5) /
							(double)n)
				  : 1 / sqrt((double)n);
	for (int g = 0; g < LENGTHS; g++) {
		struct phase_step *step = &model->steps[g];
		double shortest = 0.1 / (double)n;
		step->length = shortest * pow(4 / shortest, g / (LENGTHS - 1.0));
		for (int side = 0; side < 2; side++)
			step->variances[side] = transformed_variances(
				model, scale->lengths[side] / shorter / (double)n /
					       step->length);
	}
	for (int j = 1; j < STRENGTHS; j++)
		model->strengths[j] = 0.03 * pow(1e5, (j - 1) / (STRENGTHS - 2.0));
	return model;
}

void phase_model_destroy(struct phase_model *model)
{
	if (!model)
		return;
	for (int g = 0; g < LENGTHS; g++)
		for (int side = 0; side < 2; side++)
			free(model->steps[g].variances[side]);
	free(model->cosines);
	free(model);
}

/* A recording with more samples in a block shows the same phases more strongly. */
static double strength_on(const struct phase_model *model, double strength, int side)
{
	const double *samples = model->scale.samples;
	return strength * 2 * samples[side] / (samples[0] + samples[1]);
}

static double log_likelihood(const struct phase_model *model,
	const struct phase_step *step, double strength, double *const transformed[2])
{
	double sum = 0;
	for (int side = 0; side < 2; side++) {
		double here = strength_on(model, strength, side);
		for (size_t k = 1; k < model->scale.n_blocks; k++) {
			double variance = 1 + here * step->variances[side][k];
			double value = transformed[side][k];
			sum -= 0.5 * (log(variance) + value * value / variance);
		}
	}
	return sum;
}

/* The variance of the shift beyond that of counting, which is 1. */
static double shift_excess(
	const struct phase_model *model, const struct phase_step *step, double strength)
{
	const double *samples = model->scale.samples;
	double counting = 1 / samples[0] + 1 / samples[1];
	double mean = (samples[0] + samples[1]) / 2;
	return strength * (step->variances[0][0] + step->variances[1][0]) / mean /
	       counting;
}

struct grid_pair {
	double weight, excess, pieces;
};

static int more_pieces(const void *a, const void *b)
{
	const struct grid_pair *x = a, *y = b;
	return (x->pieces < y->pieces) - (x->pieces > y->pieces);
}

/* The weights add up to 1. */
static void weigh(struct grid_pair *pairs)
{
	double largest = -INFINITY, sum = 0;
	for (int i = 0; i < PAIRS; i++)
		largest = fmax(largest, pairs[i].weight);
	for (int i = 0; i < PAIRS; i++) {
		pairs[i].weight = exp(pairs[i].weight - largest);
		sum += pairs[i].weight;
	}
	for (int i = 0; i < PAIRS; i++)
		pairs[i].weight /= sum;
}

struct phase_fit phase_model_fit(
	const struct phase_model *model, const double *series, double shift)
{
	size_t n = model->scale.n_blocks;
	double *transformed[2];
	struct grid_pair pairs[PAIRS];
	for (int side = 0; side < 2; side++) {
		const double *blocks = series + (side ? n : 0);
		transformed[side] = mem_zalloc(n * sizeof(double));
		for (size_t k = 0; k < n; k++)
			for (size_t i = 0; i < n; i++)
				transformed[side][k] +=
					model->cosines[k * n + i] * blocks[i];
	}
	for (int i = 0; i < PAIRS; i++) {
		const struct phase_step *step = &model->steps[i / STRENGTHS];
		double strength = model->strengths[i % STRENGTHS];
		double excess = shift_excess(model, step, strength);
		pairs[i] = (struct grid_pair){
			.weight = log_likelihood(model, step, strength, transformed),
			.excess = excess,
			/* A phase lasts twice as long as what it has in common with
			   the next moment, as there are two ends to it. */
			.pieces = excess < 1 ? INFINITY : fmax(1, 1 / (2 * step->length)),
		};
	}
	weigh(pairs);
	struct phase_fit fit = {.pieces = INFINITY};
	for (int i = 0; i < PAIRS; i++)
		fit.shift_chance += pairs[i].weight *
				    erfc(fabs(shift) / sqrt(2 * (1 + pairs[i].excess)));
	qsort(pairs, PAIRS, sizeof(pairs[0]), more_pieces);
	double passed = 0;
	for (int i = 0; i < PAIRS && passed < 0.5; i++) {
		passed += pairs[i].weight;
		fit.pieces = pairs[i].pieces;
	}
	free(transformed[0]);
	free(transformed[1]);
	return fit;
}
