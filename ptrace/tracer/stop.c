/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One stop. Between the stop and the detach only the necessary is done: wait, read the
   registers, read the stack; and complete a system call that was cut short. Everything
   else is done when the thread runs again. After a successful attach every path ends with
   a detach, or with the end of the thread that attached, which detaches, too. */

#include "ptrace/tracer/sampler-private.h"

#include "ptrace/event.h"
#include "ptrace/exec-again.h"
#include "ptrace/left-call.h"
#include "ptrace/mapped.h"
#include "ptrace/second-stack.h"
#include "src/base/clock.h"
#include "src/process/memory.h"
#include "src/process/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	/* How long to spin for the stop of a thread on another CPU, which comes sooner
	   than a sleeping tracer wakes up. */
	SPIN_US = 80,
	REHEARSALS_MAX = 4, /* that had to wait */
	FIRST_STOPS = 8,
	FIRST_REHEARSALS = 64,
};

static bool must_leave(const struct sampler *sampler)
{
	return sampler->is_in_call ? sampler->must_abandon : sampler->is_replaced;
}

/* If the thread waits for a CPU or is held by the kernel, it is not kept stopped. The
   lookout decides how long to wait (samplers_tend). */
static void postpone_deadman(struct sampler *sampler)
{
	tracing_poke(sampler->tracing);
	if (!sampler->is_in_call && task_state(sampler->asked_tid) != 't')
		deadman_arm(&sampler->deadman);
}

/* Let a thread go in its present stop: a group-stop continues, a signal is delivered. Of
   one that has died the status is consumed: until it is reaped, an exec of its process
   waits for it, and so does the parent of a process. */
static void let_go(pid_t tid, struct tracee_status status)
{
	if (status.event == TRACEE_GONE)
		tracee_reap(tid);
	else
		ptrace(PTRACE_DETACH, tid, NULL, (long)status.signal);
}

/* Wait until the thread that this sampler has attached to stops or ends. A child that it
   makes meanwhile with CLONE_PTRACE is attached to us by the kernel, and stops before its
   first instruction (ptrace_init_task, include/linux/ptrace.h): such a one is let go at
   once. The status is not consumed, see tracee_peek. The wait is not for the thread's number: if another
   thread calls exec, it takes the leader's number, the leader disappears without an
   event, and a wait for that number is not woken (de_thread, fs/exec.c; seen on 6.18).
   TRACEE_NONE if the sampler must end. *WHO is the number that the thread has now: if it
   has called exec itself, it is the leader. */
static struct tracee_status wait_for(struct sampler *sampler, bool spins, pid_t *who)
{
	siginfo_t info;
	int flags = WSTOPPED | WEXITED | WNOWAIT | __WALL | __WNOTHREAD;
	uint64_t spin_until_ns = spins ? clock_monotonic_ns() + SPIN_US * NS_PER_US : 0;
	for (;;) {
		bool spin = spin_until_ns && clock_monotonic_ns() < spin_until_ns;
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, flags | (spin ? WNOHANG : 0)) != 0) {
			if (errno != EINTR)
				return (struct tracee_status){TRACEE_GONE, 0};
			if (must_leave(sampler))
				return (struct tracee_status){TRACEE_NONE, 0};
			postpone_deadman(sampler);
		} else if (info.si_pid == sampler->asked_tid ||
			   info.si_pid == sampler->asked_pid) {
			struct tracee_status status = tracee_decode(&info);
			*who = info.si_pid;
			if (status.event != TRACEE_EXEC)
				return status;
			tracee_leave_exec(*who);
		} else if (info.si_pid != 0) {
			let_go(info.si_pid, tracee_decode(&info));
		}
	}
}

/* How often this thread has slept: for a lock, and not because others got its CPU. */
static long times_slept(void)
{
	struct rusage usage;
	return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nvcsw : 0;
}

/* Read a word of the target, and ignore it. Had that to wait? */
static bool read_waits(int memory, uint64_t address)
{
	uint64_t word;
	long slept = times_slept();
	memory_read(memory, &word, sizeof(word), address);
	return times_slept() != slept;
}

/* If another thread holds mmap_lock, a read waits for it, so one is made while our thread is not
   stopped yet, and the read in the stop rarely has to. Where threads wait for that lock all the
   time it has to nevertheless: there a copier reads, which is not waited for for long; and nobody
   waits before the stop, or who is in munmap would be sampled behind it (of apache 13 % of the
   samples were in munmap, where perf has 18). Before the first stops of a process, and those that
   follow such a time, one free read does not say much: without more of them a stop of apache took 4
   to 28 ms in 7 of 10 recordings, and with 64 none took more than 1.2. An only thread has
   nobody to wait for. */
