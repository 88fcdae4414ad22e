/* Who ran since we last looked, and runs now? Asked from cheap to dear: the clock of the
   whole process, then each thread's schedstat, then stat; only then is a thread
   interrupted. */

#include "ptrace/sampling.h"

#include "src/base/clock.h"

#include <errno.h>
#include <string.h>
#include <sys/ptrace.h>

enum {
	/* Longer than a stop ever took with the thread on another CPU (p99 is 65 us). */
	SPIN_NS = 80 * 1000,
	SCAN_EVERY_NS = 1000 * 1000 * 1000,
	MARK_EVERY_NS = 100 * 1000 * 1000,
	PATIENCE_PERIODS = 10,
};

void sampling_commit(struct sampling *sampling)
{
	ring_commit(sampling->ring);
	if (ring_waiting(sampling->ring) * 2 >= ring_slots(sampling->ring))
		sampling->options.wake(sampling->options.wake_context);
}

/* Does a thread owe us a stop since lately? */
static bool owes_lately(const struct sampling *sampling, uint64_t now_ns)
{
	for (size_t i = 0; sampling->owed > 0 && i < sampling->tracees.len; i++) {
		uint64_t since_ns = sampling->tracees.data[i]->interrupted_ns;
		if (since_ns && now_ns - since_ns < SCAN_EVERY_NS)
			return true;
	}
	return false;
}

/* A change of the number of threads is seen at once. That one came while another went is
   seen by that other's end (stop.c), so this is only for what nobody thought of. */
static bool scan_is_due(const struct sampling *sampling, uint64_t now_ns)
{
	bool is_due = now_ns - sampling->scanned_ns > SCAN_EVERY_NS ||
		      tracees_changed(&sampling->tracees, sampling->target);
	/* To seize may be to wait for an exec (seizer.h), and nothing may wait while a
	   thread stands. */
	return is_due && !owes_lately(sampling, now_ns);
}

void sampling_introduce(struct sampling *sampling, struct tracee *tracee)
{
	struct snapshot *slot = ring_reserve(sampling->ring);
	if (!slot)
		return;
	slot->kind = SNAPSHOT_THREAD;
	slot->tid = tracee->tid;
	slot->time_ns = tracee->told_ns; /* since it was found */
	memcpy(slot->name, tracee->name, sizeof(slot->name));
	tracee->introduced = true;
	sampling_commit(sampling);
}

static void found_thread(void *context, struct tracee *tracee)
{
	struct sampling *sampling = context;
	meter_add(&sampling->meter->threads_seen, 1);
	sampling_introduce(sampling, tracee);
}

bool sampling_scan(struct sampling *sampling, bool start, int *errnum)
{
	sampling->scanned_ns = clock_monotonic_ns();
	bool any = tracees_reconcile(&sampling->tracees, sampling->target, start,
		found_thread, sampling, errnum);
	sampling_forget_vanished(sampling);
	meter_set(&sampling->meter->threads_now, sampling->tracees.len);
	return any;
}

void sampling_mark(struct sampling *sampling, uint64_t now_ns)
{
	uint64_t cpu_ns = clock_read_ns(sampling->target->cpu_clock);
	if (cpu_ns < sampling->cpu_last_ns)
		return; /* gone: what was read last stands */
	sampling->cpu_last_ns = cpu_ns;
	sampling->marked_ns = now_ns;
	uint64_t charged_ns = cpu_ns - sampling->cpu_base_ns;
	meter_set(&sampling->meter->cpu_kernel_ns, charged_ns);
	struct snapshot *slot = ring_reserve(sampling->ring);
	if (!slot)
		return;
	slot->kind = SNAPSHOT_TICK;
	slot->time_ns = now_ns;
	slot->cpu_ns = charged_ns;
	ring_commit(sampling->ring);
}

