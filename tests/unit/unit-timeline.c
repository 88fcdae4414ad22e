/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All that is kept in cells of 20 ms: what is in which cell, and when sampling was
   strained. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/facts/snapshot.h"
#include "src/keep/timeline.h"
#include "tests/lib/fixture.h"

#include <string.h>

static bool counts_all(void *context, const struct sample *sample)
{
	(void)context;
	(void)sample;
	return true;
}

static bool counts_thread_1(void *context, const struct sample *sample)
{
	(void)context;
	return sample->thread == 1;
}

static void add(
	struct sample_log *log, uint64_t time_ns, uint64_t cpu_ns, uint32_t thread)
{
	const struct sample sample = {
		.time_ns = time_ns, .cpu_ns = cpu_ns, .thread = thread, .count = 1};
	sample_log_add(log, &sample);
}

static void test_weights_are_spread_backwards(void **state)
{
	(void)state;
	struct sample_log log = {0};
	uint64_t start_ns = 100 * NS_PER_SEC + 7;
	add(&log, start_ns + 25 * NS_PER_MS, 10 * NS_PER_MS, 1);
	add(&log, start_ns + 90 * NS_PER_MS, 40 * NS_PER_MS, 2);
	const struct timeline_input input = {
		.start_ns = start_ns,
		.end_ns = start_ns + NS_PER_SEC,
		.samples = &log,
		.is_time = true,
		.counts = counts_all,
	};
	struct timeline *timeline = timeline_build(&input);
	assert_int_equal(timeline->cell_ns, TIMELINE_CELL_NS);
	assert_int_equal(timeline->first_ns, 100 * NS_PER_SEC);
	assert_int_equal(timeline->n_cells, 51);
	const struct timeline_cell *cells = timeline->cells;
	/* The first sample's 10 ms end 5 ms into cell 1, the other's 40 ms 10 ms into cell
	   4; each sample is in the cell of its own time. */
	assert_in_range(cells[0].value, 5 * NS_PER_MS - 10, 5 * NS_PER_MS);
	assert_in_range(cells[1].value, 5 * NS_PER_MS, 5 * NS_PER_MS + 10);
	assert_in_range(cells[2].value, 10 * NS_PER_MS - 10, 10 * NS_PER_MS);
	assert_int_equal(cells[3].value, 20 * NS_PER_MS);
	assert_in_range(cells[4].value, 10 * NS_PER_MS, 10 * NS_PER_MS + 10);
	assert_int_equal(cells[1].samples, 1);
	assert_int_equal(cells[4].samples, 1);
	struct timeline_cell sum = timeline_sum(timeline, 0, UINT64_MAX);
	assert_int_equal(sum.value, 50 * NS_PER_MS);
	assert_int_equal(sum.samples, 2);
	assert_false(timeline->is_part);
	assert_false(timeline->is_charged);
	timeline_destroy(timeline);
	sample_log_finish(&log);
}

/* Bytes are where they were allocated; and a weight may be anything. */
static void test_what_is_no_time_is_not_spread(void **state)
{
	(void)state;
	struct sample_log log = {0};
	add(&log, 5 * NS_PER_SEC, UINT64_C(1) << 62, 1);
	struct timeline_input input = {
		.start_ns = 1,
		.end_ns = 10 * NS_PER_SEC,
		.samples = &log,
		.counts = counts_all,
	};
	struct timeline *timeline = timeline_build(&input);
	assert_int_equal(timeline->cells[250].value, UINT64_C(1) << 62);
	timeline_destroy(timeline);
	input.is_time = true;
	timeline = timeline_build(&input);
	assert_int_equal(timeline_sum(timeline, 0, UINT64_MAX).value, UINT64_C(1) << 62);
	assert_int_equal(timeline->cells[150].value, 0);
	timeline_destroy(timeline);
	sample_log_finish(&log);
}

static void test_only_what_is_counted(void **state)
{
	(void)state;
	struct sample_log log = {0};
	add(&log, 100, 10, 1);
	add(&log, 200, 20, 2);
	struct sample blocked = {.time_ns = 300,
		.cpu_ns = 40,
		.thread = 1,
		.count = 1,
		.state = THREAD_BLOCKED};
	sample_log_add(&log, &blocked);
	const struct timeline_input input = {
		.start_ns = 1,
		.end_ns = NS_PER_SEC,
		.samples = &log,
		.counts = counts_thread_1,
	};
	struct timeline *timeline = timeline_build(&input);
	assert_int_equal(timeline_sum(timeline, 0, UINT64_MAX).value, 10);
	assert_true(timeline->is_part);
	timeline_destroy(timeline);
	sample_log_finish(&log);
}