static void rehearse(const struct stop *stop)
{
	struct sampling *sampling = stop->sampling;
	uint64_t anywhere = sampling->anywhere;
	int memory = target_memory(&sampling->target);
	/* A call may wait for ever, for a handler of page faults. */
	if (anywhere == 0 || stop->is_alone || memory_is_by_calls(memory) ||
		clock_monotonic_ns() < sampling->contended_ns)
		return;
	int wanted = sampling->rehearsed < FIRST_STOPS ? FIRST_REHEARSALS : 1;
	sampling->rehearsed += wanted > 1;
	for (int waits = 0, reads = 0; waits < REHEARSALS_MAX && reads < wanted; reads++)
		if (read_waits(memory, anywhere)) {
			sampling_note_contention(sampling);
			waits++;
			reads = -1;
			wanted = 1;
		}
}

/* The memory of WHO, while it stands. A call takes the target's mmap_lock once for a whole stack, a
   read of its file once for each page: where threads map and unmap all the time, as those of a
   server do that maps what it sends, each of them may have to wait. But a call also waits for
   who handles page faults in user space. So if a tracer has died, whatever of, the next one
   takes the other way. */
static int memory_of(struct stop *stop, pid_t who)
{
	const struct sampling *sampling = stop->sampling;
	bool has_died = meter_get(&sampling->meter->deaths) % 2 != 0;
	bool may_call = !stop->is_alone && !has_died && sampling->tracing->may_call;
	int memory = may_call ? memory_by_calls(who) : target_memory(&sampling->target);
	stop->by_call = memory_is_by_calls(memory);
	return memory;
}

/* WHO is the number of the thread: if that has changed, its memory has, too. */
static enum stop_result copy(struct sampler *sampler, struct stop *stop, pid_t who)
{
	struct sampling *sampling = stop->sampling;
	struct snapshot *slot = sampler->slot;
	struct capture_memory memory = copier_memory(sampler->copier, &sampling->target,
		&stop->thread->sampled, &sampler->link);
	memory.memory = memory_of(stop, who);
	if (!stop->is_alone && clock_monotonic_ns() < sampling->contended_ns)
		copier_expect_contention(&memory);
	if (!capture_registers(who, &slot->regset))
		return STOP_GONE;
	if (who != stop->thread->tid)
		return STOP_NO_MEMORY;
	mapped_ask(sampling->target.maps_fd, &sampler->link, slot);
	size_t stack_bytes = ring_stack_bytes(sampling->ring);
	struct capture_habit *habit = &stop->thread->sampled.habit;
	bool may_wait = !stop->is_alone && !memory.is_contended &&
			capture_is_anonymous(&memory, arch_regset_sp(&slot->regset));
	long slept = may_wait ? times_slept() : 0;
	if (capture_stack(&memory, stack_bytes, habit, slot) == CAPTURE_GONE)
		return STOP_NO_MEMORY;
	if (may_wait && times_slept() != slept)
		sampling_note_contention(sampling);
	if (sampler->recipe_number == 0)
		return STOP_COPIED;
	if (slot->is_not_read)
		slot->second_result = RECIPE_UNREADABLE; /* it would have to wait, too */
	else
		second_stack_copy(sampler->recipe, target_memory(&sampling->target),
			sampling->target.maps_fd, habit->thread_pointer, stack_bytes,
			slot);
	return STOP_COPIED;
}

/* Let the thread complete the call that the stop has cut. It runs meanwhile; the dead-man
   is armed only during its stops. Returns the stop that it is in at the end. */
static struct tracee_status finish_call(struct sampler *sampler)
{
	struct tracee_status status;
	bool runs = true;
	pid_t who;
	sampler->is_in_call = true;
	do {
		deadman_disarm(&sampler->deadman);
		status = wait_for(sampler, false, &who);
		deadman_arm(&sampler->deadman);
		if (status.event == TRACEE_NONE) { /* the sampler must end */
			sampler->must_abandon = false;
			whole_call_leave(sampler->call);
		} else {
			runs = status.event != TRACEE_GONE &&
			       whole_call_step(sampler->call, status);
		}
	} while (runs);
	sampler->is_in_call = false;
	return status;
}

