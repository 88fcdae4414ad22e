/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Phases of a program: eigenvectors of a matrix by hand, how long phases are that were made,
   and what is left of a change without them. tests/unit/unit-significance has what becomes of
   whole differences. */

#include "tests/lib/unit.h"

#include "src/count/difference/eigen.h"
#include "src/count/difference/phase-length.h"
#include "src/count/difference/phases.h"

#include <math.h>
#include <string.h>

enum {
	BLOCKS = 20,
	ROWS = 12,
};

static void test_eigenvalues_by_hand(void **state)
{
	(void)state;
	/* 2 +- 1 of the first two, and 10 alone */
	double matrix[] = {2, 1, 0, 1, 2, 0, 0, 0, 10}, values[3], vectors[9];
	eigen_symmetric(matrix, 3, values, vectors);
	assert_float_equal(values[0], 10, 1e-12);
	assert_float_equal(values[1], 3, 1e-12);
	assert_float_equal(values[2], 1, 1e-12);
	assert_float_equal(fabs(vectors[2]), 1, 1e-12);
	assert_float_equal(fabs(vectors[3]), sqrt(0.5), 1e-12);
	assert_float_equal(vectors[3], vectors[4], 1e-12);
	assert_float_equal(vectors[6], -vectors[7], 1e-12);
}

/* Whatever the matrix, it is the sum of what its parts make. */
static void test_parts_make_the_matrix(void **state)
{
	(void)state;
	enum {
		N = 40
	};
	static double matrix[N * N], copy[N * N], values[N], vectors[N * N];
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j <= i; j++)
			copy[i * N + j] = copy[j * N + i] =
				sin((double)(i * 37 + j * 11));
	memcpy(matrix, copy, sizeof(matrix));
	eigen_symmetric(matrix, N, values, vectors);
	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++) {
			double sum = 0;
			for (size_t k = 0; k < N; k++)
				sum += values[k] * vectors[k * N + i] *
				       vectors[k * N + j];
			assert_float_equal(sum, copy[i * N + j], 1e-9);
		}
}

static struct phase_fit fit(const double *series, double shift)
{
	const struct phase_scale scale = {BLOCKS, {30, 30}, {6000, 6000}};
	struct phase_model *model = phase_model_create(&scale);
	struct phase_fit found = phase_model_fit(model, series, shift);
	phase_model_destroy(model);
	return found;
}

/* +-10 in turns, LENGTH blocks each: far more than what counting makes. */
static void turns(double *series, int length)
{
	for (int side = 0; side < 2; side++) {
		double mean = 0;
		for (int i = 0; i < BLOCKS; i++) {
			double value = (i + side) / length % 2 ? 10 : -10;
			series[side * BLOCKS + i] = value;
			mean += value / BLOCKS;
		}
		for (int i = 0; i < BLOCKS; i++)
			series[side * BLOCKS + i] -= mean;
	}
}

static void test_how_long_phases_are(void **state)
{
	(void)state;
	double series[2 * BLOCKS], last = INFINITY;
	for (int length = 1; length <= 8; length *= 2) {
		turns(series, length);
		struct phase_fit found = fit(series, 5);
		print_message("# phases of %d blocks: %g in a recording, shift %g\n",
			length, found.pieces, found.shift_chance);
		assert_true(found.pieces <= last);
		last = found.pieces;
	}
	turns(series, 5);
	assert_true(fit(series, 5).pieces < 8);
	assert_true(fit(series, 5).pieces > 1);
	/* what counting alone makes is no phase */
	for (int i = 0; i < 2 * BLOCKS; i++)
		series[i] = i % 2 ? 1 : -1;
	assert_true(isinf(fit(series, 1).pieces));
}

/* Long phases put two recordings far apart, short ones do not. */
static void test_what_phases_make_of_a_shift(void **state)
{
	(void)state;
	double series[2 * BLOCKS];
	turns(series, 5);
	assert_true(fit(series, 10).shift_chance > 0.1);
	turns(series, 1);
	assert_true(fit(series, 30).shift_chance < 0.02);
	assert_true(fit(series, 0).shift_chance > 0.999);
}

/* Two halves of the rows that take turns, and what they weigh on each side. */
struct program {
	double blocks[ROWS][2][BLOCKS], wholes[2][BLOCKS], values[2];
	struct phase_row rows[ROWS];
};

static void program_init(struct program *program)
{
	memset(program, 0, sizeof(*program));
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < BLOCKS; i++)
			for (int r = 0; r < ROWS; r++) {
				/* the second side is in the first phase for longer */
				bool first = i % 10 < (side ? 7 : 5);
				double value = (r % 2 == 0) == first ? 40 : 10;
				program->blocks[r][side][i] = value;
				program->rows[r].parts[side] += value;
				program->wholes[side][i] += value;
				program->values[side] += value;
			}
	for (int r = 0; r < ROWS; r++)
		for (int side = 0; side < 2; side++)
			program->rows[r].blocks[side] = program->blocks[r][side];
}

static struct phases *phases_of(const struct program *program)
{
	const struct phase_whole whole = {
		.scale = {BLOCKS, {30, 30}, {program->values[0], program->values[1]}},
		.blocks = {program->wholes[0], program->wholes[1]},
		.values = {program->values[0], program->values[1]},
	};
	return phases_create(&whole, program->rows, ROWS);
}

static void test_what_is_left_without_phases(void **state)
{
	(void)state;
	struct program program;
	program_init(&program);
	struct phases *phases = phases_of(&program);
	print_message("# %g phases in each\n", phases_pieces(phases));
	assert_true(phases_pieces(phases) < 10);
	assert_true(phases_least_chance(phases) > 0);
	for (int r = 0; r < ROWS; r++)
		assert_true(phases_chance(phases, &program.rows[r]) > 0.05);
	phases_destroy(phases);

	/* one row more that is not in step: it had 1 %, and now it has 4 % */
	program_init(&program);
	for (int side = 0; side < 2; side++)
		for (int i = 0; i < BLOCKS; i++) {
			double more = side ? 10 : 2.5;
			program.blocks[0][side][i] += more;
			program.rows[0].parts[side] += more;
			program.wholes[side][i] += more;
			program.values[side] += more;
		}
	phases = phases_of(&program);
	assert_true(phases_chance(phases, &program.rows[0]) < 0.001);
	for (int r = 1; r < ROWS; r++)
		assert_true(phases_chance(phases, &program.rows[r]) > 0.01);
	phases_destroy(phases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_eigenvalues_by_hand),
		cmocka_unit_test(test_parts_make_the_matrix),
		cmocka_unit_test(test_how_long_phases_are),
		cmocka_unit_test(test_what_phases_make_of_a_shift),
		cmocka_unit_test(test_what_is_left_without_phases),
	};
	return unit_run(tests);
}