static void test_marks_fill_the_cells_between_them(void **state)
{
	(void)state;
	struct sample_log log = {0};
	const struct cpu_mark marks[] = {{10 * NS_PER_SEC, 0},
		{10 * NS_PER_SEC + 100 * NS_PER_MS, 200 * NS_PER_MS}};
	const struct timeline_input input = {
		.start_ns = 10 * NS_PER_SEC,
		.end_ns = 11 * NS_PER_SEC,
		.samples = &log,
		.counts = counts_all,
		.marks = marks,
		.n_marks = 2,
	};
	struct timeline *timeline = timeline_build(&input);
	assert_true(timeline->is_charged);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(timeline->cells[i].charged_ns, 40 * NS_PER_MS);
	assert_int_equal(timeline->cells[5].charged_ns, 0);
	timeline_destroy(timeline);
}

/* However long: the cells become longer, and columns with them. */
static void test_cells_are_bounded(void **state)
{
	(void)state;
	struct sample_log log = {0};
	add(&log, 1000, 10, 1);
	add(&log, 30 * 86400 * NS_PER_SEC, 20, 1);
	struct timeline_input input = {
		.start_ns = 1,
		.end_ns = 30 * 86400 * NS_PER_SEC + 1,
		.samples = &log,
		.is_time = true,
		.counts = counts_all,
	};
	struct timeline *timeline = timeline_build(&input);
	assert_true(timeline->n_cells <= TIMELINE_CELLS_MOST);
	assert_true(timeline->n_cells > TIMELINE_CELLS_MOST / 2);
	assert_int_equal(timeline->cell_ns % TIMELINE_CELL_NS, 0);
	assert_int_equal(timeline_sum(timeline, 0, UINT64_MAX).value, 30);
	timeline_destroy(timeline);
	input.end_ns = input.start_ns = 5;
	assert_null(timeline_build(&input));
	sample_log_finish(&log);
}

/* At 99 Hz on four CPUs. */
static void test_ten_minutes_have_cells_of_20_ms(void **state)
{
	(void)state;
	struct sample_log log = {0};
	for (uint64_t i = 0; i < 600 * 99; i++)
		for (uint32_t cpu = 1; cpu <= 4; cpu++)
			add(&log, NS_PER_SEC + i * NS_PER_SEC / 99, NS_PER_SEC / 99, cpu);
	const struct timeline_input input = {
		.start_ns = 1,
		.end_ns = 601 * NS_PER_SEC,
		.samples = &log,
		.is_time = true,
		.counts = counts_all,
	};
	struct timeline *timeline = timeline_build(&input);
	assert_int_equal(timeline->cell_ns, TIMELINE_CELL_NS);
	assert_int_equal(timeline_sum(timeline, 0, UINT64_MAX).samples, 600 * 99 * 4);
	/* Four CPUs at work: each cell has 80 ms, but for rounding. */
	assert_in_range(timeline->cells[15000].value, 79 * NS_PER_MS, 81 * NS_PER_MS);
	timeline_destroy(timeline);
	sample_log_finish(&log);
}

/* --- strain ------------------------------------------------------------------------- */

