/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/rescue.h"

#include "ptrace/capture.h"
#include "ptrace/event.h"
#include "ptrace/left-call.h"
#include "src/base/clock.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <time.h>

enum {
	PATIENCE_MS = 20,
};

static struct tracee_status await_stop(pid_t tid)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_MS * NS_PER_MS;
	struct tracee_status status = {TRACEE_NONE, 0};
	pid_t who;
	while (tracee_peek(P_PID, tid, &status, &who) &&
		(status.event == TRACEE_NONE || status.event == TRACEE_EXEC) &&
		clock_monotonic_ns() < until_ns) {
		if (status.event == TRACEE_EXEC)
			tracee_leave_exec(who);
		nanosleep(&(struct timespec){.tv_nsec = 20 * 1000}, NULL);
	}
	return status;
}

/* Retried, because a dying tracer detaches its threads one after the other. */
static bool seize(pid_t tid)
{
	uint64_t until_ns = clock_monotonic_ns() + PATIENCE_MS * NS_PER_MS;
	while (!tracee_seize(tid)) {
		if (errno != EPERM || clock_monotonic_ns() > until_ns)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = 10 * 1000}, NULL);
	}
	return true;
}

static void rescue(struct whole_call *call)
{
	pid_t tid = call->rest.tid;
	struct arch_regset regset;
	if (!seize(tid) || ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0)
		return;
	struct tracee_status status = await_stop(tid);
	if (status.event == TRACEE_GONE)
		tracee_reap(tid);
	if (status.event == TRACEE_NONE || status.event == TRACEE_GONE)
		return;
	/* If the rest has ended by itself, this stop may be in another call. */
	bool is_read = capture_registers(tid, &regset);
	if (is_read)
		left_call_find(tid, &regset);
	if (is_read && !whole_call_rescue(call, &regset))
		capture_restart(tid, &regset);
	ptrace(PTRACE_DETACH, tid, NULL, (long)status.signal);
}

void rescue_calls(struct tracer_calls *calls)
{
	for (size_t i = 0; i < TRACER_CALLS; i++) {
		struct whole_call *call = &calls->calls[i];
		if (call->is_asked)
			rescue(call);
		call->is_asked = false;
		calls->is_taken[i] = false;
	}
}
