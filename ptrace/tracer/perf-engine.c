/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/perf-engine.h"

#include "ptrace/threads/successor.h"
#include "ptrace/tracer/look.h"
#include "src/base/clock.h"
#include "src/base/mem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
	COUNT_EVERY_MS = 500,
	COUNT_FIRST_MS = 100,
};

struct perf_engine {
	struct perf_rings rings;
	int errnum; /* why there are none */
};

void perf_engine_prepare(struct tracing *tracing)
{
	if (tracing->options->engine != ENGINE_PERF)
		return;
	struct perf_engine *engine = mem_zalloc(sizeof(*engine));
	tracing->perf = engine;
	if (!perf_rings_open(&engine->rings))
		engine->errnum = errno;
}

uint64_t perf_engine_due_ns(const struct tracing *tracing, uint64_t idle_ns)
{
	enum {
		TAKE_EVERY_MS = 10
	};
	uint64_t due_ns = clock_monotonic_ns() + TAKE_EVERY_MS * NS_PER_MS;
	vec_each (&tracing->samplings, at)
		if ((*at)->events.fds.len > 0 && due_ns < idle_ns)
			return due_ns;
	return idle_ns;
}

int perf_engine_fd(const struct tracing *tracing)
{
	return tracing->perf ? tracing->perf->rings.epoll_fd : -1;
}

/* --- events ------------------------------------------------------------------------ */

static double rate_hz(const struct sampling *sampling)
{
	double hz = sampling->budget.rate_hz;
	return hz > 0 ? hz : sampling->hz; /* there is no budget yet */
}

static struct perf_wish wish_of(const struct sampling *sampling)
{
	const struct tracer_options *options = sampling->tracing->options;
	struct perf_wish wish = {
		.event = options->event,
		.places = sampling->places,
		.pid = sampling->target.pid,
		.stack_bytes = PERF_STACK_FIRST_BYTES,
		.grant = options->grant,
	};
	double hz = rate_hz(sampling);
	if (sampling_is_on(sampling) && hz > 0)
		wish.period_ns = sampling_counts_events(sampling)
					 ? NS_PER_SEC
					 : (uint64_t)((double)NS_PER_SEC / hz);
	if (wish.event.period == 0)
		wish.event.period = sampling->period;
	if (wish.stack_bytes < sampling->deepest)
		wish.stack_bytes = sampling->deepest;
	size_t most = ring_stack_bytes(sampling->ring);
	if (wish.stack_bytes > most)
		wish.stack_bytes = (uint32_t)most & ~7u;
	if (wish.stack_bytes > PERF_STACK_MOST_BYTES)
		wish.stack_bytes = PERF_STACK_MOST_BYTES;
	return wish;
}

/* A rate that a budget has changed by less than that stays as it is. */
static bool is_near(uint64_t a, uint64_t b)
{
	enum {
		PART = 8
	};
	return a - b + b / PART <= b / PART * 2;
}

static void add_count(struct perf_count *sum, const struct perf_count *part)
{
	sum->events += part->events;
	sum->enabled_ns += part->enabled_ns;
	sum->running_ns += part->running_ns;
}

/* A guess for the first moment. */
static uint64_t first_period(enum event_kind kind)
{
	return event_period(event_has_places(kind)	? 100
			    : kind < EVENT_CYCLES	? 1
			    : kind < EVENT_CACHE_MISSES ? 1000000
							: 10000);
}

/* For about as many samples as are asked for; not for each change, because all events are opened
   anew for it. */
static void adapt_period(struct sampling *sampling, uint64_t events, uint64_t passed_ns)
{
	enum {
		TIMES = 2
	};
	double hz = rate_hz(sampling) * (double)sampling->tracing->perf->rings.rings.len;
	double wanted = (double)events / (double)passed_ns * NS_PER_SEC / hz;
	double is = (double)sampling->period;
	if (passed_ns < COUNT_FIRST_MS * NS_PER_MS)
		return;
	if (wanted > is * TIMES || (wanted < is / TIMES && is > 1))
		sampling->period = event_period((uint64_t)wanted + 1);
}

/* Each thread is looked at on one CPU at a time, and the time of its events passes on all. */
static double scale_of(const struct sampling *sampling, const struct perf_count *part)
{
	enum event_kind kind = sampling->wish.event.kind;
	double there_ns = (double)part->enabled_ns /
			  (double)sampling->tracing->perf->rings.rings.len;
	return event_is_of_processor(kind) && part->running_ns > 0 &&
			       there_ns > (double)part->running_ns
		       ? there_ns / (double)part->running_ns
		       : 1;
}

/* Tell how many there were so far. A processor has few counters, which take turns if more are
   wanted: then that is estimated. */
