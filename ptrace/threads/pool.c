/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/pool.h"

#include "src/base/clock.h"

enum {
	SHARE = 100,
	TURN_MS = 2000,
	TAKE_PERIODS = 4,
	TURN_PERIODS = 16, /* if that is longer */
};

bool pool_is_due(const struct pool *pool, uint64_t now_ns)
{
	return now_ns >= pool->due_ns;
}

static void turn(
	struct pool *pool, uint64_t now_ns, uint64_t charged_ns, uint64_t period_ns)
{
	uint64_t turn_ns = TURN_MS * NS_PER_MS;
	unsigned odds = pool->looks > pool->odds ? pool->looks : pool->odds;
	uint64_t periods = TURN_PERIODS * (uint64_t)(odds > 0 ? odds : 1);
	if (turn_ns < periods * period_ns)
		turn_ns = periods * period_ns;
	if (now_ns - pool->turned_ns < turn_ns)
		return;
	bool is_first = pool->turned_ns == 0;
	pool->older_ns = is_first ? 0 : pool->recent_ns;
	pool->recent_ns = is_first ? 0 : charged_ns;
	pool->turned_ns = now_ns;
}

uint64_t pool_fill(struct pool *pool, uint64_t began_ns, uint64_t now_ns,
	uint64_t charged_ns, uint64_t known_ns, uint64_t period_ns)
{
	turn(pool, now_ns, charged_ns, period_ns);
	uint64_t lately_ns =
		charged_ns > pool->older_ns ? charged_ns - pool->older_ns : 0;
	uint64_t left_ns = charged_ns > known_ns ? charged_ns - known_ns : 0;
	pool->left_ns = left_ns < lately_ns ? left_ns : lately_ns;
	pool->due_ns = now_ns + SHARE * (now_ns - began_ns);
	return left_ns - pool->left_ns;
}

void pool_searched(struct pool *pool, unsigned odds)
{
	if (odds > pool->looks)
		pool->looks = odds;
}

uint64_t pool_take(struct pool *pool, unsigned odds, uint64_t period_ns)
{
	uint64_t most_ns = TAKE_PERIODS * odds * period_ns;
	/* Up at once, down slowly. */
	pool->odds = odds > pool->odds ? odds : (pool->odds * 15 + odds) / 16;
	uint64_t taken_ns = pool->left_ns < most_ns ? pool->left_ns : most_ns;
	pool->left_ns -= taken_ns;
	pool->looks = odds;
	return taken_ns;
}

unsigned pool_count(
	struct pool *pool, unsigned odds, uint64_t taken_ns, uint64_t period_ns)
{
	enum {
		SLOWLY = 4, /* so that one sample stands for about as many as the next */
		MOST = 255
	};
	if (odds <= 1) {
		pool->uncounted = 0;
		return 1;
	}
	pool->uncounted += (double)taken_ns / (double)period_ns;
	double count = odds + (pool->uncounted - odds) / SLOWLY;
	unsigned whole = count < 1 ? 1 : count < MOST ? (unsigned)(count + 0.5) : MOST;
	pool->uncounted -= whole;
	return whole;
}
