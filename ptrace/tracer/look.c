/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/look.h"

#include "ptrace/threads/schedule.h"
#include "ptrace/threads/successor.h"
#include "ptrace/tracer/sampler.h"
#include "src/base/clock.h"

#include <string.h>

enum {
	RECORDS_OF_AN_END = 2, /* look_thread_ended */
	FEW_THREADS = 16,      /* with no more in all processes together, none rests */
	SCAN_EVERY_MS = 1000,
	SCANS_SHARE = 30,	/* listings take at most 1/30 of the time, */
	SCANS_SHARE_SAME = 200, /* 1/200 while the number of threads stays the same */
	MET_AT_ONCE = 256,	/* threads read at the start; the rota has the others */
	WAIT_COPIES = 32,  /* stacks of sleeping threads a round (about 10 us each) */
	CLOCK_SHARE = 200, /* reading the process clock takes at most 1/200 of the
				   time, */
	CLOCK_SHARE_BEGIN = 50, /* 1/50 until the running threads are found */
	REFUSED_EVERY_MS = 250,
	SURVEYED_MOST = 256,
	MARK_EVERY_MS = 100,
};
/* --- threads that come and go ------------------------------------------------------ */

bool look_has_room(const struct sampling *sampling)
{
	return ring_waiting(sampling->ring) + RECORDS_OF_AN_END <=
	       ring_slots(sampling->ring);
}

void look_thread_ended(struct sampling *sampling, struct thread *thread)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (!thread->is_met) {
		threads_remove(&sampling->threads, thread);
		return;
	}
	uint64_t unsampled_ns = thread_unsampled_ns(thread, &thread->seen.account);
	thread->seen.state = 'X'; /* so that all its blocked time is reported now */
	struct snapshot record = {
		.kind = SNAPSHOT_THREAD_EXIT,
		.tid = thread->tid,
		.state = THREAD_BLOCKED,
		.cpu_ns = unsampled_ns,
	};
	sampling_tell_account(sampling, thread, now_ns);
	sampling_wait_charge(sampling, thread, &record, now_ns);
	sampling_put(sampling, &record);
	threads_remove(&sampling->threads, thread);
}

/* False if it has ended. */
static bool meet(struct sampling *sampling, struct thread *thread, uint64_t now_ns)
{
	if (!threads_meet(&sampling->threads, thread, &sampling->target, now_ns))
		return false;
	sampling_introduce(sampling, thread);
	if (thread->seen.state == 'R')
		samplers_want(sampling->tracing, thread->seen.cpu, false, now_ns);
	return true;
}

/* Releases the mutex while it reads the list. */
static bool list_threads(struct sampling *sampling)
{
	tracing_unlock(sampling->tracing);
	bool any = threads_list(&sampling->threads, &sampling->target);
	tracing_lock(sampling->tracing);
	return any;
}

bool look_for_threads(struct sampling *sampling, bool start)
{
	struct threads *threads = &sampling->threads;
	uint64_t began_ns = clock_monotonic_ns();
	size_t met = 0;
	sampling->must_scan = false;
	sampling->is_listing = true;
	if (!list_threads(sampling)) {
		sampling->is_listing = false;
		return false;
	}
	uint64_t listed_ns = clock_monotonic_ns();
	threads_mark_listed(threads);
	vec_each (&threads->list, tid) {
		if (threads_find(threads, *tid))
			continue;
		struct thread *thread = threads_add(threads, *tid, start, began_ns);
		if (start && met++ >= MET_AT_ONCE) {
			meter_add(&sampling->meter->threads_seen, !sampling->is_again);
			continue;
		}
		if (meet(sampling, thread, listed_ns))
			meter_add(&sampling->meter->threads_seen,
				!(start && sampling->is_again));
		else
			threads_remove(threads, thread);
		tracing_breathe(sampling->tracing);
	}
	sampling->is_listing = false;
	/* By exec one of those that have ended may go on under the number of the first. */
	struct thread *ended, *first = threads_find(threads, sampling->target.pid);
	struct task_account now;
	if (first && !first->is_unread)
		successor_read_account(threads, first, &sampling->target, &now);
	while ((ended = threads_ended(threads, &sampling->target))) {
		sampling->must_scan = !look_has_room(sampling);
		if (sampling->must_scan)
			break; /* the others in the next round */
		look_thread_ended(sampling, ended);
		sampling->changed_ns = listed_ns;
	}
	meter_set(&sampling->meter->threads_now, threads->len);
	sampling->scanned_ns = clock_monotonic_ns();
	sampling->scan_ns = sampling->scanned_ns - began_ns;
	return threads->len > 0;
}

