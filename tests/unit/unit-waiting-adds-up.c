/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waiting adds up: what rows say of a thread's time, its bar and the whole are one figure; and
   a thread that was not chosen keeps its own. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/count/report-build.h"
#include "src/facts/snapshot.h"
#include "src/keep/history.h"
#include "src/process/waiting.h"
#include "ui/view/view.h"

#include <string.h>

#define START_NS (100 * NS_PER_SEC)
#define END_NS	 (110 * NS_PER_SEC)

/* Two threads for ten seconds: 12 runs and waits for a CPU in turns of 30 and 20 ms, 13 sleeps
   but for one sample. The kernel's slices are longer than the turns, so its shares of a range
   are not those of the samples. */
static void fill(struct history *history)
{
	history_init(history, false, 600 * NS_PER_SEC, 1 << 20);
	history_name_thread(history, 12, "busy");
	history_name_thread(history, 13, "idle");
	uint32_t work = profile_intern_synthetic(history->profile, "[work]");
	uint32_t nap = profile_intern_synthetic(history->profile, "[nap]");
	for (uint64_t at_ns = START_NS; at_ns < END_NS; at_ns += 50 * NS_PER_MS) {
		uint32_t stack[3] = {work};
		struct sample ran = {.time_ns = at_ns + 30 * NS_PER_MS,
			.cpu_ns = 30 * NS_PER_MS,
			.wall_ns = 30 * NS_PER_MS,
			.count = 3,
			.state = THREAD_RUNNING};
		history_add(history, 12, stack, 1, UNWIND_ROOT, &ran);
		history_charge_runq(history, 12, at_ns + 49 * NS_PER_MS, 20 * NS_PER_MS);
		history_mark(history, at_ns + 50 * NS_PER_MS, at_ns - START_NS);
	}
	uint32_t stack[3] = {nap};
	struct sample slept = {.time_ns = END_NS - NS_PER_MS,
		.wall_ns = 10 * NS_PER_SEC,
		.count = 1,
		.state = THREAD_BLOCKED};
	history_add(history, 13, stack, 1, UNWIND_ROOT, &slept);
	accounts_begin(&history->accounts, 12, START_NS);
	struct account_slice slice = {.from_ns = START_NS,
		.to_ns = END_NS,
		.tid = 12,
		.cpu_ns = 1,
		.runq_ns = 2};
	accounts_add(&history->accounts, &slice);
}

static struct report *report_of(
	struct history *history, const struct report_request *request)
{
	struct report_thread alive[] = {
		{.thread = history->threads.data[0].thread, .state = 'R'},
		{.thread = history->threads.data[1].thread, .state = 'S'},
	};
	struct report_input input = {
		.profile = history->profile,
		.naming = history->naming,
		.stacktab = history->stacktab,
		.samples = &history->samples,
		.marks = history->marks.data,
		.n_marks = history->marks.len,
		.accounts = &history->accounts,
		.alive = alive,
		.n_alive = 2,
		.now_ns = END_NS,
	};
	return report_build(&input, request);
}

static const struct report_thread *thread_of(const struct report *report, pid_t tid)
{
	for (size_t i = 0; i < report->n_threads; i++)
		if (profile_thread(report->profile, report->threads[i].thread)->tid ==
			tid)
			return &report->threads[i];
	return NULL;
}

/* The wall clock of the rows that are called NAME. */
static uint64_t row_ns(const struct report *report, const char *name)
{
	uint64_t sum_ns = 0;
	for (size_t i = 0; i < report->n_functions; i++)
		if (strcmp(profile_function(
				   report->profile, report->functions[i].function)
				    ->name,
			    name) == 0)
			sum_ns += report->functions[i].self.wall_ns;
	return sum_ns;
}

