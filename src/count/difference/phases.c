/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/difference/phases.h"

#include "src/base/mem.h"
#include "src/count/difference/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	COMPONENTS_MAX = 8,
	COMPONENTS_OF_PHASES = 4, /* most programs have fewer */
	ROWS_FOR_EACH = 6,	  /* more components would take out what is a row's own */
};

/* A component counts from this part of the largest eigenvalue that chance makes. Taking
   out one that is chance costs nearly nothing; one that is missed is a false change. */
#define EDGE_PART 0.85

#define CHANCE_PART \
	0.77 /* simulated: 0.73 to 0.79 for 20 to 60 rows, 0.69 for 10, 0.88 for 200 */

/* Phases alone do not put two recordings so far apart. */
#define SHIFT_FALSE_SHARE 0.02

struct component {
	double *course; /* over the blocks of both sides; of length 1 */
	double size;	/* the eigenvalue */
	double shift;	/* how far apart the two sides are, in units of counting */
	bool taken_out;
};

struct phases {
	struct phase_whole whole;
	struct component components[COMPONENTS_MAX];
	size_t n_components;
	double pieces;
};

/* The value that shares of side SIDE are of. */
static double scale_of(const struct phase_whole *whole, int side)
{
	return whole->absolute ? (whole->values[0] + whole->values[1]) / 2
			       : whole->values[side];
}

/* How many samples such a value is. */
static double samples_of(const struct phase_whole *whole, int side)
{
	return whole->scale.samples[side] * scale_of(whole, side) / whole->values[side];
}

/* The variance that one sample has in a row, of both sides together; half a sample is added,
   so that it is not 0. */
static double unit_of(const struct phase_whole *whole, const struct phase_row *row)
{
	double share = 0, samples = 0;
	for (int side = 0; side < 2; side++) {
		double here = samples_of(whole, side);
		share += row->parts[side] / scale_of(whole, side) * here;
		samples += here;
	}
	share = fmin((share + 0.5) / (samples + 1), 1 - 0.5 / (samples + 1));
	return whole->absolute ? share : share * (1 - share);
}

/* A block in which less ran than this part of the mean says next to nothing. */
#define LEAST_OF_BLOCK 0.05

/* COURSE: how far the row is from its mean in each block, in units of counting, of which a block
   has the more the more ran in it: else a block in which others left us the CPU would look like
   a phase. */
static void course_of(
	const struct phase_whole *whole, const struct phase_row *row, double *course)
{
	size_t n = whole->scale.n_blocks;
	double unit = unit_of(whole, row);
	for (int side = 0; side < 2; side++) {
		double block = scale_of(whole, side) / (double)n;
		double deviation = sqrt(unit * (double)n / samples_of(whole, side));
		double share = row->parts[side] / scale_of(whole, side);
		for (size_t i = 0; i < n; i++) {
			double all = whole->absolute ? block : whole->blocks[side][i];
			double error =
				sqrt(fmax(all / block, LEAST_OF_BLOCK)) * deviation;
			*course++ = (row->blocks[side][i] - share * all) / block / error;
		}
	}
}

static double change_in_units(
	const struct phase_whole *whole, const struct phase_row *row)
{
	double change =
		row->parts[1] / scale_of(whole, 1) - row->parts[0] / scale_of(whole, 0);
	return change / sqrt(unit_of(whole, row) *
				(1 / samples_of(whole, 0) + 1 / samples_of(whole, 1)));
}

static double product(const double *x, const double *y, size_t n)
{
	double sum = 0;
	for (size_t i = 0; i < n; i++)
		sum += x[i] * y[i];
	return sum;
}

/* A row with less than a sample in a block on average is too uneven to be tested so. */
static bool is_steady(const struct phase_whole *whole, const struct phase_row *row)
{
	double samples = 0;
	for (int side = 0; side < 2; side++)
		samples += row->parts[side] / scale_of(whole, side) *
			   samples_of(whole, side);
	return samples >= 2 * (double)whole->scale.n_blocks;
}

/* What one component is of: its weights on the rows, as a series over the blocks, and the
   sides' distance. COURSES has those of N rows, in rows of WIDTH. */