/* Undo what the stop did to a system call of the thread: complete a call that was cut
   short, or restart one that would fail with EINTR. Returns the stop that it is in
   then. */
static struct tracee_status make_whole(struct sampler *sampler, struct stop *stop,
	pid_t tid, struct tracee_status status)
{
	struct arch_regset regset = sampler->slot->regset;
	if (!sampler->tracing->options->restart_syscalls)
		return status;
	left_call_find(tid, &regset);
	stop->was_completed =
		sampler->call && whole_call_begin(sampler->call, tid, status, &regset);
	if (stop->was_completed) {
		uint64_t began_ns = clock_monotonic_ns();
		status = finish_call(sampler);
		stop->waited_ns += clock_monotonic_ns() - began_ns;
	} else {
		stop->was_restarted =
			capture_restart(tid, &regset) || exec_again(tid, &regset);
	}
	return status;
}

/* Until nothing is attached: one that has died may not be a zombie yet, and a child that
   was attached by the kernel (wait_for) may still wait for its first CPU. If the sampler
   must end, its end detaches them. */
static void let_rest_go(struct sampler *sampler)
{
	const int flags = WSTOPPED | WEXITED | WNOWAIT | __WALL | __WNOTHREAD;
	siginfo_t info;
	while (!sampler->is_replaced) {
		if (waitid(P_ALL, 0, &info, flags) == 0)
			let_go(info.si_pid, tracee_decode(&info));
		else if (errno != EINTR)
			return;
		/* What has stopped is let go at once, so while we wait nothing is. */
		deadman_arm(&sampler->deadman);
		tracing_poke(sampler->tracing);
	}
}

/* False: no thread is attached. One that has called exec while PTRACE_SEIZE waited for that has
   the number of the leader now. */
static bool interrupt(struct sampler *sampler, const struct stop *stop, pid_t tid)
{
	const int looks = WSTOPPED | WEXITED | WNOWAIT | WNOHANG | __WALL | __WNOTHREAD;
	siginfo_t info;
	if (ptrace(PTRACE_INTERRUPT, tid, NULL, NULL) == 0 || errno != ESRCH)
		return true;
	if (waitid(P_ALL, 0, &info, looks) != 0)
		return false;
	sampler->asked_tid = stop->sampling->target.pid;
	ptrace(PTRACE_INTERRUPT, sampler->asked_tid, NULL, NULL);
	return true; /* or it has died, which is waited for, too */
}

static void begin(struct sampler *sampler, pid_t tid, pid_t pid)
{
	sampler->asked_pid = pid;
	sampler->asked_tid = tid;
	sampler->asked_ns = clock_monotonic_ns();
	deadman_arm(&sampler->deadman);
}

static void end(struct sampler *sampler)
{
	deadman_disarm(&sampler->deadman);
	sampler->asked_ns = 0;
}

enum stop_result stop_thread(struct sampler *sampler, struct stop *stop)
{
	pid_t tid = stop->thread->tid;
	enum stop_result result = STOP_GONE;
	uint64_t noticed_ns;
	copier_prepare(sampler->copier);
	rehearse(stop);
	/* This may wait for an exec of the target, during which none of its threads is
	   kept stopped. */
	if (!tracee_seize(tid))
		return errno == EPERM ? STOP_REFUSED : STOP_GONE;
	begin(sampler, tid, stop->sampling->target.pid);
	if (interrupt(sampler, stop, tid)) {
		uint64_t waits_ns = clock_monotonic_ns();
		pid_t who = tid;
		struct tracee_status status = wait_for(sampler, stop->spins, &who);
		noticed_ns = clock_monotonic_ns();
		/* A wait for a CPU is not caused by us, so it is not stop time. */
		if (noticed_ns - waits_ns > SPIN_US * NS_PER_US)
			stop->waited_ns = noticed_ns - waits_ns;
		if (status.event != TRACEE_NONE && status.event != TRACEE_GONE) {
			result = copy(sampler, stop, who);
			if (result != STOP_GONE)
				status = make_whole(sampler, stop, who, status);
			stop->was_signalled = status.event == TRACEE_SIGNAL;
		}
		if (status.event != TRACEE_NONE)
			let_go(who, status);
	}
	stop->stopped_ns = clock_monotonic_ns() - sampler->asked_ns - stop->waited_ns;
	let_rest_go(sampler);
	end(sampler);
	return result;
}
