/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is called more than noise: tables of statistics, and a simulated program whose phases
   would be taken for changes by a test that only counts samples. */

#include "tests/lib/phased.h"
#include "tests/lib/unit.h"

#include "src/count/difference/difference.h"
#include "src/count/difference/significance.h"
#include "src/count/difference/spread.h"

#include <math.h>

/* --- tables ---------------------------------------------------------------------------- */

static void test_student_as_in_tables(void **state)
{
	(void)state;
	static const struct {
		double t, freedom, chance;
	} rows[] = {{12.706, 1, 0.05}, {2.042, 30, 0.05}, {2.750, 30, 0.01},
		{3.646, 30, 0.001}, {1.960, 1e6, 0.05}, {0, 5, 1}};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double chance = student_two_sided(rows[i].t, rows[i].freedom);
		assert_float_equal(chance, rows[i].chance, rows[i].chance * 0.002);
		assert_float_equal(
			chance, student_two_sided(-rows[i].t, rows[i].freedom), 1e-12);
	}
}

static double by_counts(double x, double y, double whole_x, double whole_y, bool absolute)
{
	const struct counted before = {x, whole_x, x, whole_x, absolute},
			     after = {y, whole_y, y, whole_y, absolute};
	return significance_by_counts(&before, &after);
}

static void test_counts_as_coins_fall(void **state)
{
	(void)state;
	/* all ten on one side of a fair coin */
	assert_float_equal(by_counts(0, 10, 100, 100, false), 2.0 / 1024, 1e-9);
	assert_float_equal(by_counts(10, 0, 100, 100, true), 2.0 / 1024, 1e-9);
	/* a side three times as long has three times the samples */
	assert_float_equal(by_counts(5, 15, 100, 300, false), 1, 1e-9);
	assert_true(by_counts(5, 15, 100, 300, true) < 0.05);
	/* two proportions, 100 and 150 of 1000: z = 3.381 */
	assert_float_equal(by_counts(100, 150, 1000, 1000, false), 0.00072, 0.00001);
	assert_float_equal(by_counts(100, 100, 1000, 1000, false), 1, 0);
	/* everything on both sides is no change */
	assert_float_equal(by_counts(1000, 3000, 1000, 3000, false), 1, 0);
	assert_float_equal(by_counts(0, 0, 1000, 1000, false), 1, 0);
	assert_float_equal(by_counts(0, 10, 0, 100, false), 1, 0);
}

/* Samples that weigh more say less: the same CPU time in a tenth of the samples. */
static void test_heavy_samples_count_as_few(void **state)
{
	(void)state;
	const struct counted before = {100, 1000, 1000, 10000, 0},
			     after = {150, 1000, 1500, 10000, 0};
	assert_true(significance_by_counts(&before, &after) > 0.2);
}

/* Twice the time and twice the parts are one rate, whatever the wholes are. */
static void test_rates(void **state)
{
	(void)state;
	const struct counted before = {200, 1000, 200, 1000, 2},
			     same = {100, 9000, 100, 9000, 1},
			     more = {150, 9000, 150, 9000, 1}, none = {0, 0, 0, 0, 1};
	assert_float_equal(significance_by_counts(&before, &same), 1, 0);
	/* 100 +- 7.6 and 150 +- 10.8, at one rate of 350 in 3: z = 3.78 */
	assert_float_equal(significance_by_counts(&before, &more), 0.000157, 0.000002);
	assert_true(significance_by_counts(&before, &none) < 1e-9);
}

static void test_blocks_vary(void **state)
{
	(void)state;
	double parts[16], wholes[16];
	for (int i = 0; i < 16; i++) {
		parts[i] = i % 2 ? 10 : 30;
		wholes[i] = 100;
	}
	struct estimate share = estimate_share(parts, wholes, 16);
	assert_float_equal(share.value, 0.2, 1e-12);
	/* neighbours that alternate have nothing positive in common: s^2 / n */
	assert_float_equal(share.variance, 0.16 / 15 / 16, 1e-4);
	assert_float_equal(share.freedom, 15, 1e-9);
	/* the same in long phases: fewer independent blocks, a larger variance */
	for (int i = 0; i < 16; i++)
		parts[i] = i < 8 ? 10 : 30;
	struct estimate phased = estimate_share(parts, wholes, 16);
	assert_true(phased.variance > 2 * share.variance);
	assert_true(phased.freedom < 8);
	struct estimate change = estimate_change(&share, &share);
	assert_float_equal(change.value, 0, 0);
	assert_float_equal(change.variance, 2 * share.variance, 1e-12);
	assert_float_equal(change.freedom, 30, 1e-9);
	/* sums: n times the mean */
	struct estimate sum = estimate_sum(wholes, 16, 2);
	assert_float_equal(sum.value, 800, 1e-9);
	assert_float_equal(sum.variance, 0, 1e-9);
}