static void tell_count(struct sampling *sampling, uint64_t now_ns)
{
	struct perf_count now = perf_events_count(&sampling->events);
	add_count(&now, &sampling->counted);
	struct perf_count part = {
		.events = now.events - sampling->told.events,
		.enabled_ns = now.enabled_ns - sampling->told.enabled_ns,
		.running_ns = now.running_ns - sampling->told.running_ns,
	};
	sampling->scale = scale_of(sampling, &part);
	struct meter *meter = sampling->meter;
	double there_ns = (double)part.running_ns * sampling->scale;
	meter_add(&meter->event_counted,
		(uint64_t)((double)part.events * sampling->scale + 0.5));
	meter_add(&meter->event_enabled_ns, (uint64_t)there_ns);
	meter_add(&meter->event_running_ns, part.running_ns);
	adapt_period(sampling, part.events, now_ns - sampling->told_ns + 1);
	sampling->told = now;
	sampling->told_ns = now_ns;
}

/* All records that are there then are of what SAMPLING has wished for. */
static void close_events(struct sampling *sampling)
{
	if (sampling_counts_events(sampling)) {
		tell_count(sampling, clock_monotonic_ns());
		sampling->counted = sampling->told;
	}
	perf_events_close(&sampling->events);
	perf_engine_take(sampling->tracing);
}

/* For the threads that have none. */
static bool open_missing(struct sampling *sampling)
{
	const struct perf_wish *wish = &sampling->wish;
	sampling->opened_ns = clock_monotonic_ns();
	return wish->period_ns == 0 || perf_wish_parts(wish) == 0 ||
	       perf_events_open(&sampling->events, &sampling->tracing->perf->rings,
		       sampling->target.task_dir_fd, wish);
}

static bool open_events(struct sampling *sampling, const struct perf_wish *wish)
{
	if (sampling->events.fds.len > 0)
		close_events(sampling);
	sampling->events.random = sampling->told_ns = clock_monotonic_ns();
	sampling->period_before = sampling->wish.event.period;
	sampling->since_ns = sampling->told_ns;
	sampling->wish = *wish;
	return open_missing(sampling);
}

/* Have threads begun that have not inherited what there is? */
static bool has_newcomers(const struct sampling *sampling)
{
	return sampling->wish.grant.uprobe_type && sampling->wish.period_ns &&
	       sampling->changed_ns >= sampling->opened_ns;
}

bool perf_engine_add(struct sampling *sampling)
{
	const struct perf_engine *engine = sampling->tracing->perf;
	if (!engine)
		return true;
	errno = engine->errnum;
	sampling->scale = 1;
	sampling->period = first_period(sampling->tracing->options->event.kind);
	struct perf_wish wish = wish_of(sampling);
	return !engine->errnum && open_events(sampling, &wish);
}

void perf_engine_follow(struct sampling *sampling)
{
	struct tracing *tracing = sampling->tracing;
	if (!tracing->perf)
		return;
	bool is_elsewhere = event_take(
		ring_event(sampling->ring), &sampling->places_taken, &sampling->places);
	if (is_elsewhere)
		sampling->retry_ns = 0;
	uint64_t now_ns = clock_monotonic_ns();
	bool is_first = sampling->told.enabled_ns == 0;
	uint64_t every_ms = is_first ? COUNT_FIRST_MS : COUNT_EVERY_MS;
	if (sampling_counts_events(sampling) && sampling->events.fds.len > 0 &&
		now_ns >= sampling->told_ns + every_ms * NS_PER_MS)
		tell_count(sampling, now_ns);
	struct perf_wish wish = wish_of(sampling), *is = &sampling->wish;
	bool is_same = !is_elsewhere && wish.stack_bytes == is->stack_bytes &&
		       wish.event.period == is->event.period &&
		       !wish.period_ns == !is->period_ns &&
		       is_near(wish.period_ns, is->period_ns);
	if ((is_same && !has_newcomers(sampling)) || now_ns < sampling->retry_ns)
		return;
	if (is_same ? open_missing(sampling) : open_events(sampling, &wish)) {
		meter_set(&sampling->meter->event_errnum, 0);
		return;
	}
	/* It has ended, or has too many threads now, or somebody else the breakpoints. */
	if (errno != ESRCH)
		meter_set(&sampling->meter->event_errnum, (uint64_t)errno);
	sampling->wish.period_ns = 0;
	sampling->retry_ns = now_ns + NS_PER_SEC;
}

void perf_engine_leave(struct sampling *sampling)
{
	if (sampling->tracing->perf)
		close_events(sampling);
}

/* --- samples ----------------------------------------------------------------------- */

