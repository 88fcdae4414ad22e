/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One tracer, several processes: each has its own ring, meter and end, and sampling one
   does not delay another. */

#include "tests/lib/live.h"
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/facts/snapshot.h"
#include "src/process/task.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PROCESSES = 3,
	SIGNALS = 100,
	CROWD = 500,
};

struct one {
	pid_t pid;
	struct target target;
	struct ring *ring;
	struct meter *meter; /* the ring's */
	size_t samples;
	uint64_t cpu_ns;
	bool is_own; /* its last sample weighs what its own thread has used */
	bool ended;
};

/* Counted by the children themselves. */
struct counts {
	volatile uint64_t turns;
	volatile int signals;
};

static struct counts *counts;
static struct counts *volatile mine; /* of this child: a handler reads it */

static void count_signal(int number)
{
	(void)number;
	mine->signals++;
}

static void nobody(void *context)
{
	(void)context;
}

static pid_t start_child(struct counts *own)
{
	pid_t self = getpid(), pid = fork();
	if (pid > 0) {
		while (!own->turns)
			usleep(100);
		return pid;
	}
	struct sigaction action = {.sa_handler = count_signal};
	mine = own;
	sigaction(SIGRTMIN, &action, NULL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != self)
		_exit(1);
	for (;;)
		own->turns++;
}

static void open_one(struct one *one, struct counts *own)
{
	struct error err = {""};
	*one = (struct one){.pid = start_child(own)};
	if (!target_open(&one->target, one->pid, &err))
		fail_msg("%s", err.text);
	one->ring = ring_create(LIVE_SLOTS, LIVE_STACK_BYTES);
	one->meter = ring_meter(one->ring);
}

static void drain(struct one *one)
{
	const struct snapshot *record;
	while ((record = ring_peek(one->ring))) {
		assert_false(one->ended);
		assert_int_equal(record->kind == SNAPSHOT_SAMPLE ? record->tid : one->pid,
			one->pid);
		one->samples += record->kind == SNAPSHOT_SAMPLE;
		if (record->kind == SNAPSHOT_SAMPLE)
			one->is_own = !record->is_pooled;
		one->ended = record->kind == SNAPSHOT_END;
		one->cpu_ns += record->kind == SNAPSHOT_SAMPLE || one->ended
				       ? record->cpu_ns
				       : 0;
		ring_release(one->ring);
	}
}

static void drain_all(struct one *all)
{
	for (size_t i = 0; i < PROCESSES; i++)
		drain(&all[i]);
	usleep(1000);
}

/* Until each that has not ended has MORE samples than now. */
static void wait_for_samples(struct one *all, size_t more)
{
	size_t wanted[PROCESSES], short_of = 1;
	for (size_t i = 0; i < PROCESSES; i++)
		wanted[i] = all[i].samples + more;
	for (int tries = 0; tries < 20000 && short_of; tries++) {
		short_of = 0;
		drain_all(all);
		for (size_t i = 0; i < PROCESSES; i++)
			short_of += !all[i].ended && all[i].samples < wanted[i];
	}
	assert_int_equal(short_of, 0);
}

static void wait_for_ends(struct one *all, size_t ends)
{
	size_t ended = 0;
	for (int tries = 0; tries < 20000 && ended < ends; tries++) {
		ended = 0;
		drain_all(all);
		for (size_t i = 0; i < PROCESSES; i++)
			ended += all[i].ended;
	}
	assert_int_equal(ended, ends);
}

static void close_one(struct one *one)
{
	ring_destroy(one->ring);
	target_close(&one->target);
	if (one->pid) {
		kill(one->pid, SIGKILL);
		waitpid(one->pid, NULL, __WALL);
	}
}