static void test_many_rows_need_more(void **state)
{
	(void)state;
	const double chances[] = {0.04, 0.001, 0.03, 0.9, 0.019};
	bool chosen[5];
	significance_choose(chances, 5, 0.05, chosen);
	assert_true(chosen[1] && chosen[4]); /* 0.019 <= 0.05 * 2 / 5 */
	assert_true(chosen[2]);		     /* 0.03 <= 0.05 * 3 / 5 */
	assert_true(chosen[0] && !chosen[3]);
	const double alone[] = {0.04, 0.5, 0.6, 0.7, 0.8};
	significance_choose(alone, 5, 0.05, chosen);
	for (int i = 0; i < 5; i++)
		assert_false(chosen[i]);
}

/* --- a program with phases ------------------------------------------------------------- */

enum {
	RUNS = 100
};

static struct phased_found compare_phased(
	struct phased phased, double before_share, double after_share)
{
	phased_init(&phased);
	struct phased_found found =
		phased_compare(&phased, RUNS, before_share, after_share);
	print_message("# %g s: %u of %d screens, f0 on %u\n", phased.phase_s,
		found.screens, RUNS, found.f0);
	phased_finish(&phased);
	return found;
}

static struct phased_found compare_runs(uint64_t seed, double phase_s,
	double before_share, double after_share, bool times)
{
	return compare_phased(
		(struct phased){
			.phase_s = phase_s,
			.contrast = 4,
			.hz = 198, /* two CPUs at 99 */
			.no_times = !times,
			.random = seed,
		},
		before_share, after_share);
}

static void test_the_same_program_twice_is_the_same(void **state)
{
	(void)state;
	/* phases of a hundredth and of a thirtieth of the recording */
	static const struct {
		uint64_t seed;
		double phase_s;
	} programs[] = {{88172645463325252u, 0.3}, {1234567890123u, 1}};
	for (size_t i = 0; i < sizeof(programs) / sizeof(programs[0]); i++)
		assert_in_range(
			compare_runs(programs[i].seed, programs[i].phase_s, 0, 0, true)
				.screens,
			0, RUNS * 5 / 100);
}

/* Without phases counting is enough; with them it is not, which is why there are blocks. */
static void test_counting_mistakes_phases_for_changes(void **state)
{
	(void)state;
	assert_in_range(
		compare_runs(55555555u, 0.001, 0, 0, false).screens, 0, RUNS * 8 / 100);
	assert_in_range(compare_runs(1234567890123u, 1, 0, 0, false).screens,
		RUNS * 20 / 100, RUNS);
}

static void test_two_points_more_are_found(void **state)
{
	(void)state;
	assert_in_range(
		compare_runs(424242424242u, 1, 0, 0.02, true).f0, RUNS * 90 / 100, RUNS);
	assert_in_range(compare_runs(31415926535u, 1, 0.02, 0.04, true).f0,
		RUNS * 90 / 100, RUNS);
	assert_in_range(compare_runs(27182818284u, 0.3, 0.05, 0.03, true).f0,
		RUNS * 90 / 100, RUNS);
}

/* Threads that wait for a CPU have samples at distances that chance makes, and each weighs the
   time since the one before. Were that left as it is, they would be worth half as many. */
static void test_two_points_more_are_found_where_samples_weigh_by_chance(void **state)
{
	(void)state;
	struct phased phased = {.phase_s = 0.001,
		.contrast = 4,
		.hz = 99,
		.by_lot = true,
		.random = 66666666666u};
	assert_in_range(compare_phased(phased, 0.01, 0.03).f0, RUNS * 90 / 100, RUNS);
	assert_in_range(compare_phased(phased, 0.01, 0.01).screens, 0, RUNS * 5 / 100);
	phased.hz = 299;
	assert_in_range(compare_phased(phased, 0.05, 0.07).f0, RUNS * 90 / 100, RUNS);
	phased.phase_s = 1;
	assert_in_range(compare_phased(phased, 0.05, 0.05).screens, 0, RUNS * 5 / 100);
}

/* --- how rows vary --------------------------------------------------------------------- */