static void test_strain_has_times(void **state)
{
	(void)state;
	struct strains strains = {0};
	struct strain_reading reading = {0};
	struct meter meter = {0};
	uint64_t now_ns = NS_PER_SEC;
	meter_set(&meter.lost, 5); /* before the first reading: no time is known */
	strains_note(&strains, &reading, &meter, now_ns);
	assert_int_equal(strains.list.len, 0);
	meter_set(&meter.periods, 100);
	meter_set(&meter.instants_late, 9); /* less than a tenth */
	strains_note(&strains, &reading, &meter, now_ns += STRAIN_EVERY_NS);
	assert_int_equal(strains.list.len, 0);
	meter_set(&meter.lost, 8);
	meter_set(&meter.instants_late, 29);
	meter_set(&meter.periods, 150);
	strains_note(&strains, &reading, &meter, now_ns + 1); /* too early */
	assert_int_equal(strains.list.len, 0);
	strains_note(&strains, &reading, &meter, now_ns += STRAIN_EVERY_NS);
	assert_int_equal(strains.list.len, 2);
	assert_int_equal(strains.list.data[0].kind, STRAIN_LOST);
	assert_int_equal(strains.list.data[0].count, 3);
	assert_int_equal(strains.list.data[0].to_ns, now_ns);
	assert_int_equal(strains.list.data[1].kind, STRAIN_LATE);
	assert_int_equal(strains.list.data[1].count, 20);
	assert_int_equal(strains_count(strains.list.data, 2, STRAIN_LOST, 0, now_ns), 3);
	assert_int_equal(
		strains_count(strains.list.data, 2, STRAIN_LOST, now_ns, UINT64_MAX), 0);

	strains_trim(&strains, now_ns);
	assert_int_equal(strains.list.len, 2);
	strains_trim(&strains, now_ns + 1);
	assert_int_equal(strains.list.len, 0);
	vec_free(&strains.list);
}

static void test_strain_is_bounded(void **state)
{
	(void)state;
	struct strains strains = {0};
	struct strain_reading reading = {0};
	struct meter meter = {0};
	for (uint64_t i = 1; i <= 20000; i++) {
		meter_set(&meter.lost, i);
		strains_note(&strains, &reading, &meter, i * STRAIN_EVERY_NS);
		strains_trim(&strains, 0);
	}
	assert_in_range(strains.list.len, 1000, 5000);
	assert_int_equal(
		strains.list.data[strains.list.len - 1].to_ns, 20000 * STRAIN_EVERY_NS);
	vec_free(&strains.list);
}

/* --- in a report -------------------------------------------------------------------- */

static void test_a_report_has_all_that_is_kept(void **state)
{
	(void)state;
	struct fixture fixture;
	struct report_request request = {.timeline = TIMELINE_TOO,
		.window_ns = NS_PER_SEC,
		.until_ns = FIXTURE_START_NS + 4 * NS_PER_SEC};
	fixture_init(&fixture, false);
	struct report *report = fixture_report(&fixture, &request);
	assert_int_equal(report->end_ns - report->start_ns, NS_PER_SEC);
	assert_non_null(report->kept);
	assert_int_equal(report->kept->end_ns, FIXTURE_END_NS);
	struct timeline_cell all = timeline_sum(report->kept, 0, UINT64_MAX);
	struct timeline_cell part =
		timeline_sum(report->kept, report->start_ns, report->end_ns);
	assert_int_equal(part.samples, report->total.samples);
	assert_false(report->kept->is_part);
	report_destroy(report);

	request = (struct report_request){.timeline = TIMELINE_ONLY};
	snprintf(request.filter, sizeof(request.filter), "fibonacci");
	report = fixture_report(&fixture, &request);
	struct timeline_cell less = timeline_sum(report->kept, 0, UINT64_MAX);
	assert_true(less.samples > 0 && less.samples < all.samples);
	assert_true(report->kept->is_part);
	/* Nothing else is counted for it, not even the threads that are alive. */
	assert_int_equal(report->n_stacks, 0);
	assert_int_equal(report->n_threads, 0);
	assert_int_equal(report->data_ns, 0);
	assert_int_equal(report->n_nodes, 1);
	report_destroy(report);

	request.timeline = TIMELINE_NONE;
	report = fixture_report(&fixture, &request);
	assert_null(report->kept);
	assert_int_equal(report->total.samples, less.samples);
	assert_true(report->n_threads > 0);
	report_destroy(report);
	fixture_finish(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_weights_are_spread_backwards),
		cmocka_unit_test(test_what_is_no_time_is_not_spread),
		cmocka_unit_test(test_only_what_is_counted),
		cmocka_unit_test(test_marks_fill_the_cells_between_them),
		cmocka_unit_test(test_cells_are_bounded),
		cmocka_unit_test(test_ten_minutes_have_cells_of_20_ms),
		cmocka_unit_test(test_strain_has_times),
		cmocka_unit_test(test_strain_is_bounded),
		cmocka_unit_test(test_a_report_has_all_that_is_kept),
	};
	return unit_run(tests);
}
