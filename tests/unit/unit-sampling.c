/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling a child: the weights of samples, and how sampling pauses, detaches and
   ends. */

#include "tests/lib/live.h"
#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include "src/base/clock.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_samples_weigh_what_the_kernel_charged(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live = {0};
	live_start(&live, child, 1000);
	live_wait_for(&live, 300);
	live_stop(&live);
	uint64_t kernel_ns = meter_get(&live.meter->cpu_kernel_ns);
	assert_int_equal(live.cpu_ns, meter_get(&live.meter->cpu_sampled_ns));
	/* What is not covered is the time since the last sample: some periods. */
	assert_true(live.cpu_ns <= kernel_ns);
	assert_true(live.cpu_ns >= kernel_ns - kernel_ns / 10);
	assert_int_equal(live.samples, meter_get(&live.meter->samples));
	assert_true(meter_get(&live.meter->stops) >= live.samples);
	assert_progress();
	end_witness(child);
}

static void test_the_end_of_the_target_ends_sampling(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live = {0};
	live_start(&live, child, 1000);
	live_wait_for(&live, 10);
	kill(child, SIGKILL);
	live_wait_for_end(&live);
	assert_int_equal(meter_get(&live.meter->target_exited), 1);
	assert_int_equal(live.threads, 1);
	assert_int_equal(live.threads_ended, 1);
	live_stop(&live);
	waitpid(child, NULL, __WALL);
	munmap(witness, sizeof(*witness));
}

static void test_a_pause_charges_nothing(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live = {0};
	live_start(&live, child, 500);
	live_wait_for(&live, 20);
	tracer_set_frequency(live.tracer, 0);
	usleep(50000);
	live_drain(&live);
	size_t paused_at = live.samples;
	usleep(200000);
	live_drain(&live);
	assert_in_range(live.samples, paused_at, paused_at + 1);
	uint64_t before_ns = live.cpu_ns;
	tracer_set_frequency(live.tracer, 500);
	live_wait_for(&live, paused_at + 3);
	assert_true(live.cpu_ns - before_ns < 150 * NS_PER_MS);
	live_stop(&live);
	end_witness(child);
}

/* Between samples the target belongs to itself. On a busy machine it is attached to until
   it gets a CPU to stop on, which may be most of the time. */
static void test_nobody_is_attached_between_samples(void **state)
{
	(void)state;
	enum {
		LOOKS = 500
	};
	pid_t child = start_witness();
	struct live live = {0};
	size_t alone = 0;
	live_start(&live, child, 100);
	live_wait_for(&live, 10);
	size_t before = live.samples;
	for (int i = 0; i < LOOKS; i++) {
		alone += process_tracer(child) == 0;
		usleep(1000);
		live_drain(&live);
	}
	assert_true(live.samples > before);
	print_message("# nobody was attached in %zu of %d looks\n", alone, LOOKS);
	assert_true(alone > LOOKS / 10);
	live_stop(&live);
	end_witness(child);
}

/* A debugger can have the target at any time. Meanwhile there are no samples, and the
   meter names the other tracer; afterwards there are samples again. */
static void test_another_tracer_goes_first(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live = {0};
	live_start(&live, child, 500);
	live_wait_for(&live, 10);
	for (int i = 0; i < 10000 && ptrace(PTRACE_SEIZE, child, NULL, NULL) != 0; i++)
		usleep(100);
	assert_int_equal(process_tracer(child), getpid());
	for (int i = 0; i < 20000 && !meter_get(&live.meter->tracer_pid); i++) {
		live_drain(&live);
		usleep(1000);
	}
	assert_int_equal(meter_get(&live.meter->tracer_pid), getpid());
	assert_true(meter_get(&live.meter->refused) > 0);
	live_drain(&live);
	size_t held_at = live.samples;
	usleep(100000);
	live_drain(&live);
	assert_int_equal(live.samples, held_at);
	assert_progress();

	assert_int_equal(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
	waitpid(child, NULL, __WALL);
	assert_int_equal(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
	live_wait_for(&live, held_at + 10);
	for (int i = 0; i < 20000 && meter_get(&live.meter->tracer_pid); i++) {
		live_drain(&live);
		usleep(1000);
	}
	assert_int_equal(meter_get(&live.meter->tracer_pid), 0);
	live_stop(&live);
	end_witness(child);
}

/* While it is held there are no samples, nobody touches the target, and what that uses
   meanwhile is no sample's. */
static void test_a_held_tracer_takes_no_samples(void **state)
{
	(void)state;
	pid_t child = start_witness();
	uint64_t held_ns = 0;
	struct live live = {0};
	live_start(&live, child, 500);
	for (int i = 0; i < 3; i++) {
		live_wait_for(&live, live.samples + 10);
		tracer_hold(live.tracer, true);
		uint64_t began_ns = clock_read_ns(live.target.cpu_clock);
		live_drain(&live);
		size_t held_at = live.samples;
		assert_progress();
		for (int look = 0; look < 100; look++) {
			assert_int_equal(process_tracer(child), 0);
			usleep(1000);
		}
		live_drain(&live);
		assert_int_equal(live.samples, held_at);
		assert_false(live.ended);
		held_ns += clock_read_ns(live.target.cpu_clock) - began_ns;
		tracer_hold(live.tracer, false);
		live_wait_for(&live, held_at + 3);
	}
	assert_true(live.cpu_ns + held_ns <= clock_read_ns(live.target.cpu_clock));

	/* A target that ends while it is held is found to have ended. */
	tracer_hold(live.tracer, true);
	end_witness(child);
	tracer_hold(live.tracer, false);
	live_wait_for_end(&live);
	assert_int_equal(meter_get(&live.meter->target_exited), 1);
	live_stop(&live);
}

/* Wall clock: a sleeper is looked at, and told of, and never touched. */
static void test_a_sleeper_is_never_attached_to(void **state)
{
	(void)state;
	pid_t child = fork();
	if (child == 0)
		for (;;)
			pause();
	process_await_state(child, 'S');
	struct live live = {.wall = true};
	live_start(&live, child, 500);
	for (int i = 0; i < 300 || (i < 20000 && !live.asleep); i++) {
		assert_int_equal(process_tracer(child), 0);
		usleep(1000);
		live_drain(&live);
	}
	assert_true(live.asleep > 0);
	assert_int_equal(live.task_state, 'S');
	assert_int_equal(live.samples, 0);
	assert_int_equal(meter_get(&live.meter->stops), 0);
	live_stop(&live);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples_weigh_what_the_kernel_charged),
		cmocka_unit_test(test_the_end_of_the_target_ends_sampling),
		cmocka_unit_test(test_a_pause_charges_nothing),
		cmocka_unit_test(test_nobody_is_attached_between_samples),
		cmocka_unit_test(test_another_tracer_goes_first),
		cmocka_unit_test(test_a_held_tracer_takes_no_samples),
		cmocka_unit_test(test_a_sleeper_is_never_attached_to),
	};
	return unit_run(tests);
}
