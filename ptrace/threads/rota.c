/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/rota.h"

#include "src/base/clock.h"

enum {
	AWAKE_SHARE = 1024, /* a thread that uses more than 1/1024 of a CPU is awake */
	WEIGHED_MS = 160,   /* sixteen rounds of 10 ms */
	LIGHT_AFTER_MS = 2000,
	PAUSE_MOST = 3,
	TURNS = 16,
	TURN_LEAST = 4,
	TURN_MOST = 16,
	MANY = 512,	    /* of more resting threads than this, a turn is the least */
	WATCHED_MOST = 256, /* threads awake; with more, those that sleep take turns */
	SEARCH_MOST = 256,  /* threads of the first search in one round: some 2 ms */
	SEARCH_LATER = 64,  /* later, of many: samplers search, too */
	/* The first search ends when it has explained all but 1/6 of so much CPU time. */
	BEGIN_PART = 6,
	BEGIN_LEAST_MS = 10,
	/* A look takes about a microsecond. Looking at all threads is worthwhile if
	   resting threads have used five times as much. */
	WORTH_NS_EACH = 5 * 1000,
	WORTH_NS_LEAST = 500 * 1000,
};

void rota_begin(struct rota *rota, uint64_t cpu_ns)
{
	rota->is_new = rota->clock_ns == 0 || cpu_ns == 0;
	rota->was_read = !rota->is_new;
	uint64_t passed_ns =
		!rota->is_new && cpu_ns > rota->clock_ns ? cpu_ns - rota->clock_ns : 0;
	rota->passed_ns += passed_ns;
	rota->unexplained_ns += (int64_t)passed_ns;
	rota->clock_ns = cpu_ns;
}

/* A thread that works now and then, for a moment only, is sampled from its first moment on: it
   is light once it has hardly used its CPU for LIGHT_AFTER_MS. */
static void weigh(const struct rota *rota, const struct threads *threads,
	struct thread *thread, uint64_t now_ns)
{
	struct thread_rest *rest = &thread->rest;
	uint64_t cpu_ns = thread->seen.account.cpu_ns;
	bool is_heavy =
		thread->seen.state == 'R' || rest->weighed_ns == 0 ||
		cpu_ns < rest->weighed_cpu_ns ||
		cpu_ns - rest->weighed_cpu_ns > WEIGHED_MS * NS_PER_MS / AWAKE_SHARE;
	if (is_heavy)
		rest->heavy_ns = now_ns;
	rest->is_light = rota->by_slices && threads->len > rota->few &&
			 now_ns - rest->heavy_ns > LIGHT_AFTER_MS * NS_PER_MS;
	if (!is_heavy && now_ns - rest->weighed_ns < WEIGHED_MS * NS_PER_MS)
		return;
	rest->weighed_ns = now_ns;
	rest->weighed_cpu_ns = cpu_ns;
}

static void choose_pause(struct thread *thread, bool woke)
{
	struct thread_rest *rest = &thread->rest;
	bool sleeps = thread->seen.state == 'S' || thread->seen.state == 'D';
	rest->pause = !rest->is_light || !sleeps || woke ? 0
		      : rest->pause < PAUSE_MOST	 ? 2 * rest->pause + 1
							 : PAUSE_MOST;
	rest->pause_left = rest->pause;
}

bool rota_is_due(struct thread *thread)
{
	if (thread->rest.pause_left == 0)
		return true;
	thread->rest.pause_left--;
	return false;
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
	weigh(rota, threads, thread, now_ns);
	choose_pause(thread, woke);
	rest->cpu_ns = account->cpu_ns;
	rest->slices = account->slices;
	rest->looked_ns = now_ns;
	if (thread->seen.state != 'R' && !woke && used_ns <= passed_ns / AWAKE_SHARE)
		return;
	rest->awake_until_ns = now_ns + AWAKE_MS * NS_PER_MS;
	threads_wake(threads, thread);
}

void rota_watch(struct threads *threads, struct thread *thread, uint64_t now_ns)
{
	thread->rest.pause_left = 0;
	if (thread->rest.awake_place == 0 && threads->awake.len >= WATCHED_MOST)
		return;
	thread->rest.awake_until_ns = now_ns + AWAKE_MS * NS_PER_MS;
	threads_wake(threads, thread);
}

void rota_search_unmet(struct rota *rota, const struct threads *threads)
{
	rota->search = threads->unmet;
	rota->is_beginning = rota->search > 0;
}

static size_t resting(const struct threads *threads)
{
	return threads->len - threads->awake.len;
}

bool rota_is_explained(const struct rota *rota, const struct threads *threads)
{
	uint64_t worth_ns = resting(threads) * WORTH_NS_EACH;
	if (worth_ns < WORTH_NS_LEAST)
		worth_ns = WORTH_NS_LEAST;
	return rota->unexplained_ns <= (int64_t)worth_ns;
}

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t rota_due(struct rota *rota, const struct threads *threads)
{
	size_t rest = resting(threads);
	size_t due = rest > MANY && !rota->by_slices ? 0 : (rest + TURNS - 1) / TURNS;
	if (due < TURN_LEAST)
		due = TURN_LEAST;
	if (due > TURN_MOST)
		due = TURN_MOST;
	if (rota->search == 0 && !rota_is_explained(rota, threads))
		rota->search = rest;
	if (rota->search > 0) {
		bool is_slow = rest > MANY && !rota->is_beginning && !rota->by_slices;
		size_t part = smaller(rota->search, is_slow ? SEARCH_LATER : SEARCH_MOST);
		rota->search -= part;
		rota->search_ends = rota->search == 0;
		due = due > part && !rota->is_beginning ? due : part;
	}
	return smaller(due, rest);
}

static size_t common_divisor(size_t a, size_t b)
{
	return b == 0 ? a : common_divisor(b, a % b);
}

/* The first search does not go by number: threads that were created together often run
   together, and would be found late if they were the last. With steps of the golden ratio
   neighbours are met far apart; one that has no divisor in common with LEN meets all. */
static size_t search_step(size_t len)
{
	size_t step = (size_t)((double)len * 0.6180339887);
	while (step > 1 && common_divisor(len, step) > 1)
		step--;
	return step > 0 ? step : 1;
}

struct thread *rota_next(
	struct rota *rota, const struct threads *threads, uint64_t now_ns)
{
	size_t step = rota->is_beginning ? search_step(threads->len) : 1;
	for (size_t left = threads->len; left > 0; left--) {
		rota->cursor = (rota->cursor + step) % threads->len;
		struct thread *thread = threads->data[rota->cursor];
		if (rota->is_beginning && thread->is_met)
			continue;
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

/* If the threads that were found explain what the process has used lately, there is
   nothing more to search for. For the wall clock, all are met. */
static void judge_beginning(struct rota *rota)
{
	bool is_explained =
		rota->unexplained_ns <= (int64_t)(rota->passed_ns / BEGIN_PART);
	if (rota->passed_ns < BEGIN_LEAST_MS * NS_PER_MS)
		return;
	if (is_explained && !rota->by_slices)
		rota->search = 0;
	rota->passed_ns = 0;
	rota->unexplained_ns = 0;
}

void rota_end(struct rota *rota, struct threads *threads, uint64_t now_ns)
{
	if (rota->is_beginning && rota->was_read)
		judge_beginning(rota);
	rota->is_beginning &= rota->search > 0;
	if (rota->search_ends)
		rota_complete(rota);
	rota->search_ends = rota->was_read = false;
	if (rota->is_new)
		rota->unexplained_ns = 0;
	rota->is_new = false;
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
