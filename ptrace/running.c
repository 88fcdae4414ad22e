#include "ptrace/running.h"

#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

enum {
	/* We got the CPU at most so long after the thread lost it. Both are readings of
	   one clock, and equal unless the scheduler has accounted for us since. */
	SWITCH_NS = 100 * 1000,
	LATE_NS =
		200 * 1000, /* a tick that comes later did not come by its timer alone */
	LOOKS_MAX = 256,    /* threads in state R looked at in one tick */
};

void running_init(struct running *running)
{
	*running = (struct running){
		.own_sched_fd = open("/proc/thread-self/sched", O_RDONLY | O_CLOEXEC),
	};
}

void running_finish(struct running *running)
{
	if (running->own_sched_fd >= 0)
		close(running->own_sched_fd);
	running->own_sched_fd = -1;
}

/* Is it worth asking for its state? It ran when last looked at, or got a CPU since. */
static bool may_run(struct tracee *tracee, const struct target *target)
{
	struct task_account account;
	tracee->look = LOOK_NONE;
	if (tracee->interrupted_ns || !tracee_read_account(tracee, target, &account))
		return false;
	bool ran = tracee->was_running || account.slices != tracee->account.slices ||
		   account.cpu_ns != tracee->account.cpu_ns;
	tracee->account = account;
	tracee->look = LOOK_ASLEEP;
	return ran && !tracee->group_stopped;
}

/* Does it run, or wait for a CPU? Its state tells both by one letter. */
static bool is_runnable(
	struct tracee *tracee, const struct target *target, struct task_stat *stat)
{
	if (!may_run(tracee, target))
		return false;
	if (!tracee_read_stat(tracee, target, stat)) {
		tracee->look = LOOK_NONE;
		return false;
	}
	memcpy(tracee->name, stat->name, sizeof(tracee->name));
	tracee->task_state = stat->state;
	tracee->was_running = stat->state == 'R';
	if (tracee->was_running)
		tracee->look = LOOK_RUNNING;
	return tracee->was_running;
}

static uint64_t exec_start_of(struct candidate *candidate, const struct target *target)
{
	if (!candidate->exec_start_ns)
		candidate->exec_start_ns =
			tracee_read_exec_start(candidate->tracee, target);
	return candidate->exec_start_ns;
}

/* Of two on one CPU the one that got on it later is the one that runs. */
static void add(
	struct running *running, struct candidate candidate, const struct target *target)
{
	for (size_t i = 0; i < running->len; i++) {
		struct candidate *rival = &running->candidates[i];
		if (rival->cpu != candidate.cpu)
			continue;
		bool later =
			exec_start_of(&candidate, target) > exec_start_of(rival, target);
		struct tracee *waits = later ? rival->tracee : candidate.tracee;
		waits->look = LOOK_RUNNABLE;
		if (later)
			*rival = candidate;
		return;
	}
	if (running->len < RUNNING_MAX)
		running->candidates[running->len++] = candidate;
}

/* Without /proc/TID/sched (no CONFIG_SCHED_DEBUG) any runnable thread of our CPU may be
   the one that we preempted. */
static bool was_preempted_by_us(const struct running *running,
	struct candidate *candidate, const struct target *target)
{
	uint64_t ours_ns = 0, theirs_ns = exec_start_of(candidate, target);
	if (running->own_sched_fd >= 0)
		ours_ns = task_read_exec_start(running->own_sched_fd);
	return !ours_ns || !theirs_ns ||
	       (theirs_ns <= ours_ns + SWITCH_NS && ours_ns <= theirs_ns + SWITCH_NS);
}

static bool waited_long(const struct tracee *tracee, uint64_t patience_ns)
{
	return tracee_unsampled_ns(tracee, &tracee->account) > patience_ns;
}

/* Put the candidate on our CPU last, or away if it is not to be taken. */
static void judge_ours(struct running *running, const struct target *target,
	uint64_t late_ns, uint64_t patience_ns)
{
	for (size_t i = 0; i < running->len; i++) {
		struct candidate ours = running->candidates[i];
		if (!ours.is_here)
			continue;
		running->candidates[i] = running->candidates[--running->len];
		if ((late_ns <= LATE_NS || waited_long(ours.tracee, patience_ns)) &&
			was_preempted_by_us(running, &ours, target))
			running->candidates[running->len++] = ours;
		return;
	}
}

void running_find(struct running *running, const struct tracees *tracees,
	const struct target *target, uint64_t late_ns, uint64_t patience_ns)
{
	int our_cpu = sched_getcpu();
	size_t found = 0;
	running->len = 0;
	for (size_t left = tracees->len; left > 0 && found < LOOKS_MAX; left--) {
		if (running->cursor >= tracees->len)
			running->cursor = 0;
		struct tracee *tracee = tracees->data[running->cursor++];
		struct task_stat stat;
		if (!is_runnable(tracee, target, &stat))
			continue;
		found++;
		struct candidate candidate = {
			.tracee = tracee,
			.cpu = stat.cpu,
			.is_here = stat.cpu == our_cpu,
		};
		add(running, candidate, target);
	}
	judge_ours(running, target, late_ns, patience_ns);
}
