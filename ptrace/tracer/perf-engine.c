/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/perf-engine.h"

#include "ptrace/threads/successor.h"
#include "ptrace/tracer/look.h"
#include "src/base/clock.h"
#include "src/base/mem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

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
	if (!perf_rings_open(&engine->rings, NULL))
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

static struct perf_wish wish_of(const struct sampling *sampling)
{
	struct perf_wish wish = {
		.stack_bytes = PERF_STACK_FIRST_BYTES,
		.with_kernel = sampling->tracing->options->with_kernel,
	};
	double rate_hz = sampling->budget.rate_hz;
	if (rate_hz == 0) /* there is no budget yet */
		rate_hz = sampling->hz;
	if (sampling_is_on(sampling) && rate_hz > 0)
		wish.period_ns = (uint64_t)((double)NS_PER_SEC / rate_hz);
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

static bool open_events(struct sampling *sampling, const struct perf_wish *wish)
{
	perf_events_close(&sampling->events);
	sampling->events.random = clock_monotonic_ns();
	sampling->wish = *wish;
	return wish->period_ns == 0 ||
	       perf_events_open(&sampling->events, &sampling->tracing->perf->rings,
		       sampling->target.task_dir_fd, wish);
}

bool perf_engine_add(struct sampling *sampling)
{
	const struct perf_engine *engine = sampling->tracing->perf;
	if (!engine)
		return true;
	errno = engine->errnum;
	struct perf_wish wish = wish_of(sampling);
	return !engine->errnum && open_events(sampling, &wish);
}

void perf_engine_follow(struct sampling *sampling)
{
	struct tracing *tracing = sampling->tracing;
	if (!tracing->perf)
		return;
	struct perf_wish wish = wish_of(sampling), *is = &sampling->wish;
	if (wish.stack_bytes == is->stack_bytes && !wish.period_ns == !is->period_ns &&
		is_near(wish.period_ns, is->period_ns))
		return;
	uint64_t now_ns = clock_monotonic_ns();
	if (now_ns < sampling->retry_ns)
		return;
	perf_engine_take(tracing);
	if (open_events(sampling, &wish))
		return;
	/* It has ended, or has too many threads now. */
	sampling->wish.period_ns = 0;
	sampling->retry_ns = now_ns + NS_PER_SEC;
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
	if (!sampling->wish.with_kernel && part_ns > period_ns)
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
	share_account(sampling, thread);
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
	perf_events_vary(&sampling->events, &tracing->perf->rings, &sampling->wish,
		seen->tid, seen->ring);
	sampling->instant_ns = 0;
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
static void count_lost(struct tracing *tracing, uint64_t lost)
{
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
		count_lost(tracing, seen->lost);
	} else if (sampling && seen->kind == PERF_EXEC) {
		tracing_unlock(tracing);
		sampling->exec_seen = true;
		sampling_exec(sampling);
		tracing_lock(tracing);
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
