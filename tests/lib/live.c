/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/live.h"

#include "tests/lib/unit.h"

#include "src/model/snapshot.h"

#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct witness *witness;

static void count_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	if (info->si_value.sival_int == witness->last_value + 1)
		witness->last_value++;
	witness->signals++;
}

void live_block_signals(void)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
}

pid_t start_witness(void)
{
	witness = mmap(NULL, sizeof(*witness), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_true(witness != MAP_FAILED);
	pid_t child = fork();
	if (child == 0) {
		struct sigaction action = {
			.sa_sigaction = count_signal, .sa_flags = SA_SIGINFO};
		sigaction(SIGRTMIN, &action, NULL);
		prctl(PR_SET_PDEATHSIG, SIGKILL);
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

static void nobody(void *context)
{
	(void)context;
}

void live_begin(struct live *live, unsigned hz)
{
	struct error err = {""};
	live->ring = ring_create(64, 4096);
	struct sampler_options options = {
		.frequency_hz = hz, .seed = 1, .restart_syscalls = true, .wake = nobody};
	live->sampler =
		sampler_start(&live->target, live->ring, &live->meter, &options, &err);
	if (!live->sampler)
		fail_msg("%s", err.text);
}

void live_start(struct live *live, pid_t pid, unsigned hz)
{
	struct error err = {""};
	*live = (struct live){0};
	if (!target_open(&live->target, pid, &err))
		fail_msg("%s", err.text);
	live_begin(live, hz);
}

void live_drain(struct live *live)
{
	const struct snapshot *record;
	while (live->ring && (record = ring_peek(live->ring))) {
		if (record->kind == SNAPSHOT_SAMPLE) {
			struct arch_registers registers;
			assert_true(snapshot_registers(record, &registers));
			assert_true(snapshot_stack_at(
					    record, arch_get_sp(&registers), 8) != NULL);
			live->samples++;
			live->cpu_ns += record->cpu_ns;
		}
		live->ended |= record->kind == SNAPSHOT_END;
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
	for (int i = 0; i < 10000 && witness->signals < count; i++) {
		live_drain(live);
		usleep(1000);
	}
	assert_int_equal(witness->signals, count);
	assert_int_equal(witness->last_value, count);
}

void live_wait_for(struct live *live, size_t samples)
{
	for (int i = 0; i < 10000 && live->samples < samples; i++) {
		live_drain(live);
		usleep(1000);
	}
	assert_true(live->samples >= samples);
}

void live_stop(struct live *live)
{
	sampler_stop(live->sampler);
	for (int i = 0; i < 10000 && !live->ended; i++) {
		live_drain(live);
		usleep(1000);
	}
	sampler_destroy(live->sampler);
	live_drain(live);
	assert_true(live->ended);
	ring_destroy(live->ring);
	target_close(&live->target);
}

void assert_progress(void)
{
	uint64_t turns = witness->turns;
	for (int i = 0; i < 10000 && witness->turns == turns; i++)
		usleep(1000);
	assert_true(witness->turns > turns);
}

long tracer_of(pid_t pid)
{
	char path[64], line[256];
	long tracer = -1;
	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (sscanf(line, "TracerPid: %ld", &tracer) == 1)
			break;
	fclose(file);
	return tracer;
}
