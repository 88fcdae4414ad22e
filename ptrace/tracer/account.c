#include "ptrace/tracer/account.h"

#include "src/base/clock.h"

enum {
	/* Two ticks at 250 Hz, the usual CONFIG_HZ; at 100 Hz nearly one. */
	STALE_MS = 8,
};

static uint64_t above(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0;
}

static bool waits_for_cpu(const struct thread *thread, uint64_t now_ns)
{
	return thread->seen.state == 'R' &&
	       above(now_ns, thread->seen.changed_ns) > STALE_MS * NS_PER_MS;
}

struct account_share account_settle(
	struct thread_told *told, const struct thread *thread, uint64_t now_ns)
{
	const struct task_account *account = &thread->seen.account;
	struct account_share share = {
		.passed_ns = above(now_ns, told->time_ns),
		/* Less than before: another thread goes by this number, after exec. */
		.cpu_ns = above(account->cpu_ns, told->cpu_ns),
		.runq_ns = above(account->delay_ns, told->delay_ns),
	};
	if (account->delay_ns > told->delay_ns || account->cpu_ns < told->cpu_ns)
		told->delay_ns = account->delay_ns;
	int64_t rest_ns = (int64_t)share.passed_ns -
			  (int64_t)(share.cpu_ns + share.runq_ns) + told->blocked_ns;
	if (waits_for_cpu(thread, now_ns) && rest_ns > 0) {
		share.runq_ns += (uint64_t)rest_ns;
		told->delay_ns += (uint64_t)rest_ns;
		rest_ns = 0;
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

void account_rebase(
	struct thread_told *told, const struct thread *thread, uint64_t now_ns)
{
	*told = (struct thread_told){
		.time_ns = now_ns,
		.cpu_ns = thread->seen.account.cpu_ns,
		.delay_ns = thread->seen.account.delay_ns,
	};
}
