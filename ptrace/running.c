#include "ptrace/running.h"

#include "src/base/clock.h"

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

/* Is it worth asking for its state? It ran when last looked at, or got a CPU since. One
   that waited for a CPU and has not got one waits still. */
static bool may_run(struct tracee *tracee, const struct target *target, bool *is_new)
{
	struct task_account account;
	tracee->look = LOOK_NONE;
	if (tracee->interrupted_ns || !tracee_read_account(tracee, target, &account))
		return false;
	*is_new = account.slices != tracee->account.slices;
	bool ran = tracee->was_running || *is_new ||
		   account.cpu_ns != tracee->account.cpu_ns;
	tracee->account = account;
	tracee->look = LOOK_ASLEEP;
	if (tracee->group_stopped)
		return false;
	tracee->waits &= !*is_new;
	if (tracee->waits)
		tracee->look = LOOK_RUNNABLE;
	return ran && !tracee->waits;
}

/* Does it run, or wait for a CPU? Its state tells both by one letter. */
static bool is_runnable(struct tracee *tracee, const struct target *target,
	struct task_stat *stat, bool *is_new)
{
	if (!may_run(tracee, target, is_new))
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

/* Did A get on their CPU after B? The one that left it for the other has the same time as
   that one, until the kernel accounts for it again. */
static bool got_on_later(
	struct candidate *a, struct candidate *b, const struct target *target)
{
	uint64_t a_ns = exec_start_of(a, target), b_ns = exec_start_of(b, target);
	return a_ns > b_ns || (a_ns == b_ns && a->is_new && !b->is_new);
}

/* Of two on one CPU the one that got on it later is the one that runs. */
static void add(
	struct running *running, struct candidate candidate, const struct target *target)
{
	for (size_t i = 0; i < running->len; i++) {
		struct candidate *rival = &running->candidates[i];
		if (rival->cpu != candidate.cpu)
			continue;
		bool later = got_on_later(&candidate, rival, target);
		struct tracee *loser = later ? rival->tracee : candidate.tracee;
		loser->look = LOOK_RUNNABLE;
		loser->waits = candidate.exec_start_ns != rival->exec_start_ns;
		if (later)
			*rival = candidate;
		return;
	}
	if (running->len < RUNNING_MAX)
		running->candidates[running->len++] = candidate;
}

static void look_at(struct running *running, struct tracees *tracees,
	struct tracee *tracee, const struct target *target, uint64_t now_ns)
{
	struct task_stat stat;
	bool is_new = false;
	bool runnable = is_runnable(tracee, target, &stat, &is_new);
	rota_looked(&running->rota, tracees, tracee, now_ns);
	if (!runnable)
		return;
	running->found++;
	struct candidate candidate = {
		.tracee = tracee,
		.cpu = stat.cpu,
		.is_here = stat.cpu == running->our_cpu,
		.is_new = is_new,
	};
	add(running, candidate, target);
}

/* Since its last stop it has run or waited for a CPU all the time, but for the moment
   that we have the one it is on: so it was running until then. */
static bool ran_throughout(const struct tracee *tracee, uint64_t now_ns)
{
	const struct task_account *now = &tracee->account, *then = &tracee->resumed;
	uint64_t told_ns = now->cpu_ns - then->cpu_ns + (now->delay_ns - then->delay_ns);
	return tracee->resumed_ns && now->cpu_ns > then->cpu_ns &&
	       now_ns - tracee->resumed_ns <= told_ns + SWITCH_NS;
}

/* Without /proc/TID/sched (no CONFIG_SCHED_DEBUG) any runnable thread of our CPU may be
   the one that we preempted. */
static bool was_preempted_by_us(const struct running *running,
	struct candidate *candidate, const struct target *target, uint64_t now_ns)
{
	if (ran_throughout(candidate->tracee, now_ns))
		return true; /* what follows is 5 us of the CPU that it wants */
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
static void judge_ours(
	struct running *running, const struct target *target, const struct search *search)
{
	for (size_t i = 0; i < running->len; i++) {
		struct candidate ours = running->candidates[i];
		if (!ours.is_here)
			continue;
		running->candidates[i] = running->candidates[--running->len];
		if ((search->late_ns <= LATE_NS ||
			    waited_long(ours.tracee, search->patience_ns)) &&
			was_preempted_by_us(running, &ours, target, search->now_ns))
			running->candidates[running->len++] = ours;
		return;
	}
}

static void look_at_awake(struct running *running, struct tracees *tracees,
	const struct target *target, uint64_t now_ns)
{
	/* A look may wake threads, but these are awake. */
	for (size_t left = tracees->awake.len; left > 0 && running->found < LOOKS_MAX;
		left--) {
		if (running->cursor >= tracees->awake.len)
			running->cursor = 0;
		look_at(running, tracees, tracees->awake.data[running->cursor++], target,
			now_ns);
	}
}

static void look_at_resting(struct running *running, struct tracees *tracees,
	const struct target *target, const struct search *search)
{
	size_t resting = tracees->len - tracees->awake.len;
	size_t due = search->all ? resting : rota_due(&running->rota, tracees);
	for (size_t left = due; left > 0 && running->found < LOOKS_MAX; left--) {
		struct tracee *tracee =
			rota_next(&running->rota, tracees, search->now_ns);
		if (!tracee)
			break;
		look_at(running, tracees, tracee, target, search->now_ns);
	}
	if (due == resting)
		rota_complete(&running->rota);
}

void running_find(struct running *running, struct tracees *tracees,
	const struct target *target, const struct search *search)
{
	running->our_cpu = sched_getcpu();
	running->found = 0;
	running->len = 0;
	running->rota.by_slices = search->wall;
	bool some_rest = tracees->awake.len < tracees->len;
	rota_begin(&running->rota, some_rest ? clock_read_ns(target->cpu_clock) : 0);
	look_at_awake(running, tracees, target, search->now_ns);
	look_at_resting(running, tracees, target, search);
	rota_end(&running->rota, tracees, search->now_ns);
	judge_ours(running, target, search);
}
