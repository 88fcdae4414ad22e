/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever is done to the processes that sample: the target runs on, the recording goes
   on, and what was lost is counted. */

#include "tests/lib/live.h"
#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t tracer_of(pid_t session, pid_t other_than)
{
	return process_await_child(session, "cproftop-traces", other_than);
}

static void await_deaths(struct live *live, uint64_t deaths)
{
	for (int i = 0; i < 20000 && meter_get(&live->meter->deaths) < deaths; i++) {
		live_drain(live);
		usleep(1000);
	}
	/* One may have died by itself, if this machine is very busy. */
	assert_true(meter_get(&live->meter->deaths) >= deaths);
}

static void assert_books_balance(const struct live *live)
{
	uint64_t kernel_ns = meter_get(&live->meter->cpu_kernel_ns);
	uint64_t known_ns = meter_get(&live->meter->cpu_sampled_ns) +
			    meter_get(&live->meter->cpu_unsampled_ns);
	assert_int_equal(live->cpu_ns, meter_get(&live->meter->cpu_sampled_ns));
	assert_true(live->cpu_ns <= kernel_ns);
	/* A new tracer counts CPU time whose threads are not known any more; that is less
	   exact. */
	assert_true(known_ns <= kernel_ns + kernel_ns / 4);
}

/* NUMBER to one tracer after the other, at any moment. */
static void end_tracers(int number)
{
	enum {
		DEATHS = 15
	};
	pid_t child = start_witness(), tracer = 0;
	struct live live = {0};
	live_start(&live, child, 1000);
	for (uint64_t i = 1; i <= DEATHS; i++) {
		tracer = tracer_of(getpid(), tracer);
		live_wait_for(&live, live.samples + 10);
		usleep((useconds_t)(i * 337 % 2000));
		kill(tracer, number);
		await_deaths(&live, i);
		assert_progress();
		live_wait_for(&live, live.samples + 10);
		/* More than one in 25 ms is a fault that is given up on. */
		usleep(20000);
	}
	live_stop(&live);
	assert_books_balance(&live);
	assert_int_equal(process_tracer(child), 0);
	assert_progress();
	end_witness(child);
}

static void test_killed_tracers_are_replaced(void **state)
{
	(void)state;
	end_tracers(SIGKILL);
}

static void test_stopped_tracers_are_replaced(void **state)
{
	(void)state;
	end_tracers(SIGSTOP);
}

static void test_aborted_tracers_are_replaced(void **state)
{
	(void)state;
	end_tracers(SIGABRT);
}