static void test_rows_and_bars_are_one_figure(void **state)
{
	struct history history;
	(void)state;
	fill(&history);
	/* of any range, also one that cuts through the kernel's slices */
	for (uint64_t window_ns = NS_PER_SEC / 3; window_ns < 12 * NS_PER_SEC;
		window_ns += NS_PER_SEC / 3) {
		struct report_request request = {.wall = true, .window_ns = window_ns};
		struct report *report = report_of(&history, &request);
		struct report_thread all = report_process_time(report);
		assert_int_equal(row_ns(report, WAITING_FOR_CPU), all.runq_ns);
		assert_int_equal(row_ns(report, "[work]"), all.cpu_ns);
		assert_int_equal(row_ns(report, "[nap]"), all.blocked_ns);
		assert_int_equal(
			report->total.wall_ns, all.cpu_ns + all.runq_ns + all.blocked_ns);
		report_destroy(report);
	}
	/* Of CPU time the kernel's accounts say it. */
	struct report_request request = {0};
	struct report *report = report_of(&history, &request);
	assert_in_range(thread_of(report, 12)->runq_ns, 1, 2);
	report_destroy(report);
	history_finish(&history);
}

static void test_time_without_samples_is_not_0_samples(void **state)
{
	(void)state;
	const struct weight told = {.wall_ns = 39 * NS_PER_SEC};
	const struct weight seen = {.wall_ns = NS_PER_SEC, .samples = 1};
	assert_string_equal(view_samples(&told).text, "-");
	assert_string_equal(view_samples_told(&told).text, "measured");
	assert_string_equal(view_samples(&seen).text, "1");
	assert_string_equal(view_samples_told(&seen).text, "1 sample");
	assert_string_equal(view_samples_told(&(struct weight){0}).text, "0 samples");
}

static void test_threads_outside_keep_their_figures(void **state)
{
	struct history history;
	(void)state;
	fill(&history);
	struct report_request request = {.wall = true, .tids = {13}, .n_tids = 1};
	struct report *report = report_of(&history, &request);
	const struct report_thread *busy = thread_of(report, 12),
				   *idle = thread_of(report, 13);
	assert_true(busy->is_outside);
	assert_int_equal(busy->weight.wall_ns, 0);
	assert_int_equal(busy->outside.wall_ns, 10 * NS_PER_SEC);
	assert_int_equal(busy->outside.cpu_ns, 6 * NS_PER_SEC);
	assert_int_equal(busy->cpu_ns, 6 * NS_PER_SEC);
	assert_string_equal(
		profile_function(report->profile, busy->top_function)->name, "[work]");
	assert_false(idle->is_outside);
	assert_int_equal(idle->weight.wall_ns, 10 * NS_PER_SEC);
	assert_int_equal(report->total.wall_ns, 10 * NS_PER_SEC);
	report_destroy(report);
	/* A filter of stacks holds for them, too. */
	snprintf(request.filter, sizeof(request.filter), "nap");
	report = report_of(&history, &request);
	assert_int_equal(thread_of(report, 12)->outside.wall_ns, 0);
	report_destroy(report);
	history_finish(&history);
}

static void test_the_window_says_how_much_has_data(void **state)
{
	struct history history;
	(void)state;
	fill(&history);
	struct report_request request = {.since_ns = 0};
	struct report *report = report_of(&history, &request);
	assert_string_equal(view_window(report).text, "10.0 s");
	report_destroy(report);
	/* No marks for four seconds: sampling was held. */
	size_t kept = 0;
	for (size_t i = 0; i < history.marks.len; i++) {
		uint64_t at_ns = history.marks.data[i].time_ns - START_NS;
		if (at_ns < 3 * NS_PER_SEC || at_ns > 7 * NS_PER_SEC)
			history.marks.data[kept++] = history.marks.data[i];
	}
	history.marks.len = kept;
	report = report_of(&history, &request);
	assert_true(report->data_ns > 5500 * NS_PER_MS);
	assert_true(report->data_ns < 6000 * NS_PER_MS);
	assert_non_null(strstr(view_window(report).text, " of "));
	report_destroy(report);
	history_finish(&history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows_and_bars_are_one_figure),
		cmocka_unit_test(test_time_without_samples_is_not_0_samples),
		cmocka_unit_test(test_threads_outside_keep_their_figures),
		cmocka_unit_test(test_the_window_says_how_much_has_data),
	};
	return unit_run(tests);
}
