/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/successor.h"

#include "src/base/clock.h"

enum {
	/* An account that is read while its thread runs is as old as the scheduler's last tick,
	   10 ms at 100 Hz. */
	STALE_MS = 20,
};

bool successor_fits(
	const struct thread *thread, const struct task_account *account, uint64_t now_ns)
{
	const struct thread_seen *seen = &thread->seen;
	uint64_t passed_ns = now_ns > seen->time_ns ? now_ns - seen->time_ns : 0;
	return account->cpu_ns >= seen->account.cpu_ns &&
	       account->delay_ns >= seen->account.delay_ns &&
	       account->slices >= seen->account.slices &&
	       account->cpu_ns - seen->account.cpu_ns <= passed_ns + STALE_MS * NS_PER_MS;
}

struct thread *successor_find(const struct threads *threads, const struct thread *first,
	const struct task_account *account, uint64_t now_ns)
{
	struct thread *best = NULL;
	for (size_t i = 0; i < threads->len; i++) {
		struct thread *thread = threads->data[i];
		if (thread == first || thread->is_unread || !thread->is_met ||
			!successor_fits(thread, account, now_ns))
			continue;
		if (!best || thread->seen.account.cpu_ns > best->seen.account.cpu_ns)
			best = thread;
	}
	return best;
}

#define EXCHANGE(type, one, other)    \
	do {                          \
		type of_one_ = (one); \
		(one) = (other);      \
		(other) = of_one_;    \
	} while (0)

void successor_exchange(struct thread *first, struct thread *other)
{
	EXCHANGE(struct thread_seen, first->seen, other->seen);
	EXCHANGE(struct thread_told, first->told, other->told);
	EXCHANGE(struct thread_told, first->wait.told, other->wait.told);
	EXCHANGE(uint64_t, first->sampled.cpu_ns, other->sampled.cpu_ns);
	EXCHANGE(struct task_account, first->sampled.looked, other->sampled.looked);
	EXCHANGE(struct task_account, first->sampled.claimed, other->sampled.claimed);
	EXCHANGE(struct task_account, first->sampled.stopped, other->sampled.stopped);
	EXCHANGE(uint64_t, first->sampled.stopped_ns, other->sampled.stopped_ns);
	EXCHANGE(uint64_t, first->rest.cpu_ns, other->rest.cpu_ns);
	EXCHANGE(uint64_t, first->rest.slices, other->rest.slices);
	EXCHANGE(uint64_t, first->rest.weighed_cpu_ns, other->rest.weighed_cpu_ns);
	/* Where it slept was in memory that is gone. */
	first->wait.is_placed = false;
}

/* FIRST, the first thread of the process, has ACCOUNT now. After an exec there is no other one any
   more, at first. */
static void follow_exec(struct threads *threads, struct thread *first,
	const struct target *target, const struct task_account *account)
{
	const struct task_account *before = &first->seen.account;
	if (threads->len == 1 || first->is_unread || !first->is_met ||
		before->slices == 0 || before->slices == account->slices)
		return;
	uint64_t now_ns = clock_monotonic_ns();
	bool fits = successor_fits(first, account, now_ns);
	if (fits && task_count(target->task_dir_fd) > 1)
		return;
	struct thread *other = successor_find(threads, first, account, now_ns);
	if (other && !(fits && other->seen.account.cpu_ns <= before->cpu_ns) &&
		thread_has_ended(other, target))
		successor_exchange(first, other);
}

bool successor_read_account(struct threads *threads, struct thread *thread,
	const struct target *target, struct task_account *account)
{
	bool read = thread_read_account(threads, thread, target, account);
	if (read && thread->tid == target->pid)
		follow_exec(threads, thread, target, account);
	return read;
}