/* Signals in numbers all the while: none is lost with a tracer. */
static void test_no_signal_dies_with_a_tracer(void **state)
{
	(void)state;
	enum {
		DEATHS = 10,
		SIGNALS = 200
	};
	pid_t child = start_witness(), tracer = 0;
	struct live live = {0};
	live_start(&live, child, 1000);
	for (uint64_t i = 1; i <= DEATHS; i++) {
		tracer = tracer_of(getpid(), tracer);
		live_wait_for(&live, live.samples + 5);
		witness->signals = witness->last_value = 0;
		if (fork() == 0) {
			usleep((useconds_t)(i * 337 % 3000));
			kill(tracer, SIGKILL);
			_exit(0);
		}
		live_send_numbered(&live, child, SIGNALS);
		await_deaths(&live, i);
		usleep(20000);
	}
	live_stop(&live);
	end_witness(child);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void test_a_target_that_ends_with_its_tracer(void **state)
{
	(void)state;
	for (int i = 0; i < 10; i++) {
		pid_t child = start_witness();
		struct live live = {0};
		live_start(&live, child, 1000);
		pid_t tracer = tracer_of(getpid(), 0);
		live_wait_for(&live, 10);
		kill(i % 2 ? tracer : child, SIGKILL);
		kill(i % 2 ? child : tracer, SIGKILL);
		live_wait_for_end(&live);
		assert_int_equal(meter_get(&live.meter->target_exited), 1);
		live_stop(&live);
		end_witness(child);
	}
}

/* A process that has had its last record gets no other, though its ring is still
   there. */
static void test_the_last_record_is_the_last(void **state)
{
	(void)state;
	pid_t child = start_witness(), tracer = 0;
	struct live live = {0};
	live_start(&live, child, 1000);
	live_wait_for(&live, 10);
	kill(child, SIGKILL);
	live_wait_for_end(&live);
	for (int i = 0; i < 3; i++) {
		tracer = tracer_of(getpid(), tracer);
		kill(tracer, SIGKILL);
		process_await_end(tracer);
	}
	tracer_of(getpid(), tracer);
	live_drain(&live); /* asserts that nothing comes after it */
	live_stop(&live);
	end_witness(child);
}

static void test_who_is_held_stays_held(void **state)
{
	(void)state;
	pid_t child = start_witness();
	struct live live = {0};
	live_start(&live, child, 1000);
	pid_t tracer = tracer_of(getpid(), 0);
	live_wait_for(&live, 10);
	tracer_hold(live.tracer, true);
	live_drain(&live);
	size_t held_at = live.samples;
	kill(tracer, SIGKILL);
	await_deaths(&live, 1);
	tracer_of(getpid(), tracer);
	for (int i = 0; i < 200; i++) {
		assert_int_equal(process_tracer(child), 0);
		usleep(1000);
	}
	live_drain(&live);
	assert_int_equal(live.samples, held_at);
	tracer_hold(live.tracer, false);
	live_wait_for(&live, held_at + 10);
	live_stop(&live);
	end_witness(child);
}

/* --- the session -------------------------------------------------------------------- */

/* A process that samples CHILD until it is killed. */
static pid_t start_session(pid_t child)
{
	int ready[2];
	char byte;
	assert_int_equal(pipe(ready), 0);
	pid_t session = fork();
	if (session == 0) {
		struct live live = {0};
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		signal(SIGSEGV, SIG_DFL); /* the test's own means something else */
		live_start(&live, child, 1000);
		live_wait_for(&live, 10);
		ssize_t ignored = write(ready[1], "r", 1);
		(void)ignored;
		for (;;) {
			live_drain(&live);
			usleep(1000);
		}
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return session;
}

static void test_nothing_outlives_a_session(void **state)
{
	(void)state;
	pid_t child = start_witness();
	for (int i = 0; i < 10; i++) {
		pid_t session = start_session(child);
		pid_t tracer = tracer_of(session, 0);
		usleep((useconds_t)(i * 337 % 2000));
		kill(session, i % 2 ? SIGKILL : SIGSEGV);
		assert_int_equal(waitpid(session, NULL, 0), session);
		process_await_end(tracer);
		assert_int_equal(process_tracer(child), 0);
		assert_progress();
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
	end_witness(child);
}

/* Nobody is there to kill the tracer but its dead-man. */
static void test_both_stopped(void **state)
{
	(void)state;
	pid_t child = start_witness(), session = start_session(child), tracer = 0;
	for (int i = 0; i < 10; i++) {
		tracer = tracer_of(session, tracer);
		usleep((useconds_t)(i * 337 % 2000));
		kill(session, SIGSTOP);
		kill(tracer, SIGSTOP);
		assert_progress();
		kill(session, SIGCONT);
	}
	tracer = tracer_of(session, tracer);
	kill(session, SIGKILL);
	kill(tracer, SIGKILL);
	assert_progress();
	process_await_end(tracer);
	assert_int_equal(process_tracer(child), 0);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	end_witness(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_killed_tracers_are_replaced),
		cmocka_unit_test(test_stopped_tracers_are_replaced),
		cmocka_unit_test(test_aborted_tracers_are_replaced),
		cmocka_unit_test(test_no_signal_dies_with_a_tracer),
		cmocka_unit_test(test_a_target_that_ends_with_its_tracer),
		cmocka_unit_test(test_the_last_record_is_the_last),
		cmocka_unit_test(test_who_is_held_stays_held),
		cmocka_unit_test(test_nothing_outlives_a_session),
		cmocka_unit_test(test_both_stopped),
	};
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	sigset_t child; /* as session_block_signals */
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	/* What a session leaves comes to us, to be waited for. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	return unit_run(tests);
}
