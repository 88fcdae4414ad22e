/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread did this sampler preempt? When a thread leaves its CPU, the scheduler
   charges it and stores the CPU's clock in se.exec_start; the next thread gets the same
   value (update_curr and set_next_task, kernel/sched). So the thread that had our CPU
   before us has the same number as we have, unless the kernel has charged us again since,
   at its tick. Measured: equal to the nanosecond in 99.5 % of instants.

   Reading both numbers takes as long as the stop itself. It is not needed for a thread
   that has used the CPU all the time since its last stop, so such a thread is looked for
   first. */

#include "ptrace/tracer/sampler-private.h"

#include "ptrace/threads/successor.h"

#include "src/base/clock.h"

#include <string.h>

enum {
	LOOKS_MAX = 512, /* threads looked at in one instant */
	PATIENCE_PERIODS = 10,
	OUR_STOP_US = 50, /* how long our own stop makes a thread wait for its CPU */
	/* A thread that was off its CPU for less than this, and 1/64 of the time, since
	   its last stop has run on. */
	MOMENT_NS = 40 * 1000,
	MOMENTS_PART = 64,
	/* The same if it also waited for a CPU. */
	INSTANT_NS = 20 * 1000,
	INSTANTS_PART = 512,
};

/* Only a thread whose CPU time has grown since the last look can have been preempted; that
   of a light one grows too seldom for a look. */
static bool has_run(const struct sampler *sampler, struct preempted *found)
{
	struct sampling *sampling = found->sampling;
	struct thread *thread = found->thread;
	struct thread_sampled *sampled = &thread->sampled;
	if (thread->rest.is_light || sampled->is_claimed ||
		!successor_read_account(
			&sampling->threads, thread, &sampling->target, &found->account))
		return false;
	if (thread->is_unread) { /* all that it has used so far is from before */
		thread_begin(thread, &found->account);
		sampled->looked = found->account;
		return false;
	}
	bool ran = thread_looked(&sampling->threads, thread, &found->account);
	sampled->ran_ns = ran ? sampler->instant_ns : 0;
	return ran;
}

/* se.exec_start of the sampler itself. It is read when the first thread is to be compared:
   on a CPU where no thread of a target runs that is never the case. */
uint64_t preempted_own_exec_start(struct sampler *sampler)
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
	uint64_t ours_ns = preempted_own_exec_start(sampler);
	/* Without CONFIG_SCHED_DEBUG: take any thread that has run since the last instant
	   and is on our CPU. */
	return !ours_ns || theirs_ns == ours_ns;
}

static bool has_waited_long(const struct sampler *sampler, const struct thread *thread)
{
	const struct thread_sampled *sampled = &thread->sampled;
	uint64_t looked_ns = sampled->looked.cpu_ns;
	uint64_t unsampled_ns =
		looked_ns > sampled->cpu_ns ? looked_ns - sampled->cpu_ns : 0;
	return unsampled_ns > PATIENCE_PERIODS * sampler->tracing->period_ns;
}

static bool is_sampled(const struct sampling *sampling)
{
	return sampling->hz && !sampling->is_leaving;
}

/* Note that threads react to their samples on this CPU (schedule.h): that the thread had to
   wait for it since its last sample for longer than our own stops take, or came from
   another CPU, to which the detach may have moved it. */
