/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history/evened.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"

#include <stdlib.h>

/* Samples of one thread that share their time. */
struct group {
	uint64_t sum_ns;
	uint32_t n, given;
	uint32_t previous; /* of the same thread; or NONE */
};

enum {
	NONE = UINT32_MAX
};

struct groups {
	VEC(struct group) all;
	struct idmap newest; /* by thread */
	uint32_t *of;	     /* each sample's; or NONE */
};

static uint32_t begin_group(struct groups *groups, uint32_t thread, uint32_t previous)
{
	uint32_t group = (uint32_t)groups->all.len;
	vec_push(&groups->all, (struct group){.previous = previous});
	idmap_put(&groups->newest, thread, 0, group);
	return group;
}

static uint32_t group_of(struct groups *groups, const struct sample *sample)
{
	if (sample->count != 1 || sample->cpu_ns == 0)
		return NONE;
	uint32_t *newest = idmap_get(&groups->newest, sample->thread, 0);
	uint32_t group = newest ? *newest : begin_group(groups, sample->thread, NONE);
	if (groups->all.data[group].n == EVENED_SAMPLES)
		group = begin_group(groups, sample->thread, group);
	groups->all.data[group].n++;
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
		groups->all.data[last->previous].sum_ns += last->sum_ns;
		last->n = 0; /* its samples are in `previous` */
	}
}

/* The next sample's part: what cannot be divided goes to the first ones. */
static uint64_t take_part(struct groups *groups, uint32_t number)
{
	struct group *group = &groups->all.data[number];
	if (group->n == 0)
		group = &groups->all.data[group->previous];
	return group->sum_ns / group->n + (group->given++ < group->sum_ns % group->n);
}

uint64_t *evened_cpu_ns(const struct sample_log *log, size_t first, size_t n)
{
	uint64_t *cpu_ns = mem_alloc((n + 1) * sizeof(*cpu_ns));
	struct groups groups = {.of = mem_alloc((n + 1) * sizeof(*groups.of))};
	for (size_t i = 0; i < n; i++)
		groups.of[i] = group_of(&groups, sample_log_at(log, first + i));
	join_last(&groups);
	for (size_t i = 0; i < n; i++)
		cpu_ns[i] = groups.of[i] == NONE ? sample_log_at(log, first + i)->cpu_ns
						 : take_part(&groups, groups.of[i]);
	vec_free(&groups.all);
	idmap_finish(&groups.newest);
	free(groups.of);
	return cpu_ns;
}