static struct sampling *sampling_of(const struct tracing *tracing, pid_t pid)
{
	vec_each (&tracing->samplings, at)
		if ((*at)->target.pid == pid && sampling_is_on(*at))
			return *at;
	return NULL;
}

/* One that has ended before anybody looked at it has a sample all the same. */
static struct thread *meet(struct sampling *sampling, const struct perf_seen *seen)
{
	struct threads *threads = &sampling->threads;
	struct thread *thread = threads_find(threads, seen->tid);
	if (thread && thread->is_met)
		return thread;
	if (!thread) {
		thread = threads_add(threads, seen->tid, false, seen->time_ns);
		meter_add(&sampling->meter->threads_seen, 1);
	}
	if (!threads_meet(threads, thread, &sampling->target, seen->time_ns)) {
		const struct thread *first = threads_find(threads, sampling->target.pid);
		threads_meet_late(threads, thread, first ? first->name : "");
		sampling->must_scan = true;
	}
	sampling->changed_ns = clock_monotonic_ns();
	return thread;
}

/* What the thread was charged until now is for its samples in this batch; of one that has ended a
   period for each. */
static void read_account(struct sampling *sampling, struct thread *thread)
{
	struct thread_batch *batch = &thread->batch;
	struct task_account account = thread->seen.account;
	bool is_read = successor_read_account(
		&sampling->threads, thread, &sampling->target, &account);
	uint64_t least_ns =
		thread->sampled.cpu_ns + batch->samples * sampling->wish.period_ns;
	if (is_read && thread->is_unread)
		thread_begin(thread, &account);
	else if (is_read)
		thread->seen.account = account;
	else if (account.cpu_ns < least_ns)
		thread->seen.account.cpu_ns = least_ns;
	if (is_read)
		thread_looked(&sampling->threads, thread, &account);
	batch->account = thread->seen.account;
}

static void count_batch(struct tracing *tracing)
{
	vec_each (&tracing->perf->rings.seen, seen) {
		struct sampling *sampling = sampling_of(tracing, seen->pid);
		if (!sampling || seen->kind != PERF_SAMPLE)
			continue;
		struct thread_batch *batch = &meet(sampling, seen)->batch;
		batch->is_read &= batch->samples > 0;
		batch->samples++;
	}
}

/* Up to where the account of THREAD counts for this sample. */
static void share_account(struct sampling *sampling, struct thread *thread)
{
	struct thread_batch *batch = &thread->batch;
	uint64_t period_ns = sampling->wish.period_ns;
	if (!batch->is_read)
		read_account(sampling, thread);
	batch->is_read = true;
	thread->seen.account = batch->account;
	uint64_t all_ns = thread_unsampled_ns(thread, &batch->account);
	uint64_t part_ns = all_ns / batch->samples--;
	if (!sampling->wish.grant.with_kernel && part_ns > period_ns)
		part_ns = period_ns;
	thread->seen.account.cpu_ns = batch->account.cpu_ns - (all_ns - part_ns);
}

/* Copy the stack up to where its root is known to be. */
static void copy_stack(const struct thread *thread, const struct perf_record *record,
	size_t most, struct snapshot *slot)
{
	const struct stack_root *root = &thread->sampled.habit.root;
	uint64_t sp = arch_regset_sp(&record->regset), length = root->top - sp;
	slot->stack_length =
		record->stack_length < most ? record->stack_length : (uint32_t)most;
	slot->stack_cut = record->stack_cut || slot->stack_length < record->stack_length;
	slot->stack_address = sp;
	if (length >= sizeof(root->word) && length <= slot->stack_length &&
		memcmp(record->stack + length - sizeof(root->word), &root->word,
			sizeof(root->word)) == 0) {
		slot->stack_length = (uint32_t)length;
		slot->stack_cut = true;
	}
	if (slot->stack_length > 0)
		memcpy(slot->stack, record->stack, slot->stack_length);
}

/* How many bytes a call is about, if they are counted. A size that no memory has is an error of the
   caller's, or a way to say "none". */
static double bytes_of(const struct sampling *sampling, const struct arch_regset *regset)
{
	const uint64_t most = (uint64_t)1 << 47;
	uint32_t argument = sampling->wish.event.argument;
	uint64_t bytes = argument ? arch_regset_argument(regset, argument - 1) : 1;
	return bytes < most ? (double)bytes : 0;
}

/* So many events is this sample, and no CPU time; and those of lost ones on its CPU, as these most
   often happened in one place. They are lost because they are too many, and then the period grows: so
   they were of the one before. */