static void fit_component(struct phases *phases, struct component *component,
	const struct phase_model *model, const double *courses, const double *changes,
	size_t n)
{
	size_t width = 2 * phases->whole.scale.n_blocks;
	double *series = mem_zalloc(width * sizeof(*series));
	component->shift = 0;
	for (size_t i = 0; i < n; i++) {
		const double *course = courses + i * width;
		double weight =
			product(course, component->course, width) / sqrt(component->size);
		for (size_t k = 0; k < width; k++)
			series[k] += weight * course[k];
		component->shift += weight * changes[i];
	}
	struct phase_fit fit = phase_model_fit(model, series, component->shift);
	component->taken_out = fit.shift_chance >= SHIFT_FALSE_SHARE;
	phases->pieces = fmin(phases->pieces, fit.pieces);
	free(series);
}

/* How much more the courses vary than counting makes them, apart from what a few components
   explain: 1 or more. Those few have this part of EDGE each where all is chance. */
static double noise_of(const double *values, size_t width, size_t n, double edge)
{
	double left = 0, expected = (double)n * (double)(width - 2);
	for (size_t j = COMPONENTS_OF_PHASES; j < width; j++)
		left += values[j];
	expected -= COMPONENTS_OF_PHASES * CHANCE_PART * edge;
	return expected > 0 ? fmax(left / expected, 1) : 1;
}

/* The components of N courses. */
static void find_components(struct phases *phases, const double *courses, size_t n)
{
	size_t width = 2 * phases->whole.scale.n_blocks;
	double *products = mem_zalloc(width * width * sizeof(double));
	double *vectors = mem_alloc(width * width * sizeof(double));
	double *values = mem_alloc(width * sizeof(double));
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < width; k++)
			for (size_t l = 0; l < width; l++)
				products[k * width + l] +=
					courses[i * width + k] * courses[i * width + l];
	eigen_symmetric(products, width, values, vectors);
	double edge = pow(sqrt((double)n) + sqrt((double)(width - 2)), 2);
	edge *= noise_of(values, width, n, edge);
	for (size_t j = 0; j < COMPONENTS_MAX && j < width; j++) {
		bool is_few = j < n / ROWS_FOR_EACH;
		if (values[j] < edge * (is_few ? EDGE_PART : 1))
			break;
		struct component *component = &phases->components[phases->n_components++];
		component->size = values[j];
		component->course = mem_alloc(width * sizeof(double));
		memcpy(component->course, vectors + j * width, width * sizeof(double));
	}
	free(products);
	free(vectors);
	free(values);
}

struct phases *phases_create(
	const struct phase_whole *whole, const struct phase_row *rows, size_t n)
{
	struct phases *phases = mem_zalloc(sizeof(*phases));
	size_t width = 2 * whole->scale.n_blocks, used = 0;
	double *courses = mem_alloc((n + 1) * width * sizeof(double));
	double *changes = mem_alloc((n + 1) * sizeof(double));
	phases->whole = *whole;
	phases->pieces = INFINITY;
	for (size_t i = 0; i < n; i++)
		if (is_steady(whole, &rows[i])) {
			course_of(whole, &rows[i], courses + used * width);
			changes[used++] = change_in_units(whole, &rows[i]);
		}
	find_components(phases, courses, used);
	struct phase_model *model =
		phases->n_components ? phase_model_create(&whole->scale) : NULL;
	for (size_t j = 0; j < phases->n_components; j++)
		fit_component(
			phases, &phases->components[j], model, courses, changes, used);
	phase_model_destroy(model);
	free(courses);
	free(changes);
	return phases;
}

void phases_destroy(struct phases *phases)
{
	if (!phases)
		return;
	for (size_t j = 0; j < phases->n_components; j++)
		free(phases->components[j].course);
	free(phases);
}

/* The weight of a component in a row is itself known only to 1 in the root of its size,
   which counts as often as the component has shifted. */
double phases_chance(const struct phases *phases, const struct phase_row *row)
{
	const struct phase_whole *whole = &phases->whole;
	size_t width = 2 * whole->scale.n_blocks;
	double *course = mem_alloc(width * sizeof(*course));
	double change = change_in_units(whole, row), variance = 1;
	course_of(whole, row, course);
	for (size_t j = 0; j < phases->n_components; j++) {
		const struct component *component = &phases->components[j];
		if (!component->taken_out)
			continue;
		double weight =
			product(course, component->course, width) / sqrt(component->size);
		change -= weight * component->shift;
		variance += component->shift * component->shift / component->size;
	}
	free(course);
	return erfc(fabs(change) / sqrt(2 * variance));
}

double phases_pieces(const struct phases *phases)
{
	return phases->pieces;
}

double phases_least_chance(const struct phases *phases)
{
	double n = phases->pieces;
	return isinf(n) ? 0 : exp(2 * lgamma(n + 1) - lgamma(2 * n + 1));
}
