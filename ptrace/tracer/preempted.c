/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread did this sampler preempt? When a thread leaves its CPU, the scheduler
   charges it and stores the CPU's clock in se.exec_start; the next thread gets the same
   value (update_curr and set_next_task, kernel/sched). So the thread that had our CPU
   before us has the same number as we have, unless the kernel has charged us again since,
   at its tick. Measured: equal to the nanosecond in 99.5 % of instants. */

#include "ptrace/tracer/sampler-private.h"

#include "src/base/clock.h"

#include <string.h>

enum {
	LOOKS_MAX = 512, /* threads looked at in one instant */
	PATIENCE_PERIODS = 10,
	OUR_STOP_US = 50, /* how long our own stop makes a thread wait for its CPU */
};

/* Only a thread whose CPU time has grown since the last look can have been preempted. */
static bool has_run(struct preempted *found)
{
	struct sampling *sampling = found->sampling;
	struct thread *thread = found->thread;
	if (thread->sampled.is_claimed || !thread_read_account(&sampling->threads, thread,
						  &sampling->target, &found->account))
		return false;
	bool ran = found->account.cpu_ns != thread->sampled.looked_cpu_ns;
	thread->sampled.looked_cpu_ns = found->account.cpu_ns;
	return ran;
}

/* se.exec_start of the sampler itself. It is read when the first thread is to be compared:
   on a CPU where no thread of a target runs that is never the case. */
static uint64_t own_exec_start(struct sampler *sampler)
{
	if (!sampler->exec_start_is_read && sampler->sched_fd >= 0)
		sampler->exec_start_ns = task_read_exec_start(sampler->sched_fd);
	sampler->exec_start_is_read = true;
	return sampler->exec_start_ns;
}

static bool gave_way_to_us(struct sampler *sampler, struct preempted *found)
{
	/* It is 0 for a thread that was moved to another CPU and has not run there
	   yet. */
	uint64_t theirs_ns = thread_read_exec_start(
		&found->sampling->threads, found->thread, &found->sampling->target);
	uint64_t ours_ns = own_exec_start(sampler);
	/* Without CONFIG_SCHED_DEBUG: take any thread that has run since the last instant
	   and is on our CPU. */
	return !ours_ns || theirs_ns == ours_ns;
}

static bool has_waited_long(const struct sampler *sampler, const struct thread *thread)
{
	uint64_t unsampled_ns =
		thread->sampled.looked_cpu_ns > thread->sampled.cpu_ns
			? thread->sampled.looked_cpu_ns - thread->sampled.cpu_ns
			: 0;
	return unsampled_ns > PATIENCE_PERIODS * sampler->tracing->period_ns;
}

static bool is_sampled(const struct sampling *sampling)
{
	return sampling->hz && !sampling->is_leaving;
}

/* Note that the CPU is shared, if the thread had to wait for it since its last sample for
   longer than our own stops take. */
static void note_sharing(struct seat *seat, const struct preempted *found)
{
	const struct thread_sampled *sampled = &found->thread->sampled;
	uint64_t ran_ns = found->account.cpu_ns - sampled->claimed.cpu_ns;
	uint64_t waited_ns = found->account.delay_ns - sampled->claimed.delay_ns;
	if (waited_ns > ran_ns / 8 + OUR_STOP_US * NS_PER_US)
		seat->shared_ns = clock_monotonic_ns();
}

/* Claim the thread; with a probability only, if its process is sampled at a lower rate
   than the fastest one. */
static void claim(struct sampler *sampler, struct preempted *found)
{
	struct sampling *sampling = found->sampling;
	double rate_hz = sampling->budget.rate_hz * sampling->budget.chance;
	double chance = rate_hz * (double)sampler->tracing->period_ns / NS_PER_SEC;
	/* No random decision for a process with the full rate. */
	if (chance > 0.999 || schedule_decide(&sampler->seat->schedule, chance)) {
		note_sharing(sampler->seat, found);
		found->thread->sampled.claimed = found->account;
		thread_claim(found->thread);
		sampler->link = sampling->link;
	} else {
		found->thread = NULL;
	}
}

/* The awake thread number PLACE, counted from another one at each instant, so that all
   get their turn if there are more than LOOKS_MAX. */
static struct thread *awake(
	const struct sampler *sampler, const struct threads *threads, size_t place)
{
	size_t first = (size_t)(sampler->instant_ns / NS_PER_US);
	return threads->awake.data[(first + place) % threads->awake.len];
}

static bool is_blocked(char state)
{
	return state == 'S' || state == 'D';
}

struct preempted preempted_find(struct sampler *sampler, bool late)
{
	sampler->exec_start_is_read = false;
	size_t left = LOOKS_MAX;
	vec_each (&sampler->tracing->samplings, at) {
		struct sampling *sampling = *at;
		struct threads *threads = &sampling->threads;
		if (!is_sampled(sampling))
			continue;
		for (size_t i = 0; i < threads->awake.len && left > 0; i++, left--) {
			struct preempted found = {.sampling = sampling,
				.thread = awake(sampler, threads, i)};
			if (!has_run(&found) ||
				!thread_read_stat(threads, found.thread,
					&sampling->target, &found.stat) ||
				found.stat.cpu != sampler->seat->cpu ||
				(found.stat.state != 'R' &&
					!is_blocked(found.stat.state)) ||
				!gave_way_to_us(sampler, &found))
				continue;
			found.fell_asleep = found.stat.state != 'R';
			found.place = late ? PLACE_LATE : PLACE_EXACT;
			if (late && (found.fell_asleep ||
					    !has_waited_long(sampler, found.thread))) {
				meter_add(&sampling->meter->instants_late, 1);
				return (struct preempted){0};
			}
			claim(sampler, &found);
			return found;
		}
	}
	return (struct preempted){0};
}

/* On a CPU where no sampler can sit, or of a priority that samplers cannot preempt? */
static bool is_out_of_reach(const struct sampler *sampler, const struct task_stat *stat)
{
	const struct seat *seat = sampler->tracing->seats[stat->cpu];
	return (seat && seat->cannot_sit) || stat->rt_priority > 0;
}

/* If a thread of a target runs on CPU, it is the one in state R that got on that CPU
   last. */
struct preempted preempted_outside(struct sampler *sampler, int cpu)
{
	struct preempted best = {0};
	uint64_t best_ns = 0;
	size_t left = LOOKS_MAX;
	vec_each (&sampler->tracing->samplings, at) {
		struct sampling *sampling = *at;
		struct threads *threads = &sampling->threads;
		if (!is_sampled(sampling))
			continue;
		for (size_t i = 0; i < threads->awake.len && left > 0; i++, left--) {
			struct preempted found = {
				.sampling = sampling,
				.thread = awake(sampler, threads, i),
				.place = PLACE_ELSEWHERE,
			};
			if (found.thread->sampled.is_claimed ||
				!thread_read_stat(threads, found.thread,
					&sampling->target, &found.stat) ||
				found.stat.cpu != cpu || found.stat.state != 'R' ||
				!is_out_of_reach(sampler, &found.stat))
				continue;
			uint64_t on_ns = thread_read_exec_start(
				threads, found.thread, &sampling->target);
			if (best.thread && on_ns <= best_ns)
				continue;
			best = found;
			best_ns = on_ns;
		}
	}
	if (best.thread && thread_read_account(&best.sampling->threads, best.thread,
				   &best.sampling->target, &best.account))
		claim(sampler, &best);
	else
		best.thread = NULL;
	return best;
}