/* A change of the number of threads is seen at once. If one thread replaces another the
   number stays the same; the periodic scan finds that. */
bool look_for_threads_is_due(struct sampling *sampling, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - sampling->scanned_ns;
	if (passed_ns < SCANS_SHARE * sampling->scan_ns)
		return false;
	bool changed = threads_changed(&sampling->threads, &sampling->target);
	if (changed)
		sampling->changed_ns = now_ns;
	return changed || sampling->must_scan ||
	       (passed_ns > SCAN_EVERY_MS * NS_PER_MS &&
		       passed_ns > SCANS_SHARE_SAME * sampling->scan_ns);
}

/* --- looking ----------------------------------------------------------------------- */

/* May THREAD run, or have moved, so that its state is worth reading? That takes five times as long
   as its account. A sleeping thread that got no CPU since the last look still sleeps. Of
   many that used little, most sleep again: now and then one tells on which CPUs they run. */
static bool must_see_state(struct sampling *sampling, const struct thread *thread,
	uint64_t used_ns, bool woke, uint64_t now_ns)
{
	enum {
		MANY = 64,
		LITTLE_PART = 16,
		NOW_AND_THEN = 8
	};
	if (thread->seen.state == 'R')
		return true;
	if (!used_ns && !woke)
		return false;
	return sampling->is_wall || sampling->threads.awake.len <= MANY ||
	       used_ns > (now_ns - thread->seen.time_ns) / LITTLE_PART ||
	       schedule_draw(&sampling->look_random, 0, NOW_AND_THEN) == 0;
}

/* Read THREAD's account and, if it may have changed, its state. False if it has ended. */
static bool see(struct sampling *sampling, struct thread *thread, uint64_t now_ns)
{
	struct thread_seen *seen = &thread->seen;
	struct task_account account;
	if (!successor_read_account(
		    &sampling->threads, thread, &sampling->target, &account))
		return false;
	if (thread->is_unread)
		thread_begin(thread, &account);
	uint64_t used_ns = account.cpu_ns - seen->account.cpu_ns;
	bool must_see = must_see_state(sampling, thread, used_ns,
		account.slices != seen->account.slices, now_ns);
	if (used_ns)
		seen->changed_ns = sampling->ran_ns = now_ns;
	seen->account = account;
	seen->time_ns = now_ns;
	struct task_stat stat;
	if (!must_see)
		return true;
	if (!thread_read_stat(&sampling->threads, thread, &sampling->target, &stat))
		return false;
	memcpy(thread->name, stat.name, sizeof(thread->name));
	if (stat.state == 'R' && seen->state != 'R')
		seen->runnable_ns = now_ns;
	seen->state = stat.state;
	seen->cpu = stat.cpu;
	if (!samplers_want(sampling->tracing, stat.cpu, stat.rt_priority > 0, now_ns))
		sampling->moved_ns = now_ns;
	return true;
}

/* At the first look of many threads, it is enough to know whether this one runs. */
static bool look(struct sampling *sampling, struct thread *thread, uint64_t now_ns)
{
	if (!thread->is_met) {
		if (!meet(sampling, thread, now_ns))
			return false;
		if (!sampling->is_wall)
			return true;
	}
	if (!see(sampling, thread, now_ns))
		return false;
	rota_looked(&sampling->rota, &sampling->threads, thread, now_ns);
	if (sampling->is_wall)
		sampling_wait_look(sampling, thread, sampling->tracing->slot, now_ns);
	return true;
}

