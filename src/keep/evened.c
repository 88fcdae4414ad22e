/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keep/evened.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"

#include <stdlib.h>

/* Samples of one thread, or pool, that share their time. */
struct group {
	uint64_t sum_ns, given_ns;
	uint32_t n;
	uint32_t odds, odds_given; /* of all of them, and of those that have their part */
	uint32_t previous;	   /* of the same thread or pool; or NONE */
};

enum {
	NONE = UINT32_MAX
};

struct groups {
	VEC(struct group) all;
	struct idmap newest; /* by thread, or by pool */
	uint32_t *of;	     /* each sample's; or NONE */
};

static uint32_t odds_of(const struct sample *sample)
{
	return sample->pool && sample->odds ? sample->odds : 1;
}

static uint32_t begin_group(
	struct groups *groups, const struct sample *sample, uint32_t previous)
{
	uint32_t group = (uint32_t)groups->all.len;
	vec_push(&groups->all, (struct group){.previous = previous});
	idmap_put(
		&groups->newest, sample->pool ? 0 : sample->thread, sample->pool, group);
	return group;
}

static uint32_t group_of(struct groups *groups, const struct sample *sample)
{
	if (sample->count != 1 || (sample->cpu_ns == 0 && !sample->pool))
		return NONE;
	uint32_t *newest = idmap_get(
		&groups->newest, sample->pool ? 0 : sample->thread, sample->pool);
	uint32_t group = newest ? *newest : begin_group(groups, sample, NONE);
	if (groups->all.data[group].n == EVENED_SAMPLES)
		group = begin_group(groups, sample, group);
	groups->all.data[group].n++;
	groups->all.data[group].odds += odds_of(sample);
	groups->all.data[group].sum_ns += sample->cpu_ns;
	return group;
}

/* Add the last group of a thread to the one before if it has few samples. */
static void join_last(struct groups *groups)
{
	for (size_t i = 0; i < groups->newest.cap; i++) {
		const struct idmap_entry *entry = &groups->newest.entries[i];
		if (!entry->used)
			continue;
		struct group *last = &groups->all.data[entry->value];
		if (last->n == EVENED_SAMPLES || last->previous == NONE)
			continue;
		groups->all.data[last->previous].n += last->n;
		groups->all.data[last->previous].odds += last->odds;
		groups->all.data[last->previous].sum_ns += last->sum_ns;
		last->n = 0; /* its samples are in `previous` */
	}
}

/* The next sample's part: what cannot be divided goes to the first ones. */
static uint64_t take_part(struct groups *groups, uint32_t number, uint32_t odds)
{
	struct group *group = &groups->all.data[number];
	if (group->n == 0)
		group = &groups->all.data[group->previous];
	group->odds_given += odds;
	unsigned __int128 product = (unsigned __int128)group->sum_ns * group->odds_given;
	uint64_t given_ns = (uint64_t)((product + group->odds - 1) / group->odds);
	uint64_t part_ns = given_ns - group->given_ns;
	group->given_ns += part_ns;
	return part_ns;
}

uint64_t *evened_cpu_ns(const struct sample_log *log, size_t first, size_t n)
{
	uint64_t *cpu_ns = mem_alloc((n + 1) * sizeof(*cpu_ns));
	struct groups groups = {.of = mem_alloc((n + 1) * sizeof(*groups.of))};
	for (size_t i = 0; i < n; i++)
		groups.of[i] = group_of(&groups, sample_log_at(log, first + i));
	join_last(&groups);
	for (size_t i = 0; i < n; i++) {
		const struct sample *sample = sample_log_at(log, first + i);
		cpu_ns[i] = groups.of[i] == NONE
				    ? sample->cpu_ns
				    : take_part(&groups, groups.of[i], odds_of(sample));
	}
	vec_free(&groups.all);
	idmap_finish(&groups.newest);
	free(groups.of);
	return cpu_ns;
}
