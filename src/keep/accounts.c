/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keep/accounts.h"

#include "src/base/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
	MAX_SLICES = 128 * 1024,     /* 5 MB: 200 busy threads for almost three minutes */
	RECORDED_SLICES = 16 * 1024, /* of a recording */
	/* Threads that end without CPU time have lives, but no slices. */
	LEAST_LIVES = 4 * 1024,
	MAX_LIVES = 64 * 1024, /* if no more are alive */
	/* forget so many at once, because the others have to be moved */
	MIN_OLD = 1024,
};

#define SPAN_MOST_NS (3600 * NS_PER_SEC)

void accounts_finish(struct accounts *accounts)
{
	vec_free(&accounts->slices);
	vec_free(&accounts->lives);
	idmap_finish(&accounts->places);
}

void accounts_begin(struct accounts *accounts, pid_t tid, uint64_t time_ns)
{
	struct account_life life = {.tid = tid, .from_ns = time_ns};
	uint32_t *place = idmap_get(&accounts->places, (uint64_t)tid, 0);
	if (!place) {
		idmap_put(&accounts->places, (uint64_t)tid, 0,
			(uint32_t)accounts->lives.len);
		vec_push(&accounts->lives, life);
	} else if (accounts->lives.data[*place].to_ns) {
		/* the kernel has used the number again */
		accounts->lives.data[*place] = life;
	}
}

void accounts_end(struct accounts *accounts, pid_t tid, uint64_t time_ns)
{
	uint32_t *place = idmap_get(&accounts->places, (uint64_t)tid, 0);
	if (!place)
		return;
	struct account_life *life = &accounts->lives.data[*place];
	life->to_ns = time_ns > life->from_ns ? time_ns : life->from_ns;
}

void accounts_add(struct accounts *accounts, const struct account_slice *slice)
{
	vec_push(&accounts->slices, *slice);
}

/* Those of one thread, as long as they are no more than SPAN_NS together. */
static void join_slices(struct accounts *accounts, uint64_t span_ns)
{
	struct idmap places = {0};
	size_t kept = 0;
	vec_each (&accounts->slices, slice) {
		uint32_t *place = idmap_get(&places, (uint64_t)slice->tid, 0);
		struct account_slice *joined =
			place ? &accounts->slices.data[*place] : NULL;
		if (!joined || slice->to_ns - joined->from_ns > span_ns) {
			idmap_put(&places, (uint64_t)slice->tid, 0, (uint32_t)kept);
			accounts->slices.data[kept++] = *slice;
			continue;
		}
		joined->to_ns = slice->to_ns;
		joined->cpu_ns += slice->cpu_ns;
		joined->runq_ns += slice->runq_ns;
	}
	accounts->slices.len = kept;
	idmap_finish(&places);
}

static void drop_slices(struct accounts *accounts, size_t count)
{
	accounts->slices.len -= count;
	memmove(accounts->slices.data, accounts->slices.data + count,
		accounts->slices.len * sizeof(*accounts->slices.data));
}

static void drop_lives(struct accounts *accounts, uint64_t oldest_ns)
{
	size_t kept = 0;
	idmap_clear(&accounts->places);
	vec_each (&accounts->lives, life) {
		if (life->to_ns && life->to_ns < oldest_ns)
			continue;
		idmap_put(&accounts->places, (uint64_t)life->tid, 0, (uint32_t)kept);
		accounts->lives.data[kept++] = *life;
	}
	accounts->lives.len = kept;
}

/* Done again when there are twice as many. */
static void trim_lives(struct accounts *accounts, uint64_t oldest_ns)
{
	size_t limit =
		accounts->lives_at > LEAST_LIVES ? accounts->lives_at : LEAST_LIVES;
	if (accounts->lives.len < limit)
		return;
	drop_lives(accounts, oldest_ns);
	size_t left = accounts->lives.len;
	if (left > MAX_LIVES / 2)
		drop_lives(accounts, accounts->lives.data[left / 2].from_ns);
	accounts->lives_at = accounts->lives.len * 2;
}

