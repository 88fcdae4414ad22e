/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Wall clock: threads that do not run. None of them is stopped by us. When a thread has
   fallen asleep its stack is copied once (ptrace/asleep.h). As long as its count of time
   slices does not change it is still there, which the usual looks show; its account says
   for how long. If it waits for a lock, each look reads that again, because it may pass
   from one thread to another while this one sleeps on. A thread that a signal has stopped (state T) is attached to, which shows
   its registers without running it. */

#include "ptrace/asleep.h"
#include "ptrace/glance.h"
#include "ptrace/second-stack.h"
#include "ptrace/threads/account.h"
#include "ptrace/threads/rota.h"
#include "ptrace/tracer/copier.h"
#include "ptrace/tracer/tracing.h"
#include "src/base/clock.h"

#include <string.h>
#include <unistd.h>

enum {
	TELL_EVERY_MS = 200,
	TELL_SOON_MS = 100,
	STOPPED_US = 200,
};

static void charge(struct thread_wait *wait, struct snapshot *record,
	const struct account_share *share, uint64_t now_ns)
{
	record->runq_ns = share->runq_ns;
	record->blocked_ns = share->blocked_ns;
	record->looks = wait->looks;
	wait->looks = 0;
	wait->told_ns = now_ns;
}

void sampling_wait_charge(struct sampling *sampling, struct thread *thread,
	struct snapshot *record, uint64_t now_ns)
{
	struct thread_wait *wait = &thread->wait;
	record->is_wall = sampling->is_wall;
	record->blocked_ns = record->runq_ns = record->looks = 0;
	if (!sampling->is_wall)
		return;
	struct account_share share = account_settle(&wait->told, thread, now_ns);
	charge(wait, record, &share, now_ns);
	/* A sample of a running thread cannot carry blocked time: the next other record
	   does. */
	if (record->kind == SNAPSHOT_SAMPLE && record->state == THREAD_RUNNING) {
		wait->told.blocked_ns += (int64_t)share.blocked_ns;
		wait->looks = record->looks;
		record->blocked_ns = record->looks = 0;
	}
}

static bool put(struct sampling *sampling, struct thread *thread, struct snapshot *record,
	uint64_t now_ns)
{
	struct thread_wait before = thread->wait;
	record->tid = thread->tid;
	sampling_wait_charge(sampling, thread, record, now_ns);
	if (sampling_put(sampling, record))
		return true;
	thread->wait = before; /* the next record has this time, too */
	return false;
}

/* Put a record without a stack. CALL, if not NULL, has a lock in other hands. */
static bool tell_wait(struct sampling *sampling, struct thread *thread,
	const struct snapshot_call *call, uint64_t now_ns)
{
	struct snapshot record = {
		.kind = SNAPSHOT_WAIT,
		.state = thread->seen.state == 'R' ? THREAD_RUNNABLE : THREAD_BLOCKED,
	};
	if (call) {
		record.call = *call;
		record.from_ns = thread->wait.looked_ns;
	}
	return put(sampling, thread, &record, now_ns);
}

/* Has THREAD slept without a break since it was looked at last? A thread that was woken may
   hold the very lock that was read, so what is said of locks depends on it. */
static bool has_slept_on(struct sampling *sampling, struct thread *thread)
{
	struct task_account account;
	return thread_read_account(
		       &sampling->threads, thread, &sampling->target, &account) &&
	       account.slices == thread->seen.account.slices;
}

/* Copy the stack of a thread that sleeps or is stopped into SLOT. The mutex is released
   meanwhile. */
