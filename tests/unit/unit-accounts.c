/* SPDX-License-Identifier: GPL-2.0-or-later */
/* accounts: three times that add up to the life of each thread, in bounded memory. */

#include "tests/lib/unit.h"
#include "tests/lib/world.h"

#include "src/base/clock.h"

static void add_slice(struct accounts *accounts, pid_t tid, uint64_t from_ns,
	uint64_t to_ns, uint64_t cpu_ns, uint64_t runq_ns)
{
	struct account_slice slice = {from_ns, to_ns, cpu_ns, runq_ns, tid};
	accounts_add(accounts, &slice);
}

static const struct report_thread *thread_row(const struct report *report, pid_t tid)
{
	for (size_t i = 0; i < report->n_threads; i++) {
		uint32_t id = report->threads[i].thread;
		if (profile_thread(report->profile, id)->tid == tid)
			return &report->threads[i];
	}
	return NULL;
}

static void assert_times(const struct report *report, pid_t tid, uint64_t cpu_ns,
	uint64_t runq_ns, uint64_t blocked_ns)
{
	const struct report_thread *row = thread_row(report, tid);
	assert_non_null(row);
	assert_int_equal(row->cpu_ns, cpu_ns);
	assert_int_equal(row->runq_ns, runq_ns);
	assert_int_equal(row->blocked_ns, blocked_ns);
}

static void test_three_times_add_up_to_a_life(void **state)
{
	(void)state;
	struct world world = world_create();
	struct accounts accounts = {0};
	world_sample(&world, 100, 1, "busy", "main", 1);
	world_sample(&world, 150, 2, "gone", "main", 1);
	accounts_begin(&accounts, 1, 100);
	accounts_begin(&accounts, 2, 100);
	accounts_begin(&accounts, 3, 100);
	add_slice(&accounts, 1, 100, 300, 120, 40);
	add_slice(&accounts, 1, 300, 500, 200, 0);
	add_slice(&accounts, 2, 100, 200, 10, 20);
	accounts_end(&accounts, 2, 200);
	accounts.surveyed_ns = 900;

	struct report_thread alive[] = {
		{.thread = profile_intern_thread(world.profile, 1, "busy")},
		{.thread = profile_intern_thread(world.profile, 3, "asleep")},
	};
	struct report_input input = {
		.profile = world.profile,
		.stacktab = world.stacktab,
		.samples = &world.samples,
		.now_ns = 1000,
		.accounts = &accounts,
		.alive = alive,
		.n_alive = 2,
	};
	struct report_request request = {0};
	struct report *report = report_build(&input, &request);
	assert_times(report, 1, 320, 40, 440); /* 800 ns known */
	assert_times(report, 2, 10, 20, 70);   /* the 100 ns it lived */
	assert_times(report, 3, 0, 0, 800);    /* without any slice */
	struct report_thread sum = report_process_time(report);
	assert_int_equal(sum.cpu_ns, 330);
	assert_int_equal(sum.runq_ns, 60);
	assert_int_equal(sum.blocked_ns, 1310);
	report_destroy(report);

	/* From 200 on: half of the first slice, and nothing of threads that had ended by
	   then. */
	request.window_ns = 800;
	report = report_build(&input, &request);
	assert_int_equal(report->start_ns, 200);
	assert_times(report, 1, 260, 20, 420);
	assert_null(thread_row(report, 2));
	report_destroy(report);

	accounts_finish(&accounts);
	world_destroy(&world);
}

static void test_accounts_are_bounded(void **state)
{
	(void)state;
	struct accounts live = {0}, kept = {0};
	for (uint64_t i = 0; i < 300000; i++) {
		add_slice(&live, 1, i, i + 1, 1, 0);
		add_slice(&kept, (pid_t)(1 + i % 3), i, i + 1, 1, 2);
		if (i % 1000 == 0) {
			accounts_trim(&live, 0, false);
			accounts_trim(&kept, 0, true);
		}
	}
	assert_in_range(live.slices.len, 1, 133000);
	assert_int_equal(live.slices.data[live.slices.len - 1].to_ns, 300000);
	assert_in_range(kept.slices.len, 1, 133000);
	uint64_t cpu_ns = 0, runq_ns = 0;
	vec_each (&kept.slices, slice) {
		cpu_ns += slice->cpu_ns;
		runq_ns += slice->runq_ns;
	}
	assert_int_equal(cpu_ns, 300000);
	assert_int_equal(runq_ns, 600000);

	/* By age: slices and lives. */
	accounts_begin(&live, 7, 10);
	accounts_end(&live, 7, 20);
	accounts_begin(&live, 8, 10);
	accounts_trim(&live, 299990, false);
	assert_int_equal(live.slices.len, 11);
	assert_int_equal(live.lives.len, 1);
	assert_int_equal(live.lives.data[0].tid, 8);
	accounts_finish(&live);
	accounts_finish(&kept);
}

static uint64_t used_between(
	const struct accounts *accounts, pid_t tid, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t cpu_ns = 0;
	vec_each (&accounts->slices, slice)
		if (slice->tid == tid)
			cpu_ns += accounts_share(slice->cpu_ns, slice->from_ns,
				slice->to_ns, from_ns, to_ns);
	return cpu_ns;
}

/* A thousand threads, each a tenth of its time on a CPU: that is still so a minute later, in any
   part of it, though there are more slices than are kept. */
static void test_a_minute_of_many_threads_is_whole(void **state)
{
	(void)state;
	enum {
		THREADS = 1000
	};
	const uint64_t minute_ns = 60 * NS_PER_SEC, slice_ns = NS_PER_SEC / 4;
	struct accounts accounts = {0};
	uint64_t now_ns = 0;
	while (now_ns < 3 * minute_ns) {
		for (pid_t tid = 1; tid <= THREADS; tid++)
			add_slice(&accounts, tid, now_ns, now_ns + slice_ns,
				slice_ns / 10, 0);
		now_ns += slice_ns;
		accounts_trim(
			&accounts, now_ns > minute_ns ? now_ns - minute_ns : 0, false);
		assert_in_range(accounts.slices.len, 1, 133000);
	}
	for (pid_t tid = 1; tid <= THREADS; tid += 333) {
		uint64_t whole_ns =
			used_between(&accounts, tid, now_ns - minute_ns, now_ns);
		uint64_t half_ns =
			used_between(&accounts, tid, now_ns - minute_ns / 2, now_ns);
		assert_in_range(whole_ns, minute_ns / 10 - slice_ns / 10,
			minute_ns / 10 + slice_ns / 10);
		assert_in_range(half_ns, minute_ns / 20 - slice_ns / 10,
			minute_ns / 20 + slice_ns / 10);
	}
	accounts_finish(&accounts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_times_add_up_to_a_life),
		cmocka_unit_test(test_accounts_are_bounded),
		cmocka_unit_test(test_a_minute_of_many_threads_is_whole),
	};
	return unit_run(tests);
}