static void weigh_events(struct sampling *sampling, struct thread *thread,
	const struct perf_seen *seen, const struct arch_regset *regset)
{
	struct perf_ring *ring = &sampling->tracing->perf->rings.rings.data[seen->ring];
	uint64_t period = seen->time_ns < sampling->since_ns
				  ? sampling->period_before
				  : sampling->wish.event.period;
	uint64_t before = ring->last_period ? ring->last_period : period;
	double events = (double)period + (double)before * (double)ring->owed;
	ring->owed = 0;
	ring->last_period = period;
	thread->batch.samples--;
	events *= sampling->scale;
	sampling->event_weight = (uint64_t)(events * bytes_of(sampling, regset) + 0.5);
	meter_add(&sampling->meter->event_sampled, (uint64_t)(events + 0.5));
}

static void hand_over(struct sampling *sampling, const struct perf_seen *seen)
{
	struct tracing *tracing = sampling->tracing;
	struct thread *thread = threads_find(&sampling->threads, seen->tid);
	struct perf_record record;
	perf_rings_read(&tracing->perf->rings, seen, &record);
	if (!thread || thread->batch.samples == 0)
		return;
	if (record.regset.size == 0) {
		thread->batch.samples--; /* its memory is gone */
		return;
	}
	bool is_time = !sampling_counts_events(sampling);
	if (is_time)
		share_account(sampling, thread);
	else
		weigh_events(sampling, thread, seen, &record.regset);
	if (sampling->wish.event.kind == EVENT_WRITE)
		arch_regset_at_write(&record.regset);
	thread_claim(thread);
	thread->sampled.is_claimed = false;
	if (thread->sampled.habit.reach > sampling->deepest)
		sampling->deepest = (uint32_t)advice_bytes(
			thread->sampled.habit.reach, PERF_STACK_MOST_BYTES);
	struct snapshot *slot = tracing->slot;
	*slot = (struct snapshot){.is_event = true, .regset = record.regset};
	copy_stack(thread, &record, ring_stack_bytes(sampling->ring), slot);
	sampling->instant_ns = seen->time_ns;
	if (!thread->introduced)
		sampling_introduce(sampling, thread);
	thread->seen.cpu = tracing->perf->rings.rings.data[seen->ring].cpu;
	handover_event(sampling, thread, slot);
	sampling->instant_ns = 0;
	if (!is_time)
		return;
	perf_events_vary(&sampling->events, &tracing->perf->rings, &sampling->wish,
		seen->tid, seen->ring);
	thread->seen.account = thread->batch.account;
}

/* It comes with the next batch. */
static void forget_batch(struct tracing *tracing, const struct perf_seen *seen)
{
	struct sampling *sampling = sampling_of(tracing, seen->pid);
	struct thread *thread =
		sampling ? threads_find(&sampling->threads, seen->tid) : NULL;
	if (thread)
		thread->batch.samples = 0;
}

/* A read of it that finds no memory at that address says so otherwise. */
static bool memory_is_gone(const struct target *target)
{
	char byte;
	return pread(target->mem_fd, &byte, 1, 0) == 0;
}

/* Which process they were of, the kernel does not say; what counts is the sum of all. */
static void count_lost(struct tracing *tracing, const struct perf_seen *seen)
{
	uint64_t lost = seen->lost;
	tracing->perf->rings.rings.data[seen->ring].owed += lost;
	if (tracing->samplings.len > 0)
		meter_add(&tracing->samplings.data[0]->meter->lost, lost);
	/* That of an exec may be among them. */
	vec_each (&tracing->samplings, at)
		(*at)->exec_seen |= memory_is_gone(&(*at)->target);
}

/* False: its ring is full. The kernel's has room meanwhile. */
static bool take(struct tracing *tracing, const struct perf_seen *seen)
{
	struct sampling *sampling = sampling_of(tracing, seen->pid);
	if (seen->kind == PERF_LOST) {
		count_lost(tracing, seen);
	} else if (sampling && seen->kind == PERF_EXEC) {
		tracing_unlock(tracing);
		sampling->exec_seen = true;
		sampling_exec(sampling);
		tracing_lock(tracing);
	} else if (sampling && seen->kind == PERF_THROTTLED) {
		meter_add(&sampling->meter->event_throttled, 1);
	} else if (sampling) {
		if (!look_has_room(sampling))
			return false;
		hand_over(sampling, seen);
	}
	return true;
}

void perf_engine_take(struct tracing *tracing)
{
	if (!tracing->perf || tracing->perf->errnum)
		return;
	struct perf_rings *rings = &tracing->perf->rings;
	size_t taken = 0;
	perf_rings_look(rings);
	tracing_lock(tracing);
	count_batch(tracing);
	while (taken < rings->seen.len && take(tracing, &rings->seen.data[taken]))
		taken++;
	for (size_t i = taken; i < rings->seen.len; i++)
		forget_batch(tracing, &rings->seen.data[i]);
	tracing_unlock(tracing);
	perf_rings_done(rings, taken);
}