static bool copy(struct sampling *sampling, struct thread *thread, struct snapshot *slot)
{
	struct tracing *tracing = sampling->tracing;
	const struct target *target = &sampling->target;
	copier_prepare(tracing->copier);
	if (!copier_is_ready(tracing->copier))
		return false; /* try in the next round */
	size_t stack_bytes = ring_stack_bytes(sampling->ring);
	bool close_it;
	char state = thread->seen.state;
	int fd = thread_open_syscall(&sampling->threads, thread, target, &close_it);
	thread_claim(thread);
	watched_locks_list(&sampling->watched, sampling_now_ns(sampling), slot);
	struct stack_link link = sampling->link;
	sampling_copy_recipe(sampling, tracing->recipe, &tracing->recipe_number);
	struct capture_memory memory =
		copier_memory(tracing->copier, target, &thread->sampled, &link);
	tracing_unlock(tracing);
	enum asleep_result result = ASLEEP_AWAKE;
	if (state == 'T')
		result = glance_in_group_stop(&memory, thread->tid, stack_bytes, slot)
				 ? ASLEEP_COPIED
				 : ASLEEP_AWAKE;
	else if (fd >= 0)
		result = asleep_copy(target, &memory, thread->tid, fd, state, stack_bytes,
			&thread->sampled.habit, slot);
	if (result == ASLEEP_COPIED)
		watched_locks_read(&memory, slot);
	if (result == ASLEEP_COPIED && state != 'T' && tracing->options->kernel_stacks)
		asleep_read_kernel(target, thread->tid, stack_bytes, slot);
	if (result == ASLEEP_COPIED && tracing->recipe_number != 0)
		second_stack_copy(tracing->recipe, memory.memory, target->maps_fd,
			asleep_thread_pointer(&memory, thread->tid), stack_bytes, slot);
	if (fd >= 0 && close_it)
		close(fd);
	tracing_lock(tracing);
	thread->sampled.is_claimed = false;
	sampling->exec_seen |= result == ASLEEP_NO_MEMORY;
	return result == ASLEEP_COPIED;
}

static void tell_asleep(struct sampling *sampling, struct thread *thread,
	struct snapshot *slot, uint64_t now_ns)
{
	uint64_t slices = thread->seen.account.slices;
	uint64_t cpu_ns = thread->seen.account.cpu_ns;
	char state = thread->seen.state;
	if (!copy(sampling, thread, slot))
		return;
	bool is_checked = slot->call.lock_length > 0 || slot->kernel_length > 0 ||
			  slot->n_watched > 0 || slot->second_blocks > 0;
	if (is_checked && !has_slept_on(sampling, thread)) {
		slot->call.lock_length = slot->kernel_length = slot->n_watched =
			slot->second_blocks = 0;
		if (slot->second_result != RECIPE_NONE)
			slot->second_result = RECIPE_UNREADABLE;
	}
	if (slot->call.lock_length > 0)
		watched_locks_add(&sampling->watched, slot->call.args[0], now_ns);
	slot->kind = SNAPSHOT_SAMPLE;
	slot->state = THREAD_BLOCKED;
	slot->cpu_ns = slot->ran_ns = slot->stop_ns = 0;
	slot->is_pooled = slot->is_event = false;
	slot->odds = 1;
	memcpy(slot->name, thread->name, sizeof(slot->name));
	thread->wait.looks++;
	if (!put(sampling, thread, slot, now_ns))
		return;
	thread->wait.is_placed = true;
	thread->wait.state = state;
	thread->wait.slices = slices;
	thread->wait.cpu_ns = cpu_ns;
	thread->wait.call = slot->call;
	thread->wait.looked_ns = now_ns;
	meter_add(&sampling->meter->samples, 1);
	meter_add(&sampling->meter->asleep_copied, 1);
}

/* Is THREAD still where its stack was copied? A thread in state T runs for a moment
   because of our own copy, from its stop and back into it. */
static bool is_where_it_was(const struct thread *thread)
{
	const struct thread_wait *wait = &thread->wait;
	const struct task_account *now = &thread->seen.account;
	if (!wait->is_placed || wait->state != thread->seen.state)
		return false;
	return wait->slices == now->slices ||
	       (wait->state == 'T' &&
		       now->cpu_ns - wait->cpu_ns < STOPPED_US * NS_PER_US);
}

/* Who holds a lock is told by the first word and some of the third to fifth, in all that
   locks are made of (src/process/mutex.h). */
static bool is_in_same_hands(const struct snapshot_call *a, const struct snapshot_call *b)
{
	return a->lock_length == b->lock_length && memcmp(a->lock, b->lock, 4) == 0 &&
	       memcmp(a->lock + 8, b->lock + 8, 12) == 0;
}

/* Read the lock again that THREAD waits for. True if it has changed hands, and THREAD has
   slept on. The mutex is released meanwhile. */
