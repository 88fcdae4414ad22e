/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which thread did this sampler preempt? When a thread leaves its CPU, the scheduler
   charges it and stores the CPU's clock in se.exec_start; the next thread gets the same
   value (update_curr and set_next_task, kernel/sched). So the thread that had our CPU
   before us has the same number as we have, unless the kernel has charged us again since,
   at its tick. Measured: equal to the nanosecond in 99.5 % of instants.

   Reading both numbers takes as long as the stop itself. It is not needed for a thread
   that has used the CPU all the time since its last stop, so such a thread is looked for
   first. */

#include "ptrace/threads/successor.h"
#include "ptrace/tracer/sampler-private.h"
#include "src/base/clock.h"

enum {
	OUTSIDE_MOST = 512, /* threads looked at in one instant of the outsider */
	PATIENCE_PERIODS = 10,
	OUR_STOP_US = 50, /* how long our own stop makes a thread wait for its CPU */
	LOOKS_MAX = 512, /* threads of one kind looked at in one instant, and at least, */
	LOOKS_LEAST = 16,
	SEARCH_PART = 200, /* or as many as take such a part of a period */
	ODDS_MOST = 32,	   /* else a pool of thousands has a sample in some seconds */
	RESTING_PART = 4,  /* one look of so many, at least, is at a thread that rests */
	/* Searches of all CPUs that begin at the same thread: of threads that were looked at
	   a moment ago, only those are of interest that have run since. */
	SAME_START = 128,
	BATCH = 32,
	/* With fewer threads the process clock is not worth reading. With more it takes as
	   long as the search: the kernel adds up all threads, which are not in the cache. */
	CLOCK_FROM = 8,
	CLOCK_MOST = 128,
	/* With more, those that rest are left to the lookout. */
	SEARCHED_MOST = 4096,
	/* A thread that was off its CPU for less than this, and 1/64 of the time, since
	   its last stop has run on. */
	MOMENT_NS = 40 * 1000,
	MOMENTS_PART = 64,
	/* The same if it also waited for a CPU, and such a part of what it ran: it leaves its
	   CPU many times between two samples, and each time could be taken for now. */
	INSTANT_NS = 20 * 1000,
	INSTANTS_PART = 512,
};

/* Only a thread whose CPU time has grown since the last look can have been preempted; that
   of a light one grows too seldom for a look. */
static bool has_run(struct sampler *sampler, struct preempted *found)
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
	int64_t ran_ns = (int64_t)(now->cpu_ns - then->cpu_ns);
	int64_t off_ns = passed_ns - ran_ns;
	int64_t charged_ago_ns = off_ns - (int64_t)(now->delay_ns - then->delay_ns);
	return sampled->stopped_ns && (off_ns <= passed_ns / MOMENTS_PART + MOMENT_NS ||
					      (charged_ago_ns <= ran_ns / INSTANTS_PART &&
						      charged_ago_ns <= INSTANT_NS));
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
static bool ran_on_here(struct sampler *sampler, struct preempted *found, bool late)
{
	found->place = PLACE_EXACT;
	return has_run(sampler, found) && !late && has_run_on(sampler, found) &&
	       is_here(sampler, found) && !found->fell_asleep;
}

/* Threads that are looked at together: first who has run on, which takes least, then the others
   that have run. */
struct batch {
	struct preempted looked[BATCH];
	size_t len;
};

/* Compare the threads of which batch_add has found only that they have run. */
static struct preempted batch_end(struct sampler *sampler, struct batch *batch, bool late)
{
	for (size_t i = 0; i < batch->len; i++) {
		struct preempted *found = &batch->looked[i];
		found->place = late ? PLACE_LATE : PLACE_EXACT;
		if (is_here(sampler, found) && gave_way_to_us(sampler, found))
			return *found;
	}
	batch->len = 0;
	return (struct preempted){0};
}

