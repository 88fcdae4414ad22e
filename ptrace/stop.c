/* A thread has stopped. Between the stop and the resume stands only what must: wait, read
   the registers, read the stack. Everything else is done when it runs again. */

#include "ptrace/sampling.h"

#include "ptrace/capture.h"
#include "ptrace/event.h"
#include "src/base/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>

enum {
	WAITED_NS = 30 * 1000,
	ROUND_STOPS = 256, /* seen to before the next tick is thought of */
};

/* In a storm of signals the thread is let go altogether: it stands in a stop, so that
   costs no EINTR, and the signal that it stopped for is delivered. */
static bool resume(pid_t tid, struct tracee_status status, bool let_go)
{
	if (let_go)
		return ptrace(PTRACE_DETACH, tid, NULL, (long)status.signal) == 0;
	if (status.event == TRACEE_GROUP)
		return ptrace(PTRACE_LISTEN, tid, NULL, NULL) == 0;
	return ptrace(PTRACE_CONT, tid, NULL, (long)status.signal) == 0;
}

/* A thread that is there and cannot be resumed: never seen, but who would find it? When
   the sampler thread ends, the kernel resumes every thread and delivers their signals. */
static void must_resume(
	struct sampling *sampling, pid_t tid, struct tracee_status status, bool let_go)
{
	if (!resume(tid, status, let_go) && errno != ESRCH)
		sampling->broken = true;
}

/* Keep the dead-man armed exactly while a stop is owed to us. */
static void count_owed(struct sampling *sampling, struct tracee *tracee)
{
	if (!tracee->interrupted_ns)
		return;
	tracee->interrupted_ns = 0;
	sampling->owed--;
}

static void group_stop_changed(
	struct sampling *sampling, struct tracee *tracee, bool stopped)
{
	if (tracee->group_stopped == stopped)
		return;
	tracee->group_stopped = stopped;
	sampling->group_stopped += stopped ? 1 : -1u;
	meter_set(&sampling->meter->target_stopped, sampling->group_stopped > 0);
}

/* It is no more, and UNSAMPLED_NS of its CPU time was never sampled. */
static void forget(
	struct sampling *sampling, struct tracee *tracee, uint64_t unsampled_ns)
{
	struct meter *meter = sampling->meter;
	meter_add(&meter->cpu_unsampled_ns, unsampled_ns);
	struct snapshot *slot = ring_reserve(sampling->ring);
	if (slot) {
		slot->kind = SNAPSHOT_THREAD_EXIT;
		slot->tid = tracee->tid;
		slot->time_ns = clock_monotonic_ns();
		slot->cpu_ns = unsampled_ns;
		sampling_charge(
			sampling, tracee, slot, tracee->wait.state, slot->time_ns);
		ring_commit(sampling->ring);
	}
	count_owed(sampling, tracee);
	group_stop_changed(sampling, tracee, false);
	tracees_remove(&sampling->tracees, tracee);
	meter_set(&meter->threads_now, sampling->tracees.len);
	sampling->target_gone = sampling->tracees.len == 0;
	sampling->scanned_ns = 0; /* another may have come in its place */
}

static void tracee_gone(struct sampling *sampling, struct tracee *tracee)
{
	struct task_account account;
	uint64_t unsampled_ns = 0;
	/* Still a zombie: its accounts can be read until it is reaped. */
	if (tracee_read_account(tracee, sampling->target, &account)) {
		unsampled_ns = tracee_unsampled_ns(tracee, &account);
		sampling_tell_account(sampling, tracee, &account, clock_monotonic_ns());
	}
	bool leader = tracee->tid == sampling->target->pid;
	if (leader)
		sampling_mark(sampling, clock_monotonic_ns());

	tracee_reap(tracee->tid);
	forget(sampling, tracee, unsampled_ns);
}

/* A thread that made an exec goes on under the number of the leader, with its own CPU
   time (de_thread, fs/exec.c). */
