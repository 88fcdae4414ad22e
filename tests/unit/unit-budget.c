/* SPDX-License-Identifier: GPL-2.0-or-later */
/* budget: with simulated targets, whose stops cost what the test says. */

#include "tests/lib/unit.h"

#include "ptrace/threads/schedule.h"
#include "ptrace/tracer/budget.h"
#include "src/base/clock.h"

#include <math.h>

/* What the target is, and what sampling it costs. */
struct world {
	double cpus;	     /* that it keeps busy */
	double stops;	     /* threads found running in a period */
	double stop_s;	     /* of a stop */
	double period_cpu_s; /* of the sampler, in a period */
	double other_share;  /* of a CPU, for the rest of the profiler */
	struct budget_reading now;
};

static double share_since(const struct world *world, const struct budget_reading *then)
{
	double stopped = (double)(world->now.stopped_ns - then->stopped_ns);
	double ran = (double)(world->now.ran_ns - then->ran_ns);
	return stopped / (ran + stopped);
}

/* Let SECONDS pass, with the budget asked every tenth. */
static void pass(struct world *world, struct budget *budget, double seconds)
{
	struct budget_reading *now = &world->now;
	uint64_t end_ns = now->time_ns + (uint64_t)(seconds * NS_PER_SEC);
	double periods = 0, stops = 0;
	while (now->time_ns < end_ns) {
		double period_s = 1 / budget->rate_hz;
		double step_s = fmax(period_s, 0.1);
		periods += step_s / period_s;
		double whole = floor(periods);
		periods -= whole;
		stops += whole * world->stops * budget->chance;
		double whole_stops = floor(stops);
		stops -= whole_stops;
		now->time_ns += (uint64_t)(step_s * NS_PER_SEC);
		now->periods += (uint64_t)whole;
		now->stops += (uint64_t)whole_stops;
		double stopped_s = whole_stops * world->stop_s;
		now->stopped_ns += (uint64_t)(stopped_s * NS_PER_SEC);
		now->ran_ns +=
			(uint64_t)((world->cpus * step_s - stopped_s) * NS_PER_SEC);
		double sampler_s = whole * world->period_cpu_s;
		now->sampler_cpu_ns += (uint64_t)(sampler_s * NS_PER_SEC);
		now->own_cpu_ns += (uint64_t)((sampler_s + world->other_share * step_s) *
					      NS_PER_SEC);
		assert_true(budget_is_due(budget, now->time_ns));
		budget_update(budget, now);
		assert_true(budget->rate_hz > 0 && budget->rate_hz <= budget->asked_hz);
		assert_true(budget->chance > 0 && budget->chance <= 1);
	}
}

static void assert_near(double value, double wanted, double tolerance)
{
	if (fabs(value - wanted) > wanted * tolerance)
		fail_msg("%g is not near %g", value, wanted);
}

static void test_the_pause_is_held(void **state)
{
	(void)state;
	const double limits[] = {0.01, 0.001, 0.0001};
	for (size_t i = 0; i < 3; i++) {
		struct world world = {.cpus = 1, .stops = 1, .stop_s = 25e-6};
		struct budget budget;
		struct budget_limits limit = {.paused = limits[i]};
		budget_init(&budget, limit, 1000, 50e-6, &world.now);
		struct budget_reading start = world.now;
		pass(&world, &budget, 30);
		assert_int_equal(budget.held, METER_HELD_OVERHEAD);
		/* Also while it did not know what a stop costs. */
		assert_true(share_since(&world, &start) <= 1.1 * limits[i]);
		start = world.now;
		pass(&world, &budget, 60);
		assert_near(share_since(&world, &start), limits[i], 0.15);
	}
}

static void test_what_costs_less_is_free(void **state)
{
	(void)state;
	struct world world = {.cpus = 1, .stops = 1, .stop_s = 25e-6};
	struct budget budget;
	struct budget_limits limits = {.paused = 0.01, .cpu = 0.1};
	budget_init(&budget, limits, 99, 50e-6, &world.now);
	for (int i = 0; i < 100; i++) {
		assert_float_equal(budget.rate_hz, 99, 1e-9);
		assert_float_equal(budget.chance, 1, 1e-9);
		assert_int_equal(budget.held, METER_FREE);
		pass(&world, &budget, 0.1);
	}
}

static void test_no_limit_is_none(void **state)
{
	(void)state;
	struct world world = {
		.cpus = 1, .stops = 1, .stop_s = 900e-6, .period_cpu_s = 900e-6};
	struct budget budget;
	budget_init(&budget, (struct budget_limits){0}, 1000, 50e-6, &world.now);
	pass(&world, &budget, 10);
	assert_float_equal(budget.rate_hz, 1000, 1e-9);
	assert_float_equal(budget.chance, 1, 1e-9);
	assert_int_equal(budget.held, METER_FREE);
}

/* Stops that become dear, as on a machine that becomes busy, and cheap again. */
static void test_it_follows_the_cost(void **state)
{
	(void)state;
	struct world world = {.cpus = 1, .stops = 1, .stop_s = 25e-6};
	struct budget budget;
	struct budget_limits limits = {.paused = 0.01};
	budget_init(&budget, limits, 250, 50e-6, &world.now);
	pass(&world, &budget, 10);
	assert_float_equal(budget.rate_hz, 250, 1e-9);
	world.stop_s = 400e-6;
	pass(&world, &budget, 20);
	struct budget_reading then = world.now;
	pass(&world, &budget, 20);
	assert_near(share_since(&world, &then), 0.01, 0.15);
	world.stop_s = 25e-6;
	pass(&world, &budget, 30);
	assert_float_equal(budget.rate_hz, 250, 1e-9);
	assert_int_equal(budget.held, METER_FREE);
}