/* Look at FOUND's thread. Returns the thread that was preempted, if that is known now. */
static struct preempted batch_add(
	struct sampler *sampler, struct batch *batch, struct preempted found, bool late)
{
	struct thread_sampled *sampled = &found.thread->sampled;
	if (sampled->met_ns == sampler->instant_ns)
		return (struct preempted){0};
	sampled->met_ns = sampler->instant_ns;
	if (ran_on_here(sampler, &found, late))
		return found;
	if (sampled->ran_ns != sampler->instant_ns ||
		(found.odds > 1 && sampler->tracing->is_new_start))
		return (struct preempted){0};
	batch->looked[batch->len++] = found;
	return batch->len == BATCH ? batch_end(sampler, batch, late)
				   : (struct preempted){0};
}

/* The thread that was claimed on this CPU last. */
static struct preempted claimed_last(const struct sampler *sampler)
{
	pid_t tid = sampler->seat->last_tid;
	vec_each (&sampler->tracing->samplings, at) {
		struct preempted found = {.sampling = *at};
		if (tid && sampling_is_on(*at))
			found.thread = threads_find(&(*at)->threads, tid);
		if (found.thread)
			return found;
	}
	return (struct preempted){0};
}

/* LOOKS of them took so long: what is one look's? */
static void note_looks(struct tracing *tracing, uint64_t took_ns, size_t looks)
{
	enum {
		OUTLIER =
			4 /* who had to wait for a CPU meanwhile did not look for so long */
	};
	if (looks < LOOKS_LEAST)
		return;
	uint64_t each_ns = took_ns / looks, most_ns = OUTLIER * tracing->look_ns;
	if (most_ns > 0 && each_ns > most_ns)
		each_ns = most_ns;
	tracing->look_ns = (tracing->look_ns * 7 + each_ns) / 8;
}

/* With many threads, searches look at the same part of them for a while. The first of these only
   reads the accounts. */
static void plan_search(struct sampler *sampler)
{
	struct tracing *tracing = sampler->tracing;
	tracing->is_new_start = tracing->searches++ % SAME_START == 0;
	if (!tracing->is_new_start)
		return;
	uint64_t most = tracing->period_ns / SEARCH_PART /
			(tracing->look_ns > 0 ? tracing->look_ns : 1);
	tracing->looks = most < LOOKS_MAX ? (size_t)most : LOOKS_MAX;
	tracing->start = schedule_draw(&sampler->random, 0, UINT32_MAX);
}

/* Look at N threads at DATA; if they are more than MOST, at one of equal parts of them that is chosen
   at random, so that each has the same chance. Returns the one that was preempted. */
static struct preempted search_some(struct sampler *sampler, struct sampling *sampling,
	struct thread *const *data, size_t n, size_t most, bool late)
{
	struct batch batch = {.len = 0};
	if (most < n / ODDS_MOST)
		most = n / ODDS_MOST;
	unsigned odds = n > most ? (unsigned)((n + most - 1) / most) : 1;
	size_t part = (size_t)(sampler->tracing->start * odds >> 32), looks = 0;
	size_t i = part * n / odds, end = (part + 1) * n / odds;
	uint64_t began_ns = clock_monotonic_ns();
	pool_searched(&sampling->pool, odds);
	struct preempted found = {.sampling = sampling};
	for (; i < end && !found.thread; i++) {
		/* Among all threads, those that are awake have had their chance. */
		if (data == sampling->threads.data && data[i]->rest.awake_place)
			continue;
		looks++;
		found = (struct preempted){
			.sampling = sampling, .thread = data[i], .odds = odds};
		found = batch_add(sampler, &batch, found, late);
	}
	if (!found.thread)
		found = batch_end(sampler, &batch, late);
	note_looks(sampler->tracing, clock_monotonic_ns() - began_ns, looks);
	return found;
}

