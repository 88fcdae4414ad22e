/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals and stops of a target that is sampled: each arrives, once. */

#include "tests/lib/live.h"
#include "tests/lib/unit.h"

#include "ptrace/roundup.h"
#include "ptrace/storm.h"
#include "src/base/clock.h"
#include "src/target/task.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static char state_of(pid_t pid)
{
	char path[64], text[1024];
	struct task_stat stat = {0};
	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *file = fopen(path, "re");
	size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
	if (file)
		fclose(file);
	text[length] = '\0';
	task_parse_stat(text, length, &stat);
	return stat.state;
}

static void test_signals_arrive_once_and_in_order(void **state)
{
	(void)state;
	enum {
		SIGNALS = 2000
	};
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 2000);
	live_send_numbered(&live, child, SIGNALS);
	live_stop(&live);
	end_witness(child);
}

static void await_state(struct live *live, pid_t child, char wanted)
{
	for (int i = 0; i < 10000 && state_of(child) != wanted; i++) {
		live_drain(live);
		usleep(1000);
	}
	assert_int_equal(state_of(child), wanted);
}

/* In PTRACE_LISTEN it shows as traced; but so it does in the stop of a sample. */
static void await_group_stop(struct live *live, pid_t child)
{
	for (int i = 0; i < 10000 && !meter_get(&live->meter.target_stopped); i++) {
		live_drain(live);
		usleep(1000);
	}
	assert_int_equal(meter_get(&live->meter.target_stopped), 1);
	await_state(live, child, 't');
}

static void test_group_stops_are_honoured(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 1000);
	live_wait_for(&live, 20);
	kill(child, SIGSTOP);
	await_group_stop(&live, child);
	uint64_t turns = witness->turns;
	usleep(50000);
	live_drain(&live);
	assert_int_equal(witness->turns, turns);
	assert_int_equal(meter_get(&live.meter.target_stopped), 1);
	kill(child, SIGCONT);
	size_t before = live.samples;
	live_wait_for(&live, before + 20);
	assert_int_equal(meter_get(&live.meter.target_stopped), 0);
	/* And one that is stopped when we leave stays stopped. */
	kill(child, SIGSTOP);
	await_group_stop(&live, child);
	live_stop(&live);
	await_state(&live, child, 'T');
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
	await_state(&live, child, 'T');
	uint64_t turns = witness->turns;
	live_start(&live, child, 1000);
	usleep(50000);
	live_stop(&live);
	assert_int_equal(witness->turns, turns);
	await_state(&live, child, 'T');
	kill(child, SIGCONT);
	assert_progress();
	end_witness(child);
}

/* In a storm the thread is let go, and yet sampled. */
static void test_storms_pass_untraced(void **state)
{
	(void)state;
	enum {
		SIGNALS = 20000
	};
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 500);
	uint64_t began_ns = clock_monotonic_ns();
	live_send_numbered(&live, child, SIGNALS);
	uint64_t took_ns = clock_monotonic_ns() - began_ns;
	/* Sent as fast as they are taken: it is a storm, unless this machine is so busy
	   that they were no two thousand a second. Then most have not come by us. */
	if (took_ns < SIGNALS / 2000 * NS_PER_SEC)
		assert_true(meter_get(&live.meter.signals) < SIGNALS / 2);
	live_wait_for(&live, live.samples + 20);
	live_stop(&live);
	assert_progress();
	end_witness(child);
}

/* Nobody would hear this one; after the first the thread is let go, and yet sampled. */
static void test_unheard_signals_pass_untraced(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 100);
	live_wait_for(&live, 5);
	for (int i = 0; i < 10000 && tracer_of(child) != 0; i++) {
		kill(child, SIGURG);
		live_drain(&live);
		usleep(1000);
	}
	assert_int_equal(tracer_of(child), 0);
	assert_true(meter_get(&live.meter.signals) > 0);
	live_wait_for(&live, live.samples + 5);
	live_stop(&live);
	assert_progress();
	end_witness(child);
}

/* A child of ours that somebody has stopped is told of by the same wait as the threads
   that dump stops. */
static void test_dump_passes_over_a_stopped_child_of_ours(void **state)
{
	(void)state;
	pid_t helper = fork();
	if (helper == 0)
		for (;;)
			pause();
	kill(helper, SIGSTOP);
	while (state_of(helper) != 'T')
		usleep(1000);
	pid_t child = start_witness();
	struct error err = {""};
	struct target target;
	if (!target_open(&target, child, &err))
		fail_msg("%s", err.text);
	struct roundup roundup;
	roundup_take(&roundup, &target, &child, 1, 4096, true);
	const struct rounded_up *thread = roundup_find(&roundup, child);
	assert_non_null(thread);
	assert_int_equal(thread->result, GLANCE_DONE);
	roundup_finish(&roundup);
	target_close(&target);
	assert_int_equal(tracer_of(child), 0);
	assert_progress();
	end_witness(child);
	kill(helper, SIGKILL);
	waitpid(helper, NULL, 0);
}

int main(void)
{
	live_block_signals();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_signals_arrive_once_and_in_order),
		cmocka_unit_test(test_group_stops_are_honoured),
		cmocka_unit_test(test_a_stopped_target_stays_stopped),
		cmocka_unit_test(test_storms_pass_untraced),
		cmocka_unit_test(test_unheard_signals_pass_untraced),
		cmocka_unit_test(test_dump_passes_over_a_stopped_child_of_ours),
	};
	return unit_run(tests);
}