static bool look_at_lock(
	struct sampling *sampling, struct thread *thread, struct snapshot_call *now)
{
	struct tracing *tracing = sampling->tracing;
	*now = thread->wait.call;
	if (now->lock_length == 0 || thread->sampled.is_claimed)
		return false;
	copier_prepare(tracing->copier);
	if (!copier_is_ready(tracing->copier))
		return false;
	thread_claim(thread);
	struct stack_link link = sampling->link;
	struct capture_memory memory = copier_memory(
		tracing->copier, &sampling->target, &thread->sampled, &link);
	tracing_unlock(tracing);
	asleep_read_lock(&memory, now);
	tracing_lock(tracing);
	thread->sampled.is_claimed = false;
	return now->lock_length > 0 && !is_in_same_hands(&thread->wait.call, now) &&
	       has_slept_on(sampling, thread);
}

/* THREAD has left the place where it slept: what passed until the last look that found it there is
   of that place, and not of the next one. False: the ring is full. */
static bool tell_left(struct sampling *sampling, struct thread *thread)
{
	struct thread_wait *wait = &thread->wait, before = *wait;
	bool has_rest = wait->is_placed &&
			(wait->looked_ns > wait->told_ns || wait->told.blocked_ns > 0);
	if (!has_rest)
		return true;
	struct snapshot record = {
		.kind = SNAPSHOT_WAIT,
		.state = THREAD_BLOCKED,
		.tid = thread->tid,
		.is_wall = sampling->is_wall,
		.from_ns = wait->looked_ns,
		.blocked_ns = account_settle_slept(&wait->told, wait->looked_ns),
		.looks = wait->looks,
	};
	wait->looks = 0;
	wait->told_ns = wait->looked_ns;
	if (sampling_put(sampling, &record))
		return true;
	*wait = before;
	return false;
}

void sampling_wait_look(struct sampling *sampling, struct thread *thread,
	struct snapshot *slot, uint64_t now_ns)
{
	struct thread_wait *wait = &thread->wait;
	bool is_blocked = thread->seen.state != 'R';
	bool is_steady = is_blocked && is_where_it_was(thread);
	if (is_blocked && !is_steady && !thread->sampled.is_claimed &&
		sampling->wait_copies > 0) {
		sampling->wait_copies--;
		if (tell_left(sampling, thread))
			tell_asleep(sampling, thread, slot, now_ns);
		return;
	}
	wait->looks += is_steady;
	unsigned often_ms =
		sampling->tracing->options->accounts_soon ? TELL_SOON_MS : TELL_EVERY_MS;
	struct snapshot_call call;
	bool has_changed = is_steady && look_at_lock(sampling, thread, &call);
	if (is_steady && wait->call.lock_length > 0) {
		rota_watch(&sampling->threads, thread, now_ns);
		watched_locks_add(&sampling->watched, wait->call.args[0], now_ns);
	}
	if (has_changed) {
		if (tell_wait(sampling, thread, &call, now_ns))
			wait->call = call;
	} else if (now_ns - wait->told_ns >= often_ms * NS_PER_MS &&
		   (is_steady || !is_blocked)) {
		tell_wait(sampling, thread, NULL, now_ns);
	}
	if (is_steady)
		wait->looked_ns = now_ns;
}

void sampling_wait_rebase(struct sampling *sampling, uint64_t now_ns)
{
	for (size_t i = 0; i < sampling->threads.len; i++) {
		struct thread *thread = sampling->threads.data[i];
		thread->wait = (struct thread_wait){.told_ns = now_ns};
		account_rebase(&thread->wait.told, thread, now_ns);
	}
}

/* The rest of what THREAD used belongs to where it was last seen running: no sample will weigh it. */
static bool tell_last(struct sampling *sampling, struct thread *thread, uint64_t now_ns)
{
	struct thread_wait *wait = &thread->wait, before = *wait;
	struct snapshot record = {
		.kind = SNAPSHOT_WAIT,
		.state = thread->seen.state == 'R' ? THREAD_RUNNABLE : THREAD_BLOCKED,
		.tid = thread->tid,
		.is_wall = true,
		.cpu_ns = thread_unsampled_ns(thread, &thread->seen.account),
	};
	struct account_share share = account_settle_last(&wait->told, thread, now_ns);
	charge(wait, &record, &share, now_ns);
	if (sampling_put(sampling, &record))
		return true;
	*wait = before;
	return false;
}

bool sampling_wait_flush(struct sampling *sampling, uint64_t now_ns)
{
	for (size_t i = 0; sampling->is_wall && i < sampling->threads.len; i++) {
		struct thread *thread = sampling->threads.data[i];
		if (thread->wait.told.time_ns < now_ns &&
			!tell_last(sampling, thread, now_ns))
			return false;
	}
	return true;
}
