/* SPDX-License-Identifier: GPL-2.0-or-later */
/* After a sample was taken and its thread runs again: compute its weight, and put it into
   the ring. */

#include "ptrace/tracer/sampler-private.h"

#include "ptrace/threads/account.h"
#include "ptrace/threads/successor.h"
#include "src/base/clock.h"

#include <string.h>

/* Read what the kernel has charged to THREAD. The stop took it off its CPU, so its
   account is exact. What it was charged after the end of sampling is in no sample, however long
   the stop took that was under way then. */
static bool refresh_account(struct sampling *sampling, struct thread *thread)
{
	struct task_account account;
	if (!successor_read_account(
		    &sampling->threads, thread, &sampling->target, &account))
		return false;
	if (sampling->is_leaving && !sampling->is_gone)
		return true;
	uint64_t now_ns = clock_monotonic_ns();
	if (account.cpu_ns != thread->seen.account.cpu_ns)
		thread->seen.changed_ns = now_ns;
	thread->seen.account = account;
	thread->seen.time_ns = now_ns;
	thread_looked(&sampling->threads, thread, &account);
	return true;
}

/* One period of the process, as it is sampled now: on average a sample stands for so much CPU
   time. */
static uint64_t period_ns(const struct sampling *sampling)
{
	double rate_hz = sampling->budget.rate_hz * sampling->budget.chance;
	return (uint64_t)((double)NS_PER_SEC / rate_hz);
}

/* What the next sample of THREAD, which is often sampled, will weigh. */
static uint64_t pending_ns(struct sampling *sampling, struct thread *thread)
{
	struct task_account account;
	bool is_read = successor_read_account(
		&sampling->threads, thread, &sampling->target, &account);
	return thread_unsampled_ns(thread, is_read ? &account : &thread->seen.account);
}

struct books {
	uint64_t charged_ns; /* what the process was charged, */
	uint64_t known_ns;   /* and for how much of it there is a place */
};

/* No account is read before the clock, so what is known may be too much, but never too little: no
   CPU time is weighed twice. False if the process has ended. */
static bool read_books(struct sampling *sampling, struct books *books)
{
	const struct meter *meter = sampling->meter;
	uint64_t cpu_ns = sampling->is_leaving
				  ? sampling->cpu_last_ns
				  : clock_read_ns(sampling->target.cpu_clock);
	if (cpu_ns < sampling->cpu_last_ns)
		return false;
	books->charged_ns =
		cpu_ns - sampling->cpu_base_ns + meter_get(&meter->cpu_adopted_ns);
	books->known_ns = meter_get(&meter->cpu_sampled_ns) +
			  meter_get(&meter->cpu_unsampled_ns) + sampling->rest_ns;
	vec_each (&sampling->threads.own, at)
		books->known_ns += pending_ns(sampling, *at);
	return true;
}

static void fill_pool(struct sampling *sampling)
{
	struct books books;
	uint64_t began_ns = clock_monotonic_ns();
	if (!pool_is_due(&sampling->pool, began_ns) || !read_books(sampling, &books))
		return;
	uint64_t forgotten_ns = pool_fill(&sampling->pool, began_ns, clock_monotonic_ns(),
		books.charged_ns, books.known_ns, period_ns(sampling));
	meter_add(&sampling->meter->cpu_unsampled_ns, forgotten_ns);
}

void sampling_judge(struct sampling *sampling, uint64_t now_ns)
{
	struct threads *threads = &sampling->threads;
	struct books books;
	bool any = threads_judge(threads, sampling->cpu_last_ns, now_ns);
	if (!any || sampling->is_wall || !read_books(sampling, &books))
		return;
	int64_t twice_ns = (int64_t)(books.known_ns - books.charged_ns);
	for (size_t i = threads->own.len; i > 0 && twice_ns > 0; i--) {
		struct thread *thread = threads->own.data[i - 1];
		uint64_t own_ns = pending_ns(sampling, thread);
		uint64_t cut_ns =
			own_ns < (uint64_t)twice_ns ? own_ns : (uint64_t)twice_ns;
		thread->sampled.cpu_ns += cut_ns;
		twice_ns -= (int64_t)cut_ns;
	}
	sampling->pool.due_ns = 0;
}

uint64_t sampling_pool_rest(struct sampling *sampling)
{
	struct pool *pool = &sampling->pool;
	if (pool->odds == 0 || sampling->is_wall || !sampling->hz)
		return 0;
	pool->due_ns = 0;
	fill_pool(sampling);
	return pool_take(pool, pool->odds, period_ns(sampling));
}