static void leader_replaced(struct sampling *sampling, const struct tracee *by)
{
	struct tracee *leader = tracees_find(&sampling->tracees, sampling->target->pid);
	if (!leader || leader == by)
		return;
	meter_add(&sampling->meter->cpu_unsampled_ns,
		tracee_unsampled_ns(leader, &leader->account));
	leader->cpu_sampled_ns = by->cpu_sampled_ns;
	leader->account = by->account;
	leader->was_running = true;
	leader->storm = by->storm;
	count_owed(sampling, leader); /* what was owed, the old leader owed */
	group_stop_changed(sampling, leader, false);
	/* It is traced if it was; if it is, this fails. */
	leader->seized = leader->is_stranger = false;
	leader->seized = tracee_seize(leader) || errno == EPERM;
}

void sampling_forget_vanished(struct sampling *sampling)
{
	struct tracee *tracee;
	while ((tracee = tracees_vanished(&sampling->tracees, sampling->target))) {
		uint64_t unsampled_ns = 0;
		if (tracee->seized && !tracee->is_reaped)
			leader_replaced(sampling, tracee);
		else
			unsampled_ns = tracee_unsampled_ns(tracee, &tracee->account);
		forget(sampling, tracee, unsampled_ns);
	}
}

/* Did it wait for a CPU before it could stop? Then it was not running when it was chosen,
   and stands where it was preempted: no sample of what runs (see running.h). The wait
   after the resume is short: whoever stopped held the CPU until then. One on our CPU
   waits for us. */
static bool had_waited(const struct tracee *tracee, const struct task_account *account)
{
	return !tracee->interrupted_here &&
	       account->delay_ns - tracee->account.delay_ns > WAITED_NS;
}

/* Hand the sample over with its weight: what the kernel charged the thread since its last
   sample. The stop took it off its CPU, so the account is exact up to the stop. */
static void hand_over(
	struct sampling *sampling, struct tracee *tracee, struct snapshot *slot)
{
	struct meter *meter = sampling->meter;
	struct task_account account;
	if (!tracee_read_account(tracee, sampling->target, &account))
		return; /* gone; its CPU time will count as unsampled */
	bool waited = had_waited(tracee, &account);
	tracee->account = tracee->resumed = account;
	tracee->resumed_ns = slot->time_ns + slot->stop_ns;
	if (waited) { /* its next sample will weigh the more */
		if (sampling->wall)
			sampling_tell_wait(
				sampling, tracee, THREAD_RUNNABLE, slot->time_ns);
		return;
	}
	memcpy(slot->name, tracee->name, sizeof(slot->name));
	slot->kind = SNAPSHOT_SAMPLE;
	slot->tid = tracee->tid;
	slot->cpu_ns = tracee_unsampled_ns(tracee, &account);
	tracee->cpu_sampled_ns = account.cpu_ns;
	sampling_charge(sampling, tracee, slot, THREAD_RUNNING, slot->time_ns);
	meter_add(&meter->cpu_sampled_ns, slot->cpu_ns);
	meter_add(&meter->samples, 1);
	sampling_commit(sampling);
}

/* A signal has stopped it and all its registers are known, as they are not of a thread
   that is found asleep: until it is continued this is where it stands. */
static void hand_over_stopped(
	struct sampling *sampling, struct tracee *tracee, struct snapshot *slot)
{
	struct task_account account;
	if (!tracee_read_account(tracee, sampling->target, &account))
		return;
	tracee->account = account;
	memcpy(slot->name, tracee->name, sizeof(slot->name));
	slot->kind = SNAPSHOT_SAMPLE;
	slot->tid = tracee->tid;
	slot->cpu_ns = 0;
	slot->call = (struct snapshot_call){.nr = -1, .task_state = 'T'};
	sampling_charge(sampling, tracee, slot, THREAD_BLOCKED, slot->time_ns);
	meter_add(&sampling->meter->samples, 1);
	sampling_commit(sampling);
}

static void tracee_stopped(struct sampling *sampling, struct tracee *tracee,
	struct tracee_status status, uint64_t noticed_ns)
{
	struct arch_regset unwanted;
	bool stays = status.event == TRACEE_GROUP && sampling->wall;
	bool wanted = tracee->interrupted_ns != 0 || stays;
	bool let_go = storm_rages(&tracee->storm, noticed_ns) ||
		      (status.event == TRACEE_SIGNAL && storm_is_unheard(status.signal));
	struct snapshot *slot = wanted ? ring_reserve(sampling->ring) : NULL;
	struct arch_regset *regset = slot ? &slot->regset : &unwanted;
	bool restarted = false, have_stack = true;
	int mem_fd = sampling->target->mem_fd;
	size_t stack_bytes = ring_stack_bytes(sampling->ring), ahead = 0;

