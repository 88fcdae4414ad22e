/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals and stops of a sampled target: each arrives exactly once. */

#include "tests/lib/live.h"
#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include "ptrace/roundup.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_signals_arrive_once_and_in_order(void **state)
{
	(void)state;
	enum {
		SIGNALS = 2000
	};
	pid_t child = start_witness();
	struct live live = {0};
	live_start(&live, child, 1000);
	live_send_numbered(&live, child, SIGNALS);
	live_stop(&live);
	end_witness(child);
}

/* It is stopped by its signal, and not by us; and we know. */
static void await_group_stop(struct live *live, pid_t child)
{
	for (int i = 0; i < 20000 && !meter_get(&live->meter->target_stopped); i++) {
		live_drain(live);
		usleep(1000);
	}
	assert_int_equal(meter_get(&live->meter->target_stopped), 1);
	process_await_state(child, 'T');
}

static void test_group_stops_are_honoured(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live = {0};
	live_start(&live, child, 1000);
	live_wait_for(&live, 20);
	kill(child, SIGSTOP);
	await_group_stop(&live, child);
	uint64_t turns = witness->turns;
	usleep(50000);
	live_drain(&live);
	assert_int_equal(witness->turns, turns);
	assert_int_equal(meter_get(&live.meter->target_stopped), 1);
	kill(child, SIGCONT);
	size_t before = live.samples;
	live_wait_for(&live, before + 20);
	/* The lookout says so, at its next look. */
	for (int i = 0; i < 20000 && meter_get(&live.meter->target_stopped); i++) {
		live_drain(&live);
		usleep(1000);
	}
	assert_int_equal(meter_get(&live.meter->target_stopped), 0);
	/* A target that is stopped when we leave stays stopped. */
	kill(child, SIGSTOP);
	await_group_stop(&live, child);
	live_stop(&live);
	process_await_state(child, 'T');
	kill(child, SIGCONT);
	assert_progress();
	end_witness(child);
}

static void test_a_stopped_target_stays_stopped(void **state)
{
	(void)state;
	pid_t child = start_witness();
	kill(child, SIGSTOP);
	struct live live = {0};
	process_await_state(child, 'T');
	uint64_t turns = witness->turns;
	live_start(&live, child, 1000);
	usleep(50000);
	live_stop(&live);
	assert_int_equal(witness->turns, turns);
	process_await_state(child, 'T');
	kill(child, SIGCONT);
	assert_progress();
	end_witness(child);
}

/* Wall clock: the stack of a stopped thread is sampled, and it stays stopped. */
static void test_a_stopped_target_is_looked_at_and_stays_stopped(void **state)
{
	(void)state;
	pid_t child = start_witness();
	kill(child, SIGSTOP);
	process_await_state(child, 'T');
	uint64_t turns = witness->turns;
	struct live live = {.wall = true};
	live_start(&live, child, 500);
	for (int i = 0; i < 20000 && !live.asleep; i++) {
		live_drain(&live);
		usleep(1000);
	}
	assert_true(live.asleep > 0);
	assert_int_equal(live.task_state, 'T');
	usleep(50000);
	live_stop(&live);
	assert_int_equal(witness->turns, turns);
	process_await_state(child, 'T');
	assert_int_equal(process_tracer(child), 0);
	kill(child, SIGCONT);
	assert_progress();
	end_witness(child);
}

/* As many as the target can take: each is delivered, and it is sampled all the while. */
static void test_a_flood_of_signals_arrives(void **state)
{
	(void)state;
	enum {
		SIGNALS = 20000
	};
	pid_t child = start_witness();
	struct live live = {0};
	live_start(&live, child, 1000);
	live_send_numbered(&live, child, SIGNALS);
	live_wait_for(&live, live.samples + 20);
	live_stop(&live);
	assert_progress();
	end_witness(child);
}

/* A stopped child of ours is reported by the same wait as the threads that dump stops. */
static void test_dump_passes_over_a_stopped_child_of_ours(void **state)
{
	(void)state;
	pid_t helper = fork();
	if (helper == 0)
		for (;;)
			pause();
	kill(helper, SIGSTOP);
	while (process_state(helper) != 'T')
		usleep(1000);
	pid_t child = start_witness();
	struct error err = {""};
	struct target target;
	if (!target_open(&target, child, &err))
		fail_msg("%s", err.text);
	struct roundup roundup;
	const struct glance_how how = {
		.target = &target, .stack_bytes = 4096, .restart = true};
	roundup_take(&roundup, &how, &child, 1);
	const struct rounded_up *thread = roundup_find(&roundup, child);
	assert_non_null(thread);
	assert_int_equal(thread->result, GLANCE_DONE);
	roundup_finish(&roundup);
	target_close(&target);
	assert_int_equal(process_tracer(child), 0);
	assert_progress();
	end_witness(child);
	kill(helper, SIGKILL);
	waitpid(helper, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signals_arrive_once_and_in_order),
		cmocka_unit_test(test_group_stops_are_honoured),
		cmocka_unit_test(test_a_stopped_target_stays_stopped),
		cmocka_unit_test(test_a_stopped_target_is_looked_at_and_stays_stopped),
		cmocka_unit_test(test_a_flood_of_signals_arrives),
		cmocka_unit_test(test_dump_passes_over_a_stopped_child_of_ours),
	};
	return unit_run(tests);
}