/* Of eight threads that run, first fewer are stopped; only when it is one a period, the
   periods become fewer. */
static void test_many_threads_are_thinned_out(void **state)
{
	(void)state;
	struct world world = {.cpus = 8, .stops = 8, .stop_s = 25e-6};
	struct budget budget;
	struct budget_limits limits = {.paused = 0.01};
	budget_init(&budget, limits, 1000, 50e-6, &world.now);
	pass(&world, &budget, 20);
	struct budget_reading then = world.now;
	pass(&world, &budget, 20);
	assert_near(budget.rate_hz, 1000, 0.01);
	assert_near(budget.chance, 0.4, 0.15);
	assert_near(share_since(&world, &then), 0.01, 0.15);

	limits.paused = 0.0005;
	budget_init(&budget, limits, 1000, 50e-6, &world.now);
	pass(&world, &budget, 20);
	then = world.now;
	pass(&world, &budget, 60);
	assert_near(budget.chance, 1.0 / 8, 0.15);
	assert_true(budget.rate_hz < 300);
	assert_near(share_since(&world, &then), 0.0005, 0.15);
}

/* One dear stop of a target that hardly runs proves nothing. */
static void test_a_sleeper_is_not_judged_by_one_stop(void **state)
{
	(void)state;
	struct world world = {.cpus = 0.001, .stops = 0.001, .stop_s = 50e-6};
	struct budget budget;
	struct budget_limits limits = {.paused = 0.01};
	budget_init(&budget, limits, 99, 50e-6, &world.now);
	for (int i = 0; i < 300; i++) {
		pass(&world, &budget, 0.1);
		assert_float_equal(budget.rate_hz, 99, 1e-9);
	}
}

static void test_our_own_cpu_is_held(void **state)
{
	(void)state;
	struct world world = {.cpus = 1,
		.stops = 1,
		.stop_s = 1e-6,
		.period_cpu_s = 100e-6,
		.other_share = 0.02};
	struct budget budget;
	struct budget_limits limits = {.paused = 0.01, .cpu = 0.05};
	budget_init(&budget, limits, 1000, 50e-6, &world.now);
	pass(&world, &budget, 20);
	struct budget_reading then = world.now;
	pass(&world, &budget, 20);
	assert_int_equal(budget.held, METER_HELD_CPU);
	assert_near((double)(world.now.own_cpu_ns - then.own_cpu_ns) / NS_PER_SEC / 20,
		0.05, 0.1);
	assert_near(budget.rate_hz, 300, 0.1);

	/* What the rest of us takes cannot end sampling. */
	world.other_share = 0.5;
	pass(&world, &budget, 60);
	assert_true(budget.rate_hz > 50);
}

/* A period that changes is a stratum all the same. */
static void test_periods_change_between_ticks(void **state)
{
	(void)state;
	struct schedule schedule;
	schedule_start(&schedule, NS_PER_SEC / 1000, 0, 42);
	uint64_t start_ns = 0, period_ns = NS_PER_MS;
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(schedule.period_start_ns, start_ns);
		assert_in_range(schedule.next_ns, start_ns, start_ns + period_ns - 1);
		start_ns += period_ns;
		period_ns = (uint64_t)(1 + i % 7) * NS_PER_MS;
		schedule_set_period(&schedule, period_ns);
		assert_int_equal(schedule_advance(&schedule, schedule.next_ns), 0);
	}
}

static void test_a_chance_is_what_it_says(void **state)
{
	(void)state;
	struct schedule schedule;
	schedule_start(&schedule, NS_PER_SEC / 1000, 0, 42);
	unsigned taken = 0;
	for (int i = 0; i < 10000; i++) {
		taken += schedule_decide(&schedule, 0.25);
		assert_true(schedule_decide(&schedule, 1));
		assert_false(schedule_decide(&schedule, 0));
	}
	assert_in_range(taken, 2280, 2720); /* 5 standard deviations */
}

/* Processes that are over before their stops are measured cost no more in sum, if the others'
   stops are known. */
static void test_short_processes_keep_it_together(void **state)
{
	(void)state;
	const double stops_s[] = {20e-6, 80e-6, 280e-6};
	for (size_t i = 0; i < 3; i++) {
		struct world world = {.cpus = 1, .stops = 1, .stop_s = stops_s[i]};
		struct budget_limits limit = {.paused = 0.01};
		for (int process = 0; process < 100; process++) {
			struct budget budget;
			budget_init(&budget, limit, 499, stops_s[i], &world.now);
			pass(&world, &budget, 0.1);
		}
		assert_true(share_since(&world, &(struct budget_reading){0}) <= 0.0115);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_pause_is_held),
		cmocka_unit_test(test_short_processes_keep_it_together),
		cmocka_unit_test(test_what_costs_less_is_free),
		cmocka_unit_test(test_no_limit_is_none),
		cmocka_unit_test(test_it_follows_the_cost),
		cmocka_unit_test(test_many_threads_are_thinned_out),
		cmocka_unit_test(test_a_sleeper_is_not_judged_by_one_stop),
		cmocka_unit_test(test_our_own_cpu_is_held),
		cmocka_unit_test(test_periods_change_between_ticks),
		cmocka_unit_test(test_a_chance_is_what_it_says),
	};
	return unit_run(tests);
}
