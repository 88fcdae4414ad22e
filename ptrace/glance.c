/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/glance.h"

#include "ptrace/asleep.h"
#include "ptrace/capture.h"
#include "ptrace/deadman.h"
#include "ptrace/event.h"
#include "ptrace/exec-again.h"
#include "ptrace/prompt-thread.h"
#include "ptrace/second-stack.h"
#include "src/base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	PATIENCE_MS = 100, /* to wait for a stop; less than DEADMAN_ALONE_MS */
	/* looks until a thread is still asleep, or still runs, when it is copied */
	TRIES = 3,
};

static int open_task_file(const struct target *target, pid_t tid, const char *name)
{
	char path[64];
	snprintf(path, sizeof(path), "%d/%s", tid, name);
	return openat(target->task_dir_fd, path, O_RDONLY | O_CLOEXEC);
}

struct apart {
	void *(*work)(void *context);
	void *context;
};

/* What it stops is not to wait for it on a busy machine. */
static void *run_apart(void *argument)
{
	const struct apart *apart = argument;
	prompt_thread();
	return apart->work(apart->context);
}

bool glance_apart(void *(*work)(void *context), void *context)
{
	struct apart apart = {work, context};
	pthread_t thread;
	return pthread_create(&thread, NULL, run_apart, &apart) == 0 &&
	       pthread_join(thread, NULL) == 0;
}

bool glance_stat(const struct target *target, pid_t tid, struct task_stat *stat)
{
	char path[64];
	snprintf(path, sizeof(path), "%d/stat", tid);
	return task_stat_at(target->task_dir_fd, path, stat);
}

static struct capture_memory memory_of(const struct glance_how *how)
{
	return (struct capture_memory){
		.memory = target_memory(how->target), .link = how->link};
}

static void copy_second(
	const struct glance_how *how, uint64_t thread_pointer, struct snapshot *slot)
{
	if (how->recipe)
		second_stack_copy(how->recipe, target_memory(how->target),
			how->target->maps_fd, thread_pointer, how->stack_bytes, slot);
}

/* How often TID got a CPU: if that is the same again, it has not run. */
static uint64_t slices_of(const struct glance_how *how, pid_t tid)
{
	struct task_account account = {.slices = 0};
	int fd = open_task_file(how->target, tid, "schedstat");
	if (fd >= 0) {
		task_read_account(fd, &account);
		close(fd);
	}
	return account.slices;
}

/* Nothing keeps the thread asleep: of the second stack, what was copied while it may have run is
   not used. */
static bool glance_asleep(
	const struct glance_how *how, pid_t tid, char task_state, struct snapshot *slot)
{
	struct capture_memory memory = memory_of(how);
	uint64_t slices = how->recipe ? slices_of(how, tid) : 0;
	int fd = open_task_file(how->target, tid, "syscall");
	struct capture_habit habit = {.reach = how->stack_bytes};
	bool done = fd >= 0 && asleep_copy(how->target, &memory, tid, fd, task_state,
				       how->stack_bytes, &habit, slot) == ASLEEP_COPIED;
	if (fd >= 0)
		close(fd);
	slot->state = THREAD_BLOCKED;
	if (done)
		copy_second(how, asleep_thread_pointer(&memory, tid), slot);
	return done && (slot->second_blocks == 0 || slices_of(how, tid) == slices);
}

/* Wait until TID stops. Does not consume the status. */
static struct tracee_status await_stop(pid_t tid)
{
	uint64_t deadline_ns = clock_monotonic_ns() + PATIENCE_MS * NS_PER_MS;
	for (;;) {
		struct tracee_status status;
		pid_t who;
		if (!tracee_peek(P_PID, tid, &status, &who))
			return (struct tracee_status){TRACEE_GONE, 0};
		if (status.event == TRACEE_EXEC)
			tracee_leave_exec(who);
		else if (status.event != TRACEE_NONE ||
			 clock_monotonic_ns() > deadline_ns)
			return status;
		struct timespec pause = {.tv_nsec = 20 * 1000};
		nanosleep(&pause, NULL);
	}
}

/* Detach in the present stop: a group-stop continues, a signal is delivered. */
static void let_go(pid_t tid, struct tracee_status status)
{
	ptrace(PTRACE_DETACH, tid, NULL, (long)status.signal);
}

struct stopping {
	pid_t tid;
	bool restart;
	void (*look)(void *context, pid_t tid);
	void *context;
	enum glance_result result;
	int errnum; /* of GLANCE_REFUSED */
};

static void look_in_stop(const struct stopping *stopping, struct tracee_status status)
{
	pid_t tid = stopping->tid;
	struct arch_regset regset;
	bool may_mend = capture_registers(tid, &regset) && stopping->restart;
	bool restarted = may_mend && capture_restart(tid, &regset);
	stopping->look(stopping->context, tid);
	/* This changes where it is, which the look is for. */
	if (may_mend && !restarted)
		exec_again(tid, &regset);
	let_go(tid, status);
}