void sampling_rebase(struct sampling *sampling)
{
	for (size_t i = 0; i < sampling->tracees.len; i++) {
		struct tracee *tracee = sampling->tracees.data[i];
		struct task_account account;
		if (!tracee_read_account(tracee, sampling->target, &account))
			continue;
		meter_add(&sampling->meter->cpu_unsampled_ns,
			tracee_unsampled_ns(tracee, &account));
		tracee->cpu_sampled_ns = account.cpu_ns;
	}
	sampling_wait_rebase(sampling, clock_monotonic_ns());
}

static void interrupt(struct sampling *sampling, struct tracee *tracee)
{
	if (!sampling->deadman_armed) {
		deadman_arm(&sampling->deadman);
		sampling->deadman_armed = true;
	}
	uint64_t now_ns = clock_monotonic_ns();
	bool sent = tracee_seize(tracee) &&
		    ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL) == 0;
	if (!sent) {
		/* Gone: its exit status will tell, or the next scan. Or another thread
		   became the leader by exec before we knew of it. */
		tracee->seized = false;
		sent = tracee_seize(tracee) &&
		       ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL) == 0;
		tracee->seized |= errno == EPERM;
	}
	if (!sent)
		return;
	tracee->interrupted_ns = now_ns;
	sampling->owed++;
}

/* Interrupt and take the stop. A thread on another CPU traps within microseconds, sooner
   than a sleeping tracer wakes up: spin. One on our CPU cannot trap before we let go of
   it: the main loop's sleep does that, and its stop is taken when it comes. */
static void stop_one(struct sampling *sampling, const struct candidate *candidate)
{
	struct tracee *tracee = candidate->tracee;
	struct snapshot *slot = ring_reserve(sampling->ring);
	if (slot && !candidate->is_here)
		capture_rehearse(sampling->target->mem_fd,
			ring_stack_bytes(sampling->ring), &tracee->habit, slot);
	interrupt(sampling, tracee);
	tracee->interrupted_here = candidate->is_here;
	if (!tracee->interrupted_ns || candidate->is_here)
		return;
	uint64_t interrupted_ns = tracee->interrupted_ns;
	while (!sampling_poll(sampling, tracee, interrupted_ns))
		if (clock_monotonic_ns() - interrupted_ns > SPIN_NS)
			return;
}

static void stop_running(struct sampling *sampling, uint64_t now_ns, uint64_t late_ns)
{
	struct running *running = &sampling->running;
	struct search search = {
		.now_ns = now_ns,
		.late_ns = late_ns,
		.patience_ns = PATIENCE_PERIODS * sampling->schedule.period_ns,
		.wall = sampling->wall,
		.all = sampling_survey_is_due(sampling, now_ns),
	};
	running_find(running, &sampling->tracees, sampling->target, &search);
	meter_set(&sampling->meter->threads_running, running->len);
	for (size_t i = 0; i < running->len; i++)
		if (schedule_decide(&sampling->schedule, sampling->budget.chance))
			stop_one(sampling, &running->candidates[i]);
}

/* What the analyst has found out since. */
static void take_advice(struct sampling *sampling)
{
	struct advice advice;
	while (advice_take(ring_advice(sampling->ring), &advice)) {
		struct tracee *tracee = tracees_find(&sampling->tracees, advice.tid);
		if (!tracee)
			continue;
		tracee->habit.root = advice.root;
		tracee->habit.reach = advice.reach;
	}
}

void sampling_tick(struct sampling *sampling, uint64_t now_ns, uint64_t late_ns)
{
	sampling->tick++;
	meter_add(&sampling->meter->ticks, 1);
	meter_add(&sampling->meter->ticks_held[sampling->budget.held], 1);
	if (scan_is_due(sampling, now_ns)) {
		int errnum;
		sampling_scan(sampling, false, &errnum);
	}
	stop_running(sampling, now_ns, late_ns);
	if (sampling->wall)
		sampling_wait_tick(sampling, now_ns);
	sampling_survey(sampling, now_ns);
	if (now_ns - sampling->marked_ns >= MARK_EVERY_NS)
		sampling_mark(sampling, now_ns);
	take_advice(sampling);
}