static struct tracer *start(struct one *all)
{
	struct error err = {""};
	struct tracer_options options = live_options();
	counts = mmap(NULL, PROCESSES * sizeof(*counts), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(counts != MAP_FAILED);
	for (size_t i = 0; i < PROCESSES; i++)
		open_one(&all[i], &counts[i]);
	struct tracer *tracer = tracer_create(&options, 500, false, nobody, NULL, &err);
	assert_non_null(tracer);
	for (size_t i = 0; i < PROCESSES; i++)
		if (!tracer_add(tracer, &all[i].target, all[i].ring, &err))
			fail_msg("%s", err.text);
	return tracer;
}

static void drain_them(void *all)
{
	drain_all(all);
}

/* Leave them; each has its last record. */
static void stop(struct tracer *tracer, struct one *all)
{
	live_end_tracer(tracer, drain_them, all);
	for (size_t i = 0; i < PROCESSES; i++)
		assert_true(all[i].ended);
}

static void close_all(struct one *all)
{
	for (size_t i = 0; i < PROCESSES; i++)
		close_one(&all[i]);
	munmap(counts, PROCESSES * sizeof(*counts));
}

static void finish(struct tracer *tracer, struct one *all)
{
	stop(tracer, all);
	close_all(all);
}

/* The samples of ONE weigh most of what it was charged, and never more. A tracer that the machine
   keeps from its CPUs for too long is replaced: then what nobody weighs any more counts as not sampled. */
static void assert_most_is_weighed(const struct one *one)
{
	uint64_t kernel_ns = meter_get(&one->meter->cpu_kernel_ns);
	uint64_t gone_ns = meter_get(&one->meter->deaths)
				   ? meter_get(&one->meter->cpu_unsampled_ns)
				   : 0;
	assert_int_equal(one->samples, meter_get(&one->meter->samples));
	assert_int_equal(one->cpu_ns, meter_get(&one->meter->cpu_sampled_ns));
	assert_true(one->cpu_ns <= kernel_ns);
	assert_true(one->cpu_ns + gone_ns >= kernel_ns / 4 * 3);
}

static void test_each_has_its_own_samples(void **state)
{
	(void)state;
	struct one all[PROCESSES];
	struct tracer *tracer = start(all);
	wait_for_samples(all, 100);
	stop(tracer, all);
	for (size_t i = 0; i < PROCESSES; i++)
		assert_most_is_weighed(&all[i]);
	close_all(all);
}

static void test_signals_reach_all_of_them(void **state)
{
	(void)state;
	struct one all[PROCESSES];
	struct tracer *tracer = start(all);
	wait_for_samples(all, 10);
	for (int n = 0; n < SIGNALS; n++)
		for (size_t i = 0; i < PROCESSES; i++)
			kill(all[i].pid, SIGRTMIN);
	for (size_t i = 0; i < PROCESSES; i++) {
		for (int tries = 0; tries < 20000 && counts[i].signals < SIGNALS; tries++)
			drain_all(all);
		assert_int_equal(counts[i].signals, SIGNALS);
	}
	finish(tracer, all);
}

static void test_one_that_ends_leaves_the_others(void **state)
{
	(void)state;
	struct one all[PROCESSES];
	struct tracer *tracer = start(all);
	wait_for_samples(all, 10);
	kill(all[0].pid, SIGKILL);
	wait_for_ends(all, 1);
	assert_true(all[0].ended);
	assert_int_equal(meter_get(&all[0].meter->target_exited), 1);
	all[0].pid = 0;
	wait_for_samples(all, 20);
	/* Hold and go on, for the processes that are left. */
	tracer_hold(tracer, true);
	uint64_t turns = counts[1].turns;
	for (int tries = 0; tries < 10000 && counts[1].turns == turns; tries++)
		usleep(1000);
	assert_true(counts[1].turns > turns);
	tracer_hold(tracer, false);
	wait_for_samples(all, 20);
	assert_int_equal(meter_get(&all[1].meter->target_exited), 0);
	finish(tracer, all);
}

static void test_one_that_cannot_be_had_leaves_the_others(void **state)
{
	(void)state;
	struct one all[PROCESSES];
	struct ring *ring = ring_create(LIVE_SLOTS, LIVE_STACK_BYTES);
	struct tracer *tracer = start(all);
	struct target target;
	struct error err = {""};
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	assert_true(target_open(&target, pid, &err));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_false(tracer_add(tracer, &target, ring, &err));
	assert_string_not_equal(err.text, "");
	target_close(&target);
	wait_for_samples(all, 10);
	assert_null(ring_peek(ring));
	finish(tracer, all);
	ring_destroy(ring);
}

/* Until the only thread of each counts by itself. */
static void wait_for_own(struct one *all)
{
	size_t own = 0;
	for (int tries = 0; tries < 20000 && own < PROCESSES; tries++) {
		own = 0;
		drain_all(all);
		for (size_t i = 0; i < PROCESSES; i++)
			own += all[i].is_own;
	}
	assert_int_equal(own, PROCESSES);
}

/* Nobody reads for a while: what was lost is counted, and its CPU time is not lost, not even if
   its weight was that of the pool when it was lost, and is that of the thread now. */
static void test_an_overfull_ring_counts_what_it_loses(void **state)
{
	(void)state;
	struct one all[PROCESSES];
	struct tracer *tracer = start(all);
	for (int tries = 0; tries < 60000 && meter_get(&all[0].meter->lost) < 5; tries++)
		usleep(1000);
	assert_true(meter_get(&all[0].meter->lost) >= 5);
	usleep(1500 * 1000); /* threads are judged every half second */
	drain_all(all);
	wait_for_own(all);
	wait_for_samples(all, 50);
	stop(tracer, all);
	for (size_t i = 0; i < PROCESSES; i++)
		assert_most_is_weighed(&all[i]);
	close_all(all);
}

static void *idle(void *unused)
{
	for (;;)
		pause();
	return unused;
}

/* Of a ring: how many threads it told of, and whether it has ended. */
struct told {
	struct ring *ring;
	size_t threads;
	bool ended;
};

static void count_threads(void *context)
{
	struct told *told = context;
	const struct snapshot *record;
	while ((record = ring_peek(told->ring))) {
		told->threads += record->kind == SNAPSHOT_THREAD;
		told->ended |= record->kind == SNAPSHOT_END;
		ring_release(told->ring);
	}
}

static pid_t start_crowd(void)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < CROWD; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, idle, NULL);
	}
	for (;;)
		pause();
}

