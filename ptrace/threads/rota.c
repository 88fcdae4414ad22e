/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/rota.h"

#include "src/base/clock.h"

enum {
	AWAKE_SHARE = 1024, /* a thread that uses more than 1/1024 of a CPU is awake */
	TURNS = 16,
	TURN_LEAST = 8,
	TURN_MOST = 16,
	/* A look takes about a microsecond. Looking at all threads is worthwhile if
	   resting threads have used five times as much. */
	WORTH_NS_EACH = 5 * 1000,
	WORTH_NS_LEAST = 500 * 1000,
};

void rota_begin(struct rota *rota, uint64_t cpu_ns)
{
	rota->is_new = rota->clock_ns == 0 || cpu_ns == 0;
	if (!rota->is_new && cpu_ns > rota->clock_ns)
		rota->unexplained_ns += (int64_t)(cpu_ns - rota->clock_ns);
	rota->clock_ns = cpu_ns;
}

void rota_looked(struct rota *rota, struct threads *threads, struct thread *thread,
	uint64_t now_ns)
{
	/* It can be less than before: after an exec another thread has this number. */
	const struct task_account *account = &thread->seen.account;
	struct thread_rest *rest = &thread->rest;
	uint64_t used_ns = account->cpu_ns >= rest->cpu_ns
				   ? account->cpu_ns - rest->cpu_ns
				   : account->cpu_ns;
	uint64_t passed_ns = now_ns - rest->looked_ns;
	bool woke = rota->by_slices && account->slices != rest->slices;
	rota->unexplained_ns -= (int64_t)used_ns;
	rest->cpu_ns = account->cpu_ns;
	rest->slices = account->slices;
	rest->looked_ns = now_ns;
	if (thread->seen.state != 'R' && !woke && used_ns <= passed_ns / AWAKE_SHARE)
		return;
	rest->awake_until_ns = now_ns + AWAKE_MS * NS_PER_MS;
	threads_wake(threads, thread);
}

size_t rota_due(const struct rota *rota, const struct threads *threads)
{
	size_t resting = threads->len - threads->awake.len;
	uint64_t worth_ns = resting * WORTH_NS_EACH;
	if (worth_ns < WORTH_NS_LEAST)
		worth_ns = WORTH_NS_LEAST;
	if (rota->unexplained_ns > (int64_t)worth_ns)
		return resting;
	size_t turn = (resting + TURNS - 1) / TURNS;
	if (turn < TURN_LEAST)
		turn = TURN_LEAST;
	if (turn > TURN_MOST)
		turn = TURN_MOST;
	return turn < resting ? turn : resting;
}

struct thread *rota_next(
	struct rota *rota, const struct threads *threads, uint64_t now_ns)
{
	for (size_t left = threads->len; left > 0; left--) {
		if (rota->cursor >= threads->len)
			rota->cursor = 0;
		struct thread *thread = threads->data[rota->cursor++];
		if (!thread->rest.awake_place && thread->rest.looked_ns != now_ns)
			return thread;
	}
	return NULL;
}

void rota_complete(struct rota *rota)
{
	if (rota->unexplained_ns > 0)
		rota->unexplained_ns = 0;
}

void rota_end(struct rota *rota, struct threads *threads, uint64_t now_ns)
{
	if (rota->is_new)
		rota->unexplained_ns = 0;
	if (threads->len <= rota->few) {
		for (size_t i = 0; i < threads->len; i++)
			threads_wake(threads, threads->data[i]);
		return;
	}
	for (size_t i = threads->awake.len; i-- > 0;) {
		struct thread *thread = threads->awake.data[i];
		if (thread->rest.awake_until_ns < now_ns && !thread->sampled.is_claimed)
			threads_rest(threads, thread);
	}
}
