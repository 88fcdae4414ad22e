/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/roundup.h"

#include "ptrace/capture.h"
#include "ptrace/deadman.h"
#include "ptrace/event.h"
#include "ptrace/exec-again.h"
#include "src/base/clock.h"
#include "src/base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

enum {
	PATIENCE_MS = 1000, /* to wait for the next thread to get a CPU and stop */
	PAUSE_NS = 20 * 1000,
};

struct work {
	struct roundup *roundup;
	const struct glance_how *how;
	const pid_t *tids;
	size_t n_tids, slot_bytes;
	struct deadman deadman;
	size_t owed; /* stops that were asked for and have not come yet */
};

static struct rounded_up *find(const struct roundup *roundup, pid_t tid)
{
	vec_each (&roundup->threads, thread)
		if (thread->tid == tid)
			return thread;
	return NULL;
}

const struct rounded_up *roundup_find(const struct roundup *roundup, pid_t tid)
{
	return find(roundup, tid);
}

void roundup_finish(struct roundup *roundup)
{
	vec_free(&roundup->threads);
	free(roundup->memory);
}

/* THREAD is stopped: copy it and let it go. */
static void copy_and_let_go(
	struct work *work, struct rounded_up *thread, struct tracee_status status)
{
	struct snapshot *slot = thread->snapshot;
	*slot = (struct snapshot){.kind = SNAPSHOT_SAMPLE, .tid = thread->tid};
	memcpy(slot->name, thread->stat.name, sizeof(slot->name));
	bool copied = glance_copy(work->how, thread->tid, 0, slot);
	if (copied && work->how->restart && !capture_restart(thread->tid, &slot->regset))
		exec_again(thread->tid, &slot->regset);
	ptrace(PTRACE_DETACH, thread->tid, NULL, (long)status.signal);
	thread->result = copied ? GLANCE_DONE : GLANCE_GONE;
}

/* Handle one thread that has stopped or ended. False if there is none. */
static bool take_one(struct work *work)
{
	struct tracee_status status;
	pid_t tid;
	if (!tracee_peek(P_ALL, 0, &status, &tid) || status.event == TRACEE_NONE)
		return false;
	struct rounded_up *thread = find(work->roundup, tid);
	bool is_owed = thread && thread->result == GLANCE_ASIDE;
	if (status.event == TRACEE_GONE)
		tracee_reap(tid);
	else if (status.event == TRACEE_EXEC)
		tracee_leave_exec(tid);
	else if (is_owed)
		copy_and_let_go(work, thread, status);
	else /* a child that it has made, or a thread given up before */
		ptrace(PTRACE_DETACH, tid, NULL, (long)status.signal);
	if (is_owed && status.event == TRACEE_GONE)
		thread->result = GLANCE_GONE;
	work->owed -= is_owed && status.event != TRACEE_EXEC;
	if (work->owed == 0) /* nothing stands */
		deadman_disarm(&work->deadman);
	return true;
}

static void interrupt(struct work *work, pid_t tid)
{
	struct rounded_up thread = {.tid = tid, .result = GLANCE_ASIDE};
	if (!glance_stat(work->how->target, tid, &thread.stat) ||
		thread.stat.state != 'R' || !tracee_seize(tid))
		return;
	deadman_arm(&work->deadman);
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) != 0)
		thread.result = GLANCE_GONE;
	work->owed += thread.result == GLANCE_ASIDE;
	size_t index = work->roundup->threads.len;
	thread.snapshot = (void *)(work->roundup->memory + index * work->slot_bytes);
	vec_push(&work->roundup->threads, thread);
}

static void *take_apart(void *argument)
{
	struct work *work = argument;
	if (!deadman_init(&work->deadman, DEADMAN_ALONE_MS, NULL))
		return NULL;
	for (size_t i = 0; i < work->n_tids; i++) {
		interrupt(work, work->tids[i]);
		while (work->owed > 0 && take_one(work))
			;
	}
	uint64_t last_ns = clock_monotonic_ns();
	while (work->owed > 0 &&
		clock_monotonic_ns() - last_ns < PATIENCE_MS * NS_PER_MS) {
		deadman_arm(&work->deadman);
		if (take_one(work))
			last_ns = clock_monotonic_ns();
		else
			nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
	}
	deadman_finish(&work->deadman);
	return NULL;
}

void roundup_take(struct roundup *roundup, const struct glance_how *how,
	const pid_t *tids, size_t n_tids)
{
	struct work work = {
		.roundup = roundup,
		.how = how,
		.tids = tids,
		.n_tids = n_tids,
		.slot_bytes = sizeof(struct snapshot) + how->stack_bytes / 8 * 8 + 8,
	};
	assert(n_tids <= ROUNDUP_MAX);
	*roundup = (struct roundup){0};
	/* Allocate before anything is stopped. Pages that are not written to take no
	   memory. */
	vec_reserve(&roundup->threads, n_tids);
	roundup->memory = mem_alloc(n_tids * work.slot_bytes);
	glance_apart(take_apart, &work);
}
