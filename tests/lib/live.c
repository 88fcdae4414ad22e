/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/live.h"

#include "tests/lib/unit.h"

#include "src/facts/snapshot.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	WAITS = 20000, /* a millisecond each */
	MANY = 100,    /* samples */
};

struct witness *witness;

static void count_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (info->si_value.sival_int == witness->last_value + 1)
		witness->last_value++;
	witness->signals++;
}

pid_t start_witness(void)
{
	witness = mmap(NULL, sizeof(*witness), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(witness != MAP_FAILED);
	pid_t self = getpid(), child = fork();
	if (child == 0) {
		struct sigaction action = {
			.sa_sigaction = count_signal, .sa_flags = SA_SIGINFO};
		sigaction(SIGRTMIN, &action, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != self)
			_exit(1);
		for (;;)
			witness->turns++;
	}
	while (!witness->turns)
		usleep(100);
	return child;
}

void end_witness(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, __WALL);
	munmap(witness, sizeof(*witness));
}

void assert_progress(void)
{
	uint64_t turns = witness->turns;
	for (int i = 0; i < WAITS && witness->turns == turns; i++)
		usleep(1000);
	assert_true(witness->turns > turns);
}

static void nobody(void *context)
{
	(void)context;
}

struct tracer_options live_options(void)
{
	return (struct tracer_options){
		.seed = 1, .restart_syscalls = true, .stack_bytes = LIVE_STACK_BYTES};
}

/* The test's own child is a fork of it, so [stack] is where its stack is. */
void live_tell_bounds(struct ring *ring, pid_t tid)
{
	char path[32], line[512];
	struct stack_bounds bounds = {0};
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)tid);
	FILE *file = fopen(path, "re");
	while (file && !bounds.high && fgets(line, sizeof(line), file)) {
		unsigned long low, high;
		if (strstr(line, "[stack]") && sscanf(line, "%lx-%lx", &low, &high) == 2)
			bounds = (struct stack_bounds){low, high};
	}
	if (file)
		fclose(file);
	advice_bounds(ring_advice(ring), tid, &bounds);
}

void live_start(struct live *live, pid_t pid, unsigned hz)
{
	struct error err = {""};
	struct tracer_options options = live_options();
	*live = (struct live){.wall = live->wall};
	if (!target_open(&live->target, pid, &err))
		fail_msg("%s", err.text);
	live->ring = ring_create(LIVE_SLOTS, LIVE_STACK_BYTES);
	live->meter = ring_meter(live->ring);
	live->tracer = tracer_create(&options, hz, live->wall, nobody, NULL, &err);
	if (!live->tracer || !tracer_add(live->tracer, &live->target, live->ring, &err))
		fail_msg("%s", err.text);
}

static void count_sample(struct live *live, const struct snapshot *record)
{
	struct arch_registers registers;
	assert_true(snapshot_registers(record, &registers));
	if (record->state == THREAD_BLOCKED) {
		live->asleep++;
		live->task_state = record->call.task_state;
		return;
	}
	/* Whoever reads memory that might keep it waiting has a deadline. */
	bool is_there = snapshot_stack_at(record, arch_get_sp(&registers), 8) != NULL;
	assert_true(is_there || record->stack_length == 0);
	live->without += !is_there;
	live->samples++;
	live->cpu_ns += record->cpu_ns;
}

/* A tracer that has just found it knows nothing of it. */
static void take_thread(struct live *live, pid_t tid)
{
	live->threads++;
	advice_forget(ring_advice(live->ring), tid);
	if (tid == live->target.pid)
		live_tell_bounds(live->ring, tid);
}

void live_drain(struct live *live)
{
	const struct snapshot *record;
	while (live->ring && (record = ring_peek(live->ring))) {
		assert_false(live->ended);
		if (record->kind == SNAPSHOT_SAMPLE)
			count_sample(live, record);
		if (record->kind == SNAPSHOT_THREAD)
			take_thread(live, record->tid);
		live->threads_ended += record->kind == SNAPSHOT_THREAD_EXIT;
		live->ended = record->kind == SNAPSHOT_END;
		live->cpu_ns += live->ended ? record->cpu_ns : 0;
		ring_release(live->ring);
	}
}

void live_send_numbered(struct live *live, pid_t child, int count)
{
	for (int i = 1; i <= count; i++) {
		union sigval value = {.sival_int = i};
		while (sigqueue(child, SIGRTMIN, value) != 0)
			usleep(100);
		if (i % 50 == 0)
			live_drain(live);
	}
	for (int i = 0; i < WAITS && witness->signals < count; i++) {
		live_drain(live);
		usleep(1000);
	}
	assert_int_equal(witness->signals, count);
	assert_int_equal(witness->last_value, count);
}

void live_wait_for(struct live *live, size_t samples)
{
	for (int i = 0; i < WAITS && live->samples < samples; i++) {
		live_drain(live);
		usleep(1000);
	}
	assert_true(live->samples >= samples);
}

void live_wait_for_end(struct live *live)
{
	for (int i = 0; i < WAITS && !live->ended; i++) {
		live_drain(live);
		usleep(1000);
	}
	assert_true(live->ended);
}

struct ending {
	struct tracer *tracer;
	_Atomic bool done;
};

static void *end_it(void *context)
{
	struct ending *ending = context;
	tracer_destroy(ending->tracer);
	ending->done = true;
	return NULL;
}

void live_end_tracer(struct tracer *tracer, void (*drain)(void *context), void *context)
{
	struct ending ending = {.tracer = tracer};
	pthread_t thread;
	assert_int_equal(pthread_create(&thread, NULL, end_it, &ending), 0);
	while (!ending.done) {
		drain(context);
		usleep(1000);
	}
	pthread_join(thread, NULL);
	drain(context);
}

static void drain_it(void *context)
{
	live_drain(context);
}

void live_stop(struct live *live)
{
	live_end_tracer(live->tracer, drain_it, live);
	assert_true(live->ended);
	assert_true(live->samples < MANY || live->without <= live->samples / 2);
	meter_copy(live->meter, &live->last);
	live->meter = &live->last;
	ring_destroy(live->ring);
	target_close(&live->target);
	live->ring = NULL;
}
