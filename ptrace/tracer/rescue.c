/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/rescue.h"

#include "ptrace/capture.h"
#include "ptrace/event.h"
#include "src/base/clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <time.h>
#include <unistd.h>

enum {
	PATIENCE_MS = 20,
};

static struct tracee_status await_stop(pid_t tid)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_MS * NS_PER_MS;
	struct tracee_status status = {TRACEE_NONE, 0};
	pid_t who;
	while (tracee_peek(P_PID, tid, &status, &who) && status.event == TRACEE_NONE &&
		clock_monotonic_ns() < until_ns)
		nanosleep(&(struct timespec){.tv_nsec = 20 * 1000}, NULL);
	return status;
}

/* On a thread of its own: if the stop does not come, its end lets the other one go. */
static void *rescue(void *argument)
{
	struct whole_call *call = argument;
	char path[32];
	struct arch_regset regset;
	snprintf(path, sizeof(path), "/proc/%d/mem", (int)call->tid);
	call->mem_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (call->mem_fd < 0 || ptrace(PTRACE_SEIZE, call->tid, NULL, NULL) != 0 ||
		ptrace(PTRACE_INTERRUPT, call->tid, NULL, NULL) != 0)
		return NULL;
	struct tracee_status status = await_stop(call->tid);
	if (status.event == TRACEE_GONE)
		tracee_reap(call->tid);
	if (status.event == TRACEE_NONE || status.event == TRACEE_GONE)
		return NULL;
	if (capture_registers(call->tid, &regset))
		whole_call_rescue(call, &regset);
	ptrace(PTRACE_DETACH, call->tid, NULL, (long)status.signal);
	return NULL;
}

void rescue_calls(struct tracer_control *control)
{
	for (size_t i = 0; i < TRACER_CALLS; i++) {
		struct whole_call *call = &control->calls[i];
		pthread_t thread;
		call->mem_fd = -1;
		if (call->is_asked && pthread_create(&thread, NULL, rescue, call) == 0)
			pthread_join(thread, NULL);
		if (call->mem_fd >= 0)
			close(call->mem_fd);
		call->is_asked = false;
		control->call_is_taken[i] = false;
	}
}
