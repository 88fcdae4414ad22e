/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is called more than noise: tables of statistics, and a simulated program whose phases
   would be taken for changes by a test that only counts samples. */

#include "tests/lib/phased.h"
#include "tests/lib/unit.h"

#include "src/difference/difference.h"
#include "src/difference/significance.h"

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
	const struct counted before = {x, whole_x, x, whole_x},
			     after = {y, whole_y, y, whole_y};
	return significance_by_counts(&before, &after, absolute);
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
	const struct counted before = {100, 1000, 1000, 10000},
			     after = {150, 1000, 1500, 10000};
	assert_true(significance_by_counts(&before, &after, false) > 0.2);
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
	assert_float_equal(significance_by_blocks(&share, &share), 1, 0);
	/* absolute sums: n times the mean */
	struct estimate sum = estimate_sum(wholes, 16);
	assert_float_equal(sum.value, 1600, 1e-9);
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

static struct phased_found compare_runs(uint64_t seed, double phase_s,
	double before_share, double after_share, bool times)
{
	struct phased phased = {
		.phase_s = phase_s,
		.contrast = 4,
		.hz = 198, /* two CPUs at 99 */
		.no_times = !times,
		.random = seed,
	};
	phased_init(&phased);
	struct phased_found found =
		phased_compare(&phased, RUNS, before_share, after_share);
	print_message("# %g s: %u of %d screens, %u undecided, f0 on %u\n", phase_s,
		found.screens, RUNS, found.undecided, found.f0);
	phased_finish(&phased);
	return found;
}

static void test_the_same_program_twice_is_the_same(void **state)
{
	(void)state;
	/* from phases of a hundredth of the recording to a third of it */
	static const struct {
		uint64_t seed;
		double phase_s;
	} programs[] = {{88172645463325252u, 0.3}, {1234567890123u, 1},
		{987654321987u, 3}, {564738291u, 9}};
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

/* What is said to be hidden is what is found nine times of ten; half of it is not. */
static void test_the_least_change_is_found_nine_times_of_ten(void **state)
{
	(void)state;
	/* 7600 samples: z of 0.05 is 1.96, that of a tenth that is missed 1.28 */
	double samples[2] = {7600, 7600};
	double least = significance_least_change(0.2, samples, 0, 0.05);
	assert_float_equal(least, 3.242 * sqrt((0.16 + 0.1716) / 7600), 1e-3);
	struct phased phased = {
		.phase_s = 0.001, .contrast = 4, .hz = 99, .random = 66666666666u};
	phased_init(&phased);
	struct report *before = phased_record(&phased, DIFFERENCE_FEW);
	struct report *after = phased_record(&phased, DIFFERENCE_FEW);
	struct report *both = difference_build(before, after, NORMALIZE_CPU, false);
	least = both->difference->hidden_of_few;
	assert_true(least > 0.01 && both->difference->hidden_of_half > 1.9 * least);
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
		cmocka_unit_test(test_blocks_vary),
		cmocka_unit_test(test_many_rows_need_more),
		cmocka_unit_test(test_the_same_program_twice_is_the_same),
		cmocka_unit_test(test_counting_mistakes_phases_for_changes),
		cmocka_unit_test(test_two_points_more_are_found),
		cmocka_unit_test(test_the_least_change_is_found_nine_times_of_ten),
	};
	return unit_run(tests);
}