/* Then what no sample has taken is time in the kernel, which nobody shall get. */
static bool counts_user_time(const struct sampling *sampling)
{
	return sampling->tracing->perf && !sampling->wish.grant.with_kernel;
}

/* For wall clock each sample weighs the time of its thread, so that all its times add up. */
static void weigh(struct sampling *sampling, const struct thread *thread, unsigned odds,
	struct snapshot *slot)
{
	if (sampling_counts_events(sampling)) {
		slot->cpu_ns = sampling->event_weight;
		slot->odds = 1;
		return;
	}
	slot->ran_ns = slot->cpu_ns = thread_unsampled_ns(thread, &thread->seen.account);
	slot->is_pooled = !sampling->is_wall && !thread->sampled.own_place &&
			  !counts_user_time(sampling);
	slot->odds = (uint8_t)(odds == 0 ? 1 : odds < UINT8_MAX ? odds : UINT8_MAX);
	if (!slot->is_pooled)
		return;
	fill_pool(sampling);
	odds = slot->odds;
	slot->cpu_ns = pool_take(&sampling->pool, odds, period_ns(sampling));
	slot->odds = (uint8_t)pool_count(
		&sampling->pool, odds, slot->cpu_ns, period_ns(sampling));
}

static bool put_weighed(struct sampling *sampling, struct thread *thread,
	struct snapshot *slot, unsigned odds, uint64_t now_ns)
{
	struct thread_wait before = thread->wait;
	weigh(sampling, thread, odds, slot);
	sampling_wait_charge(sampling, thread, slot, now_ns);
	if (sampling_put(sampling, slot))
		return true;
	thread->wait = before;
	sampling->pool.left_ns += slot->is_pooled ? slot->cpu_ns : 0;
	return false;
}

/* The first thread of a process that began while its parent was sampled, and has not used more than a
   few periods: its samples take their weight of the pot of all such processes. */
static bool is_young(const struct sampling *sampling, const struct thread *thread)
{
	enum {
		YOUNG_PERIODS = 8
	};
	return sampling->is_born && thread->tid == sampling->target.pid &&
	       thread->seen.account.cpu_ns < YOUNG_PERIODS * sampling->tracing->period_ns;
}

/* What its own thread has used goes into the pot, for others. */
static bool put_young(struct sampling *sampling, struct thread *thread,
	struct snapshot *slot, uint64_t now_ns)
{
	struct tracing *tracing = sampling->tracing;
	struct pot *pot = &tracing->pot;
	struct meter *meter = sampling->meter;
	pot_tell(pot, tracing->control->unseen_ns, now_ns);
	struct pot_share share = pot_take(pot, now_ns);
	uint64_t own_ns = thread_unsampled_ns(thread, &thread->seen.account);
	slot->ran_ns = own_ns;
	slot->cpu_ns = share.weight_ns;
	slot->is_pooled = true;
	slot->odds = 1;
	sampling_wait_charge(sampling, thread, slot, now_ns);
	if (!sampling_put(sampling, slot)) {
		pot_give_back(pot, &share);
		return false;
	}
	pot_add(pot, own_ns, now_ns);
	meter_add(&meter->cpu_unsampled_ns, own_ns);
	/* Of other processes, too: the sum of all is never below 0. */
	meter_sub(&meter->cpu_unsampled_ns, share.weight_ns - share.unseen_ns);
	meter_add(&meter->cpu_adopted_ns, share.unseen_ns);
	return true;
}

static void count_sample(struct sampling *sampling, const struct snapshot *slot)
{
	struct meter *meter = sampling->meter;
	if (sampling->is_born)
		sampling->tracing->brief_costs.ran_ns += slot->cpu_ns;
	if (!sampling_counts_events(sampling))
		meter_add(&meter->cpu_sampled_ns, slot->cpu_ns);
	meter_add(&meter->samples, 1);
	meter_add(&meter->samples_late, slot->place == PLACE_LATE);
	meter_add(&meter->samples_elsewhere, slot->place == PLACE_ELSEWHERE);
}