static void look_at(struct sampling *sampling, struct thread *thread, uint64_t now_ns)
{
	if (!look(sampling, thread, now_ns)) {
		sampling->must_scan = true; /* it has ended; another may have started */
		return;
	}
	sampling->n_running += thread->seen.state == 'R';
	sampling->n_stopped += thread->seen.state == 'T';
	tracing_breathe(sampling->tracing);
}

/* For the process clock the kernel adds up all threads, which takes half a millisecond
   for ten thousand. So one reading serves the rota and the marks, and the longer it
   takes, the less often it is made. */
static void read_clock(struct sampling *sampling)
{
	uint64_t now_ns = clock_monotonic_ns();
	bool some_rest = sampling->threads.awake.len < sampling->threads.len;
	bool mark_due = now_ns - sampling->marked_ns >= MARK_EVERY_MS * NS_PER_MS;
	if (now_ns < sampling->clock_due_ns || (!some_rest && !mark_due))
		return;
	tracing_unlock(sampling->tracing);
	uint64_t cpu_ns = clock_read_ns(sampling->target.cpu_clock);
	uint64_t took_ns = clock_monotonic_ns() - now_ns;
	tracing_lock(sampling->tracing);
	unsigned share = sampling->rota.is_beginning ? CLOCK_SHARE_BEGIN : CLOCK_SHARE;
	sampling->clock_due_ns = now_ns + share * took_ns;
	rota_begin(&sampling->rota, some_rest ? cpu_ns : 0);
	if (mark_due)
		sampling_mark_at(sampling, cpu_ns, now_ns);
}

void look_around(struct sampling *sampling, uint64_t now_ns)
{
	struct threads *threads = &sampling->threads;
	sampling->n_running = sampling->n_stopped = 0;
	sampling->wait_copies = WAIT_COPIES;
	sampling->rota.by_slices = sampling->is_wall;
	sampling->rota.few = FEW_THREADS / sampling->tracing->samplings.len;
	read_clock(sampling);
	/* The number of awake threads may grow during the looks. Each round begins with
	   another thread, because not all may have their stacks copied in one round. */
	size_t awake = threads->awake.len;
	for (size_t i = 0; i < awake; i++) {
		struct thread *thread =
			threads->awake.data[(sampling->wait_cursor + i) % awake];
		if (rota_is_due(thread))
			look_at(sampling, thread, now_ns);
	}
	sampling->wait_cursor += WAIT_COPIES;
	size_t resting = threads->len - threads->awake.len;
	/* With very many threads the survey reports what is known, without a look at
	   each. */
	bool all = resting <= SURVEYED_MOST && sampling_survey_is_due(sampling, now_ns);
	size_t due = all ? resting : rota_due(&sampling->rota, threads);
	for (size_t left = due; left > 0; left--) {
		struct thread *thread = rota_next(&sampling->rota, threads, now_ns);
		if (!thread)
			break;
		look_at(sampling, thread, now_ns);
	}
	if (due == resting)
		rota_complete(&sampling->rota);
	if (threads->awake.len > awake)
		sampling->moved_ns = now_ns;
	rota_end(&sampling->rota, threads, now_ns);
	meter_set(&sampling->meter->threads_running, sampling->n_running);
	if (awake > 0 || sampling->n_stopped > 0)
		meter_set(&sampling->meter->target_stopped, sampling->n_stopped > 0);
}

/* If samples were refused lately, find out who else traces the process. */
void look_for_tracer(struct sampling *sampling, uint64_t now_ns)
{
	uint64_t refused = meter_get(&sampling->meter->refused);
	if (refused == sampling->refused_known ||
		now_ns - sampling->refused_ns < REFUSED_EVERY_MS * NS_PER_MS) {
		if (now_ns - sampling->refused_ns > 2 * REFUSED_EVERY_MS * NS_PER_MS)
			meter_set(&sampling->meter->tracer_pid, 0);
		return;
	}
	sampling->refused_known = refused;
	sampling->refused_ns = now_ns;
	meter_set(
		&sampling->meter->tracer_pid, (uint64_t)target_tracer(&sampling->target));
}