	if (slot)
		ahead = capture_ahead(mem_fd, stack_bytes, &tracee->habit, slot);
	bool have_registers = capture_registers(
		tracee->tid, regset, sampling->options.restart_syscalls, &restarted);
	if (have_registers && slot)
		have_stack =
			capture_stack(mem_fd, stack_bytes, &tracee->habit, ahead, slot);
	must_resume(sampling, tracee->tid, status, let_go);
	uint64_t now_ns = clock_monotonic_ns();

	/* The thread runs again. Now the bookkeeping. */
	tracee->seized = !let_go;
	struct meter *meter = sampling->meter;
	count_owed(sampling, tracee);
	group_stop_changed(sampling, tracee, status.event == TRACEE_GROUP && !let_go);
	meter_count_stop(meter, now_ns - noticed_ns);
	sampling->asked_stops += wanted;
	sampling->asked_stopped_ns += wanted ? now_ns - noticed_ns : 0;
	if (restarted)
		meter_add(&meter->restarts, 1);
	if (status.event == TRACEE_SIGNAL) {
		meter_add(&meter->signals, 1);
		storm_count(&tracee->storm, status.signal, now_ns);
	}
	if (!have_stack || sampling->exec_untold) {
		sampling_renew(sampling);
	} else if (have_registers && slot) {
		slot->time_ns = noticed_ns;
		slot->stop_ns = now_ns - noticed_ns;
		if (stays)
			hand_over_stopped(sampling, tracee, slot);
		else
			hand_over(sampling, tracee, slot);
		if (sampling->maps_untold)
			sampling_tell_maps(sampling);
	} else if (wanted && have_registers) {
		meter_add(&meter->lost, 1);
	}
}

static void see_to(struct sampling *sampling, struct tracee *tracee,
	struct tracee_status status, uint64_t noticed_ns)
{
	if (status.event == TRACEE_GONE)
		tracee_gone(sampling, tracee);
	else
		tracee_stopped(sampling, tracee, status, noticed_ns);
}

bool sampling_poll(struct sampling *sampling, struct tracee *tracee, uint64_t noticed_ns)
{
	pid_t who;
	struct tracee_status status;
	tracee_peek(P_PID, tracee->tid, &status, &who);
	if (status.event == TRACEE_NONE)
		return false;
	see_to(sampling, tracee, status, noticed_ns);
	return true;
}

/* The sampling that WHO belongs to; if to none, the one at hand, and no tracee. */
static struct sampling *owner_of(
	struct sampling *sampling, pid_t who, struct tracee **tracee)
{
	*tracee = tracees_find(&sampling->tracees, who);
	for (size_t i = 0; !*tracee && i < sampling->all->len; i++) {
		struct sampling *other = sampling->all->data[i];
		*tracee = tracees_find(&other->tracees, who);
		if (*tracee)
			return other;
	}
	return sampling;
}

bool sampling_poll_all(struct sampling *sampling, uint64_t noticed_ns)
{
	pid_t who;
	/* Bounded: threads that are sent signals may stop faster than we look. */
	for (size_t left = ROUND_STOPS; left > 0 && !sampling->broken; left--) {
		struct tracee_status status;
		tracee_peek(P_ALL, 0, &status, &who);
		if (status.event == TRACEE_NONE)
			return true;
		struct tracee *tracee;
		struct sampling *owner = owner_of(sampling, who, &tracee);
		if (tracee) {
			see_to(owner, tracee, status, noticed_ns);
		} else if (status.event == TRACEE_GONE) {
			tracee_reap(who); /* a child of ours, no thread of the target */
		} else {
			/* A stranger, seized for the thread whose number it has; or a
			   child of ours that somebody has stopped. */
			must_resume(sampling, who, status, true);
			tracee_dismiss(who);
		}
		noticed_ns = clock_monotonic_ns();
	}
	return false;
}