static void put_sample(struct sampling *sampling, const struct preempted *preempted,
	struct snapshot *slot)
{
	struct thread *thread = preempted->thread;
	const struct task_stat *stat = &preempted->stat;
	uint64_t now_ns = sampling_now_ns(sampling);
	memcpy(thread->name, stat->name, sizeof(thread->name));
	memcpy(slot->name, stat->name, sizeof(slot->name));
	slot->kind = SNAPSHOT_SAMPLE;
	slot->tid = thread->tid;
	if (stat->state == 'R' && thread->seen.state != 'R')
		thread->seen.runnable_ns = thread->seen.time_ns;
	thread->seen.state = stat->state;
	thread->seen.cpu = stat->cpu;
	struct thread_wait before = thread->wait;
	bool is_put =
		is_young(sampling, thread)
			? put_young(sampling, thread, slot, now_ns)
			: put_weighed(sampling, thread, slot, preempted->odds, now_ns);
	if (!is_put) {
		thread->wait = before;
		meter_add(&sampling->meter->lost, 1);
		return; /* its next sample gets this weight, too */
	}
	thread->sampled.cpu_ns = thread->seen.account.cpu_ns;
	thread->rest.awake_until_ns = now_ns + AWAKE_MS * NS_PER_MS;
	threads_wake(&sampling->threads, thread);
	count_sample(sampling, slot);
}

static void count(struct sampling *sampling, const struct stop *stop)
{
	enum {
		LATELY = 64 /* stops */
	};
	struct meter *meter = sampling->meter;
	double *lately_ns = &sampling->tracing->stop_ns;
	*lately_ns += ((double)stop->stopped_ns - *lately_ns) / LATELY;
	meter_count_stop(meter, stop->stopped_ns);
	sampling->asked_stops++;
	sampling->asked_stopped_ns += stop->stopped_ns;
	if (sampling->is_born) {
		sampling->tracing->brief_costs.stops++;
		sampling->tracing->brief_costs.stopped_ns += stop->stopped_ns;
	}
	meter_add(&meter->restarts, stop->was_restarted);
	meter_add(&meter->completed, stop->was_completed);
	meter_add(&meter->signals, stop->was_signalled);
}

/* A thread that was stopped from another CPU may have been waiting in the run queue, not
   running. Then the sample is dropped, and the next one gets its weight. */
static bool had_waited(const struct preempted *preempted)
{
	enum {
		WAITED_US = 30
	};
	return preempted->place == PLACE_ELSEWHERE &&
	       preempted->thread->seen.account.delay_ns - preempted->account.delay_ns >
		       WAITED_US * NS_PER_US;
}

void handover_sample(struct sampler *sampler, const struct preempted *preempted,
	const struct stop *stop, enum stop_result result)
{
	struct sampling *sampling = preempted->sampling;
	struct thread *thread = preempted->thread;
	thread->sampled.is_claimed = false;
	if (result == STOP_REFUSED)
		meter_add(&sampling->meter->refused, 1);
	if (result == STOP_NO_MEMORY) {
		sampling->exec_seen = true;
		tracing_poke(sampler->tracing);
	}
	if (result == STOP_REFUSED || result == STOP_GONE)
		return;
	count(sampling, stop);
	if (result != STOP_COPIED || !refresh_account(sampling, thread) ||
		had_waited(preempted))
		return;
	thread->sampled.stopped_ns = thread->seen.time_ns;
	thread->sampled.stopped = thread->seen.account;
	sampler->slot->state = THREAD_RUNNING;
	sampler->slot->place = preempted->place;
	sampler->slot->stop_ns = stop->stopped_ns;
	put_sample(sampling, preempted, sampler->slot);
}

void handover_asleep(
	struct sampler *sampler, const struct preempted *preempted, bool copied)
{
	struct sampling *sampling = preempted->sampling;
	struct thread *thread = preempted->thread;
	thread->sampled.is_claimed = false;
	if (!copied || !refresh_account(sampling, thread))
		return;
	/* It was running until this instant. */
	sampler->slot->state = THREAD_RUNNING;
	sampler->slot->place = preempted->place;
	sampler->slot->stop_ns = 0;
	put_sample(sampling, preempted, sampler->slot);
}

void handover_event(
	struct sampling *sampling, struct thread *thread, struct snapshot *slot)
{
	struct preempted preempted = {
		.sampling = sampling,
		.thread = thread,
		.stat = {.state = thread->seen.state, .cpu = thread->seen.cpu},
	};
	memcpy(preempted.stat.name, thread->name, sizeof(thread->name));
	slot->state = THREAD_RUNNING;
	slot->place = PLACE_EXACT;
	put_sample(sampling, &preempted, slot);
}