/* More threads than the ring has room for, and nobody reads it while they are found. */
static void test_every_thread_is_told_of(void **state)
{
	(void)state;
	struct error err = {""};
	struct target target;
	struct told told = {.ring = ring_create(LIVE_SLOTS, LIVE_STACK_BYTES)};
	struct tracer_options options = live_options();
	pid_t pid = start_crowd();
	assert_true(target_open(&target, pid, &err));
	for (int tries = 0; tries < 20000 && task_count(target.task_dir_fd) < CROWD;
		tries++)
		usleep(1000);
	struct tracer *tracer = tracer_create(&options, 200, false, nobody, NULL, &err);
	assert_non_null(tracer);
	if (!tracer_add(tracer, &target, told.ring, &err))
		fail_msg("%s", err.text);
	for (int tries = 0; tries < 20000 && told.threads <= CROWD; tries++) {
		count_threads(&told);
		usleep(1000);
	}
	assert_false(told.ended);
	live_end_tracer(tracer, count_threads, &told);
	assert_int_equal(told.threads, CROWD + 1);
	assert_true(told.ended);
	ring_destroy(told.ring);
	target_close(&target);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, __WALL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_has_its_own_samples),
		cmocka_unit_test(test_signals_reach_all_of_them),
		cmocka_unit_test(test_one_that_ends_leaves_the_others),
		cmocka_unit_test(test_one_that_cannot_be_had_leaves_the_others),
		cmocka_unit_test(test_every_thread_is_told_of),
		cmocka_unit_test(test_an_overfull_ring_counts_what_it_loses),
	};
	return unit_run(tests);
}