/* The threads of one process, those first that are sampled often. If its clock stands still since
   the last search here, none of them was preempted; the clock is read in less time than the
   accounts of three threads. Those that rest are looked at if somebody has run who does
   not seem to be among the others, or if that is not known. */
static struct preempted search_process(
	struct sampler *sampler, struct sampling *sampling, size_t most, bool late)
{
	struct threads *threads = &sampling->threads;
	struct preempted found = {0};
	size_t n = threads->len;
	bool is_read = n >= CLOCK_FROM && n <= CLOCK_MOST;
	uint64_t cpu_ns = is_read ? clock_read_ns(sampling->target.cpu_clock) : 0;
	if (is_read && sampler->tracing->samplings.len == 1) {
		uint64_t before_ns = sampler->seat->cpu_ns;
		sampler->seat->cpu_ns = cpu_ns;
		if (cpu_ns == before_ns)
			return found;
	}
	found = search_some(
		sampler, sampling, threads->own.data, threads->own.len, most, late);
	if (!found.thread)
		found = search_some(sampler, sampling, threads->awake.data,
			threads->awake.len, most, late);
	if (found.thread || threads->awake.len == n || n > SEARCHED_MOST ||
		(is_read && !newcomers_are_likely(
				    &sampling->unexplained, cpu_ns, threads->used_ns)))
		return found;
	size_t left = most > threads->awake.len ? most - threads->awake.len : 0;
	if (left < most / RESTING_PART)
		left = most / RESTING_PART;
	return search_some(
		sampler, sampling, threads->data, n, is_read ? most : left, late);
}

static struct preempted search_known(struct sampler *sampler, bool late)
{
	sampler->exec_start_is_read = false;
	plan_search(sampler);
	size_t n = sampler->tracing->samplings.len;
	size_t most = sampler->tracing->looks / (n > 0 ? n : 1);
	struct preempted found = claimed_last(sampler);
	struct batch batch = {.len = 0};
	if (found.thread)
		found = batch_add(sampler, &batch, found, late);
	if (!found.thread)
		found = batch_end(sampler, &batch, late);
	for (size_t i = 0; i < n && !found.thread; i++) {
		struct sampling *sampling = sampler->tracing->samplings.data[i];
		if (sampling_is_on(sampling))
			found = search_process(sampler, sampling,
				most > LOOKS_LEAST ? most : LOOKS_LEAST, late);
	}
	return found;
}

static bool has_waited_long(const struct sampler *sampler, const struct thread *thread)
{
	const struct thread_sampled *sampled = &thread->sampled;
	uint64_t looked_ns = sampled->looked.cpu_ns;
	uint64_t unsampled_ns =
		looked_ns > sampled->cpu_ns ? looked_ns - sampled->cpu_ns : 0;
	return unsampled_ns > PATIENCE_PERIODS * sampler->tracing->period_ns;
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
		sampling_copy_recipe(sampling, sampler->recipe, &sampler->recipe_number);
		found->is_alone = sampling->threads.len == 1;
	} else {
		found->thread = NULL;
	}
}

/* Threads that were not known until this instant. */
static struct preempted search_new(struct sampler *sampler, bool late)
{
	bool any = false;
	vec_each (&sampler->tracing->samplings, at) {
		if (!sampling_is_on(*at) || !sampling_find_newcomers(*at))
			continue;
		any = true;
	}
	return any ? search_known(sampler, late) : (struct preempted){0};
}

struct preempted preempted_find(struct sampler *sampler, bool late)
{
	struct preempted found = search_known(sampler, late);
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
	size_t left = OUTSIDE_MOST;
	vec_each (&sampler->tracing->samplings, at) {
		struct sampling *sampling = *at;
		struct threads *threads = &sampling->threads;
		if (!sampling_is_on(sampling))
			continue;
		for (size_t i = 0; i < threads->awake.len && left > 0; i++, left--) {
			struct preempted found = {
				.sampling = sampling,
				.thread = threads->awake.data[i],
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
