/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samplers on children: what samples weigh, and how sampling pauses, lets go and ends. */

#include "tests/lib/live.h"
#include "tests/lib/unit.h"

#include "ptrace/sampler.h"
#include "src/base/clock.h"
#include "src/target/task.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void test_samples_weigh_what_the_kernel_charged(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 1000);
	live_wait_for(&live, 300);
	live_stop(&live);
	uint64_t kernel_ns = meter_get(&live.meter.cpu_kernel_ns);
	assert_int_equal(live.cpu_ns, meter_get(&live.meter.cpu_sampled_ns));
	/* What is not covered is the time since the last sample: some periods. */
	assert_true(live.cpu_ns <= kernel_ns);
	assert_true(kernel_ns - live.cpu_ns <= kernel_ns / 10);
	assert_int_equal(live.samples, meter_get(&live.meter.samples));
	assert_true(meter_get(&live.meter.stops) >= live.samples);
	assert_progress();
	end_witness(child);
}

static void test_the_end_of_the_target_ends_sampling(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 1000);
	live_wait_for(&live, 10);
	kill(child, SIGKILL);
	for (int i = 0; i < 10000 && !live.ended; i++) {
		live_drain(&live);
		usleep(1000);
	}
	assert_true(live.ended);
	assert_int_equal(meter_get(&live.meter.target_exited), 1);
	live_stop(&live);
	munmap(witness, sizeof(*witness));
}

static void test_a_pause_charges_nothing(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live;
	live_start(&live, child, 500);
	live_wait_for(&live, 20);
	sampler_set_frequency(live.sampler, 0);
	usleep(20000);
	live_drain(&live);
	size_t paused_at = live.samples;
	usleep(200000);
	live_drain(&live);
	assert_in_range(live.samples, paused_at, paused_at + 1);
	uint64_t before_ns = live.cpu_ns;
	sampler_set_frequency(live.sampler, 500);
	live_wait_for(&live, paused_at + 3);
	assert_true(live.cpu_ns - before_ns < 150 * NS_PER_MS);
	live_stop(&live);
	end_witness(child);
}

/* While it is held nobody traces the target, so it runs on though we be stopped; and what
   it uses meanwhile is no sample's. */
static void test_a_held_sampler_lets_go(void **state)
{
	(void)state;
	pid_t child = start_witness();
	uint64_t held_ns = 0;
	struct live live;
	live_start(&live, child, 500);
	for (int i = 0; i < 3; i++) {
		live_wait_for(&live, live.samples + 10);
		assert_true(tracer_of(child) > 0);
		sampler_hold(live.sampler, true);
		uint64_t began_ns = clock_read_ns(live.target.cpu_clock);
		assert_int_equal(tracer_of(child), 0);
		live_drain(&live);
		size_t held_at = live.samples;
		assert_progress();
		usleep(100000);
		live_drain(&live);
		assert_int_equal(live.samples, held_at);
		assert_false(live.ended);
		held_ns += clock_read_ns(live.target.cpu_clock) - began_ns;
		sampler_hold(live.sampler, false);
		live_wait_for(&live, held_at + 3);
	}
	assert_true(live.cpu_ns + held_ns <= clock_read_ns(live.target.cpu_clock));

	/* A target that ends while it is held is found to have ended. */
	sampler_hold(live.sampler, true);
	end_witness(child);
	sampler_hold(live.sampler, false);
	live_stop(&live);
	assert_int_equal(meter_get(&live.meter.target_exited), 1);
}

/* The target's task directory names a thread that is not there any more, and its number
   has gone to another process: that one is not sampled, and let go. */
static void test_strangers_are_let_go(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct witness *of_child = witness;
	pid_t stranger = start_witness();
	struct live live;
	struct error err = {""};
	char folder[] = "/tmp/unit-ptrace.XXXXXX", link_to[64], link_at[96], gone[96];
	assert_non_null(mkdtemp(folder));
	snprintf(link_to, sizeof(link_to), "/proc/%d/task/%d", child, child);
	snprintf(link_at, sizeof(link_at), "%s/%d", folder, child);
	snprintf(gone, sizeof(gone), "%s/%d", folder, stranger);
	assert_int_equal(symlink(link_to, link_at), 0);
	assert_int_equal(symlink("/gone", gone), 0);

	live = (struct live){0};
	assert_true(target_open(&live.target, child, &err));
	close(live.target.task_dir_fd);
	live.target.task_dir_fd = open(folder, O_RDONLY | O_DIRECTORY);
	live_begin(&live, 500);
	unlink(gone); /* or it would be seized again at the next listing */
	live_wait_for(&live, 20);
	assert_true(tracer_of(stranger) > 0); /* too late to be helped */
	assert_int_equal(meter_get(&live.meter.threads_now), 1);
	assert_progress();
	kill(stranger, SIGRTMIN);
	for (int i = 0; i < 10000 && tracer_of(stranger) != 0; i++)
		usleep(1000);
	assert_int_equal(tracer_of(stranger), 0);
	for (int i = 0; i < 10000 && !witness->signals; i++)
		usleep(1000);
	assert_int_equal(witness->signals, 1);
	live_stop(&live);
	assert_progress();
	end_witness(stranger);
	witness = of_child;
	end_witness(child);
	unlink(link_at);
	rmdir(folder);
}

int main(void)
{
	live_block_signals();
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_weigh_what_the_kernel_charged),
		cmocka_unit_test(test_the_end_of_the_target_ends_sampling),
		cmocka_unit_test(test_a_pause_charges_nothing),
		cmocka_unit_test(test_a_held_sampler_lets_go),
		cmocka_unit_test(test_strangers_are_let_go),
	};
	return unit_run(tests);
}
