/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/account.h"

#include "src/base/clock.h"

enum {
	/* Two ticks at 250 Hz, the usual CONFIG_HZ; at 100 Hz nearly one. */
	STALE_MS = 8,
};

static uint64_t above(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

/* How long THREAD has certainly been waiting for a CPU. */
static uint64_t waits_ns(const struct thread *thread, uint64_t now_ns)
{
	const struct thread_seen *seen = &thread->seen;
	uint64_t since_ns = seen->changed_ns > seen->runnable_ns ? seen->changed_ns
								 : seen->runnable_ns;
	uint64_t stood_ns = seen->state == 'R' ? above(now_ns, since_ns) : 0;
	return stood_ns > STALE_MS * NS_PER_MS ? stood_ns : 0;
}

struct account_share account_settle(
	struct thread_told *told, const struct thread *thread, uint64_t now_ns)
{
	const struct task_account *account = &thread->seen.account;
	struct account_share share = {
		.passed_ns = above(now_ns, told->time_ns),
		/* It can be less than before: after an exec another thread has this
		   number. */
		.cpu_ns = above(account->cpu_ns, told->cpu_ns),
		.runq_ns = above(account->delay_ns, told->delay_ns),
	};
	if (account->delay_ns > told->delay_ns || account->cpu_ns < told->cpu_ns)
		told->delay_ns = account->delay_ns;
	int64_t rest_ns = (int64_t)share.passed_ns -
			  (int64_t)(share.cpu_ns + share.runq_ns) + told->blocked_ns;
	/* A wait for a CPU may have begun before what is told. */
	if (rest_ns < 0 && share.runq_ns > 0) {
		uint64_t early_ns = (uint64_t)-rest_ns < share.runq_ns
					    ? (uint64_t)-rest_ns
					    : share.runq_ns;
		share.runq_ns -= early_ns;
		rest_ns += (int64_t)early_ns;
	}
	int64_t waited_ns = (int64_t)waits_ns(thread, now_ns);
	if (waited_ns > rest_ns)
		waited_ns = rest_ns;
	if (waited_ns > 0) {
		share.runq_ns += (uint64_t)waited_ns;
		told->delay_ns += (uint64_t)waited_ns;
		rest_ns -= waited_ns;
	}
	if (thread->seen.state != 'R' && rest_ns > 0) {
		share.blocked_ns = (uint64_t)rest_ns;
		rest_ns = 0;
	}
	told->blocked_ns = rest_ns;
	told->cpu_ns = account->cpu_ns;
	if (now_ns > told->time_ns)
		told->time_ns = now_ns;
	return share;
}

struct account_share account_settle_last(
	struct thread_told *told, const struct thread *thread, uint64_t now_ns)
{
	struct account_share share = account_settle(told, thread, now_ns);
	uint64_t rest_ns = told->blocked_ns > 0 ? (uint64_t)told->blocked_ns : 0;
	uint64_t waited_ns = above(now_ns, thread->seen.runnable_ns);
	if (waited_ns > rest_ns)
		waited_ns = rest_ns;
	share.runq_ns += waited_ns;
	share.blocked_ns += rest_ns - waited_ns;
	told->delay_ns += waited_ns;
	told->blocked_ns -= (int64_t)rest_ns;
	return share;
}

uint64_t account_settle_slept(struct thread_told *told, uint64_t until_ns)
{
	int64_t rest_ns = (int64_t)above(until_ns, told->time_ns) + told->blocked_ns;
	told->blocked_ns = rest_ns < 0 ? rest_ns : 0;
	if (until_ns > told->time_ns)
		told->time_ns = until_ns;
	return rest_ns > 0 ? (uint64_t)rest_ns : 0;
}

void account_rebase(
	struct thread_told *told, const struct thread *thread, uint64_t now_ns)
{
	*told = (struct thread_told){
		.time_ns = now_ns,
		.cpu_ns = thread->seen.account.cpu_ns,
		.delay_ns = thread->seen.account.delay_ns,
	};
}