static void test_rows_that_vary_alike_say_so_of_each(void **state)
{
	(void)state;
	/* quantiles of chi squared with 20 degrees of freedom: what alike rows look like */
	static const double alike[] = {0.54, 0.62, 0.69, 0.75, 0.81, 0.87, 0.94, 1.0,
		1.07, 1.15, 1.25, 1.4, 1.6};
	enum {
		ROWS = sizeof(alike) / sizeof(alike[0])
	};
	struct spread_row rows[ROWS];
	for (int i = 0; i < ROWS; i++)
		rows[i] = (struct spread_row){1, alike[i], 20};
	struct spread spread = spread_of(rows, ROWS);
	assert_true(spread.freedom > 100 && spread.ratio < 1.05);
	/* each is tested as if its variance were known: 2.5758 of it is 1 in 100 */
	struct spread_row row = {1, 1.6, 20};
	assert_true(spread_chance(&spread, &row, 2.5758) < 0.02);
	assert_float_equal(spread_chance(&spread, &row, 0), 1, 0);
	/* rows that have nothing in common are left with their own blocks */
	for (int i = 0; i < ROWS; i++)
		rows[i].by_blocks = pow(2, i - ROWS / 2);
	spread = spread_of(rows, ROWS);
	assert_true(spread.freedom < 4);
	row.by_blocks = 16;
	assert_true(spread_chance(&spread, &row, 2.5758) > 0.4);
	/* all of them vary twice as much as by counting */
	for (int i = 0; i < ROWS; i++)
		rows[i].by_blocks = 2 * alike[i];
	spread = spread_of(rows, ROWS);
	assert_true(spread.ratio > 1.8 && spread.ratio < 2.2);
	/* too few rows say nothing; nor do those without blocks */
	assert_float_equal(spread_of(rows, 3).freedom, 0, 0);
	rows[0].by_blocks = 0;
	assert_float_equal(spread_of(rows, 1).freedom, 0, 0);
	row = (struct spread_row){0, 0, 0};
	assert_float_equal(spread_chance(&spread, &row, 1), 0, 0);
}

/* What is said to be hidden is what is found nine times of ten; half of it is not. */
static void test_the_least_change_is_found_nine_times_of_ten(void **state)
{
	(void)state;
	/* 7600 samples: z of 0.05 is 1.96, that of a tenth that is missed 1.28 */
	struct sensitivity sensitivity = {
		.samples = {7600, 7600}, .chance = 0.05, .spread = {1, 0}};
	double least = spread_least_change(&sensitivity, 0.2);
	assert_float_equal(least, 3.242 * sqrt((0.16 + 0.1716) / 7600), 1e-3);
	/* half of a change takes four times the samples, about */
	double times = spread_samples_needed(&sensitivity, 0.2, least / 2);
	assert_true(times > 3.7 && times < 4.3);
	assert_float_equal(spread_samples_needed(&sensitivity, 0.2, least), 1, 0);
	struct phased phased = {
		.phase_s = 0.001, .contrast = 4, .hz = 99, .random = 66666666666u};
	phased_init(&phased);
	struct report *before = phased_record(&phased, DIFFERENCE_FEW);
	struct report *after = phased_record(&phased, DIFFERENCE_FEW);
	struct report *both = difference_build(before, after, NORMALIZE_CPU, false);
	least = both->difference->hidden_of_few;
	assert_true(least > 0.01 && both->difference->hidden_of_half > 1.9 * least);
	assert_true(both->difference->needed_of_few.times > 1 &&
		    both->difference->needed_of_half.times >
			    3 * both->difference->needed_of_few.times);
	report_destroy(before);
	report_destroy(after);
	report_destroy(both);
	struct phased_found found =
		phased_compare(&phased, RUNS, DIFFERENCE_FEW, DIFFERENCE_FEW + least);
	print_message("# %.2f points: %u of %d\n", 100 * least, found.f0, RUNS);
	assert_in_range(found.f0, RUNS * 85 / 100, RUNS);
	found = phased_compare(&phased, RUNS, DIFFERENCE_FEW, DIFFERENCE_FEW + least / 2);
	assert_in_range(found.f0, 0, RUNS * 60 / 100);
	phased_finish(&phased);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_student_as_in_tables),
		cmocka_unit_test(test_counts_as_coins_fall),
		cmocka_unit_test(test_heavy_samples_count_as_few),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_blocks_vary),
		cmocka_unit_test(test_many_rows_need_more),
		cmocka_unit_test(test_the_same_program_twice_is_the_same),
		cmocka_unit_test(test_counting_mistakes_phases_for_changes),
		cmocka_unit_test(test_two_points_more_are_found),
		cmocka_unit_test(
			test_two_points_more_are_found_where_samples_weigh_by_chance),
		cmocka_unit_test(test_rows_that_vary_alike_say_so_of_each),
		cmocka_unit_test(test_the_least_change_is_found_nine_times_of_ten),
	};
	return unit_run(tests);
}