/* What is not known of a thread's life is shown as blocked: so rather where in a second than
   whether. Some of MOST are left free. */
static void join_many(struct accounts *accounts, size_t most)
{
	for (uint64_t span_ns = NS_PER_SEC;
		span_ns < SPAN_MOST_NS && accounts->slices.len > most / 4 * 3;
		span_ns *= 2)
		join_slices(accounts, span_ns);
}

void accounts_trim(struct accounts *accounts, uint64_t oldest_ns, bool keep)
{
	size_t count = accounts->slices.len, old = 0;
	if (keep) {
		if (count > RECORDED_SLICES && count > accounts->join_at) {
			join_many(accounts, RECORDED_SLICES);
			accounts->join_at = accounts->slices.len / 2 * 3;
		}
		return;
	}
	while (old < count && accounts->slices.data[old].to_ns < oldest_ns)
		old++;
	if (old >= MIN_OLD || count - old > MAX_SLICES) {
		drop_slices(accounts, old);
		drop_lives(accounts, oldest_ns);
	}
	trim_lives(accounts, oldest_ns);
	if (accounts->slices.len > MAX_SLICES)
		join_many(accounts, MAX_SLICES);
	if (accounts->slices.len > MAX_SLICES) /* there are as many threads */
		drop_slices(accounts, accounts->slices.len - MAX_SLICES / 2);
}

/* If the number belongs to a living thread again, its entry in lives is that thread's, so
   the slices stay. */
static bool is_over(const struct accounts *accounts, const struct idmap *kept, pid_t tid)
{
	const uint32_t *place = idmap_get(&accounts->places, (uint64_t)tid, 0);
	bool ended = !place || accounts->lives.data[*place].to_ns;
	return ended && !idmap_get(kept, (uint64_t)tid, 0);
}

static void list_lives(struct accounts *accounts)
{
	idmap_clear(&accounts->places);
	for (size_t i = 0; i < accounts->lives.len; i++)
		idmap_put(&accounts->places, (uint64_t)accounts->lives.data[i].tid, 0,
			(uint32_t)i);
}

/* Returns how long they were together. */
static uint64_t drop_over(struct accounts *accounts, const struct idmap *kept)
{
	uint64_t lived_ns = 0;
	size_t left = 0;
	for (size_t i = 0; i < accounts->lives.len; i++) {
		struct account_life life = accounts->lives.data[i];
		if (life.to_ns && !idmap_get(kept, (uint64_t)life.tid, 0))
			lived_ns += life.to_ns - life.from_ns;
		else
			accounts->lives.data[left++] = life;
	}
	accounts->lives.len = left;
	list_lives(accounts);
	return lived_ns;
}

void accounts_merge_ended(struct accounts *accounts, const struct idmap *kept)
{
	vec_each (&accounts->slices, slice)
		if (is_over(accounts, kept, slice->tid))
			slice->tid = 0;
	join_slices(accounts, UINT64_MAX);
	accounts->merged_ns += drop_over(accounts, kept);
}

void accounts_drop_ended(struct accounts *accounts, const struct idmap *kept)
{
	size_t left = 0;
	for (size_t i = 0; i < accounts->slices.len; i++)
		if (!is_over(accounts, kept, accounts->slices.data[i].tid))
			accounts->slices.data[left++] = accounts->slices.data[i];
	accounts->slices.len = left;
	drop_over(accounts, kept);
}

uint64_t accounts_share(uint64_t amount, uint64_t from_ns, uint64_t to_ns,
	uint64_t start_ns, uint64_t end_ns)
{
	uint64_t first = from_ns > start_ns ? from_ns : start_ns;
	uint64_t last = to_ns < end_ns ? to_ns : end_ns;
	if (last <= first)
		return 0;
	if (first == from_ns && last == to_ns)
		return amount;
	return (uint64_t)((double)amount * (double)(last - first) /
			  (double)(to_ns - from_ns));
}