static void *stop_apart(void *argument)
{
	struct stopping *stopping = argument;
	struct deadman deadman = {0};
	if (!deadman_init(&deadman, DEADMAN_ALONE_MS, NULL))
		return NULL;
	if (!tracee_seize(stopping->tid)) {
		stopping->errnum = errno;
		stopping->result = errno == ESRCH ? GLANCE_GONE : GLANCE_REFUSED;
		deadman_finish(&deadman);
		return NULL;
	}
	deadman_arm(&deadman);
	stopping->result = GLANCE_GONE;
	if (ptrace(PTRACE_INTERRUPT, stopping->tid, NULL, NULL) == 0) {
		struct tracee_status status = await_stop(stopping->tid);
		if (status.event == TRACEE_NONE) {
			stopping->result = GLANCE_ASIDE;
		} else if (status.event != TRACEE_GONE) {
			look_in_stop(stopping, status);
			stopping->result = GLANCE_DONE;
		}
	}
	deadman_finish(&deadman);
	return NULL;
}

/* Stop TID, whether it runs or sleeps, call LOOK in the stop, and let it go. */
static enum glance_result glance_stopped(
	pid_t tid, bool restart, void (*look)(void *context, pid_t tid), void *context)
{
	struct stopping stopping = {tid, restart, look, context, GLANCE_ASIDE, 0};
	glance_apart(stop_apart, &stopping);
	errno = stopping.errnum;
	return stopping.result;
}

static bool copy_stack(const struct capture_memory *memory, pid_t tid, size_t stack_bytes,
	size_t reach, struct snapshot *slot)
{
	struct capture_habit habit = {.reach = reach};
	return capture_registers(tid, &slot->regset) &&
	       capture_stack(memory, stack_bytes, &habit, slot) != CAPTURE_GONE;
}

bool glance_copy(
	const struct glance_how *how, pid_t tid, size_t reach, struct snapshot *slot)
{
	struct capture_memory memory = memory_of(how);
	if (!copy_stack(&memory, tid, how->stack_bytes, reach, slot))
		return false;
	copy_second(how, 0, slot);
	return true;
}

struct copy {
	const struct glance_how *how;
	struct snapshot *slot;
	bool done;
};

static void copy_stopped(void *context, pid_t tid)
{
	struct copy *copy = context;
	copy->done = glance_copy(copy->how, tid, copy->how->stack_bytes, copy->slot);
}

struct group_stop {
	const struct capture_memory *memory;
	pid_t tid;
	size_t stack_bytes;
	struct snapshot *slot;
	bool done;
};

/* If it does not report a group-stop, SIGCONT came: then the end of this thread detaches from one
   that runs, which does not notice. So it does from one that has died meanwhile. */
static void *look_in_group_stop(void *argument)
{
	struct group_stop *stop = argument;
	struct deadman deadman = {0};
	if (!deadman_init(&deadman, DEADMAN_ALONE_MS, NULL))
		return NULL;
	/* That waits until the thread, which stands anyway, has had a CPU. */
	if (tracee_seize(stop->tid)) {
		deadman_arm(&deadman);
		struct tracee_status status = await_stop(stop->tid);
		if (status.event != TRACEE_NONE && status.event != TRACEE_GONE) {
			stop->done = copy_stack(stop->memory, stop->tid,
				stop->stack_bytes, stop->stack_bytes, stop->slot);
			let_go(stop->tid, status);
		}
	}
	deadman_finish(&deadman);
	return NULL;
}

bool glance_in_group_stop(const struct capture_memory *memory, pid_t tid,
	size_t stack_bytes, struct snapshot *slot)
{
	struct group_stop stop = {memory, tid, stack_bytes, slot, false};
	if (!glance_apart(look_in_group_stop, &stop))
		return false;
	slot->state = THREAD_BLOCKED;
	slot->call = (struct snapshot_call){.nr = -1, .task_state = 'T'};
	return stop.done;
}

enum glance_result glance_thread(const struct glance_how *how, pid_t tid,
	struct snapshot *slot, struct task_stat *stat)
{
	struct capture_memory memory = memory_of(how);
	for (int try = 0; try < TRIES; try++) {
		if (!glance_stat(how->target, tid, stat))
			return GLANCE_GONE;
		*slot = (struct snapshot){.kind = SNAPSHOT_SAMPLE, .tid = tid};
		memcpy(slot->name, stat->name, sizeof(slot->name));
		if (stat->state == 'T' &&
			glance_in_group_stop(&memory, tid, how->stack_bytes, slot)) {
			copy_second(how, 0, slot);
			return GLANCE_DONE;
		}
		if (stat->state != 'R') {
			if (glance_asleep(how, tid, stat->state, slot))
				return GLANCE_DONE;
			continue; /* it woke up: read its state again */
		}
		struct copy copy = {how, slot, false};
		enum glance_result result =
			glance_stopped(tid, how->restart, copy_stopped, &copy);
		return result == GLANCE_DONE && !copy.done ? GLANCE_GONE : result;
	}
	return GLANCE_ASIDE;
}