static void note_sharing(struct seat *seat, const struct preempted *found)
{
	const struct thread_sampled *sampled = &found->thread->sampled;
	uint64_t ran_ns = found->account.cpu_ns - sampled->claimed.cpu_ns;
	uint64_t waited_ns = found->account.delay_ns - sampled->claimed.delay_ns;
	bool came = sampled->claimed_on && sampled->claimed_on != seat->cpu + 1;
	if (came || waited_ns > ran_ns / 8 + OUR_STOP_US * NS_PER_US)
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
		sampler->seat->last_tid = found->thread->tid;
		found->thread->sampled.claimed = found->account;
		found->thread->sampled.claimed_on = sampler->seat->cpu + 1;
		thread_claim(found->thread);
		sampler->link = sampling->link;
		found->is_alone = sampling->threads.len == 1;
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

/* Has the thread used a CPU all the time since its last stop, but for moments? Then it
   ran until this instant; that it waited just now is at most as likely as these moments
   are long. Where others want the CPU, too, it may have waited in between: if the kernel
   has charged it for all other time, it was charged a moment ago, when it left the CPU.
   Its account is exact if we have preempted it. */
static bool has_run_on(const struct sampler *sampler, const struct preempted *found)
{
	const struct thread_sampled *sampled = &found->thread->sampled;
	const struct task_account *now = &found->account, *then = &sampled->stopped;
	int64_t passed_ns = (int64_t)(sampler->woke_ns - sampled->stopped_ns);
	int64_t off_ns = passed_ns - (int64_t)(now->cpu_ns - then->cpu_ns);
	int64_t charged_ago_ns = off_ns - (int64_t)(now->delay_ns - then->delay_ns);
	return sampled->stopped_ns &&
	       (off_ns <= passed_ns / MOMENTS_PART + MOMENT_NS ||
		       charged_ago_ns <= passed_ns / INSTANTS_PART + INSTANT_NS);
}

/* Is it on our CPU, in state R or asleep, and could we preempt it? If not, it is not looked at
   again. */
static bool is_here(const struct sampler *sampler, struct preempted *found)
{
	if (thread_read_stat(&found->sampling->threads, found->thread,
		    &found->sampling->target, &found->stat) &&
		found->stat.cpu == sampler->seat->cpu && found->stat.rt_priority == 0 &&
		(found->stat.state == 'R' || is_blocked(found->stat.state))) {
		found->fell_asleep = is_blocked(found->stat.state);
		return true;
	}
	found->thread->sampled.ran_ns = 0;
	return false;
}

/* The cheap test: read its account, and the rest only if it has run on. */
static bool ran_on_here(const struct sampler *sampler, struct preempted *found, bool late)
{
	found->place = PLACE_EXACT;
	return has_run(sampler, found) && !late && has_run_on(sampler, found) &&
	       is_here(sampler, found) && !found->fell_asleep;
}

/* The thread that was claimed on this CPU last, if it is awake. */
static struct preempted claimed_last(const struct sampler *sampler)
{
	pid_t tid = sampler->seat->last_tid;
	vec_each (&sampler->tracing->samplings, at) {
		struct preempted found = {.sampling = *at};
		if (tid && is_sampled(*at))
			found.thread = threads_find(&(*at)->threads, tid);
		if (found.thread && found.thread->rest.awake_place)
			return found;
	}
	return (struct preempted){0};
}

/* A thread that has run on until this instant: first the one that was claimed here last. */
static struct preempted search_running(struct sampler *sampler, bool late)
{
	size_t left = LOOKS_MAX;
	struct preempted last = claimed_last(sampler);
	if (last.thread && ran_on_here(sampler, &last, late))
		return last;
	vec_each (&sampler->tracing->samplings, at) {
		struct threads *threads = &(*at)->threads;
		if (!is_sampled(*at))
			continue;
		for (size_t i = 0; i < threads->awake.len && left > 0; i++, left--) {
			struct preempted found = {
				.sampling = *at, .thread = awake(sampler, threads, i)};
			if (found.thread != last.thread &&
				ran_on_here(sampler, &found, late))
				return found;
		}
	}
	return (struct preempted){0};
}

/* Compare the threads of which search_running has found only that they have run. */
static struct preempted search_all(struct sampler *sampler, bool late)
{
	vec_each (&sampler->tracing->samplings, at) {
		struct threads *threads = &(*at)->threads;
		for (size_t i = 0; is_sampled(*at) && i < threads->awake.len; i++) {
			struct preempted found = {
				.sampling = *at,
				.thread = awake(sampler, threads, i),
				.place = late ? PLACE_LATE : PLACE_EXACT,
			};
			if (found.thread->sampled.ran_ns != sampler->instant_ns)
				continue;
			found.account = found.thread->sampled.looked;
			if (is_here(sampler, &found) && gave_way_to_us(sampler, &found))
				return found;
		}
	}
	return (struct preempted){0};
}

/* False if it has ended. */
static bool add_newcomer(struct sampling *sampling, pid_t tid, uint64_t now_ns)
{
	struct thread *thread = threads_add(&sampling->threads, tid, false, now_ns);
	if (!threads_meet(&sampling->threads, thread, &sampling->target, now_ns)) {
		threads_remove(&sampling->threads, thread);
		return false;
	}
	sampling_introduce(sampling, thread);
	meter_add(&sampling->meter->threads_seen, 1);
	sampling->changed_ns = now_ns;
	return true;
}

/* If unknown threads have probably used CPU time, list the threads and add the new
   ones. */
static bool find_newcomers(struct sampling *sampling)
{
	struct threads *threads = &sampling->threads;
	uint64_t now_ns = clock_monotonic_ns();
	bool any = false;
	if (sampling->is_listing || threads->len > NEWCOMERS_AMONG ||
		!newcomers_may_list(&sampling->newcomers, now_ns) ||
		!newcomers_are_likely(&sampling->newcomers,
			clock_read_ns(sampling->target.cpu_clock), threads->used_ns))
		return false;
	/* Not threads_list: the lookout shall find that their number has changed. */
	if (task_list_read(sampling->target.task_dir_fd, &threads->list))
		vec_each (&threads->list, tid)
			if (!threads_find(threads, *tid))
				any |= add_newcomer(sampling, *tid, now_ns);
	newcomers_listed(&sampling->newcomers, now_ns, clock_monotonic_ns(), any);
	return any;
}

/* Threads that were not known until this instant. */
static struct preempted search_new(struct sampler *sampler, bool late)
{
	bool any = false;
	vec_each (&sampler->tracing->samplings, at) {
		if (!is_sampled(*at) || !find_newcomers(*at))
			continue;
		any = true;
		vec_each (&(*at)->threads.awake, thread) {
			struct preempted found = {.sampling = *at, .thread = *thread};
			if (!found.thread->sampled.looked.cpu_ns)
				has_run(sampler, &found);
		}
	}
	return any ? search_all(sampler, late) : (struct preempted){0};
}

struct preempted preempted_find(struct sampler *sampler, bool late)
{
	sampler->exec_start_is_read = false;
	struct preempted found = search_running(sampler, late);
	if (!found.thread)
		found = search_all(sampler, late);
	if (!found.thread)
		found = search_new(sampler, late);
	if (!found.thread)
		return found;
	if (late && (found.fell_asleep || !has_waited_long(sampler, found.thread))) {
		meter_add(&found.sampling->meter->instants_late, 1);
		return (struct preempted){0};
	}
	sampling_take_advice(found.sampling); /* the newest, for this sample */
	claim(sampler, &found);
	return found;
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
			if (found.thread->sampled.is_claimed || found.thread->is_unread ||
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
	if (best.thread && successor_read_account(&best.sampling->threads, best.thread,
				   &best.sampling->target, &best.account))
		claim(sampler, &best);
	else
		best.thread = NULL;
	return best;
}
