/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keep/condense.h"

#include "src/base/clock.h"
#include "src/base/mem.h"

#include <stdlib.h>

enum {
	CLASSES = 1 << 16,  /* greater weights share the last class */
	LEAVES_KEPT = 4096, /* addresses as innermost frames: some hundred KB of names, */
	/* and fewer where few stacks are kept: each may be below each of these. */
	STACKS_PER_LEAF = 128,
};

/* Samples plus milliseconds: a thread that slept for an hour may have a single sample. */
static uint64_t weight_of(const struct sample *sample)
{
	return sample->count + (sample->cpu_ns + sample->wall_ns) / NS_PER_MS;
}

/* The least weight that at most KEEP of WEIGHTS reach. */
static uint64_t threshold(const uint64_t *weights, size_t count, size_t keep)
{
	size_t *classes = mem_zalloc(CLASSES * sizeof(*classes));
	for (size_t i = 0; i < count; i++)
		classes[weights[i] < CLASSES - 1 ? weights[i] : CLASSES - 1]++;
	size_t reached = 0;
	uint64_t weight = CLASSES;
	while (weight > 0 && reached + classes[weight - 1] <= keep)
		reached += classes[--weight];
	free(classes);
	return weight;
}

/* The weight of each node with all nodes below it. */
static uint64_t *weigh_nodes(
	const struct sample_log *samples, const struct stacktab *stacktab, uint32_t nodes)
{
	uint64_t *weights = mem_zalloc(nodes * sizeof(*weights));
	for (size_t i = 0; i < samples->len; i++) {
		const struct sample *sample = sample_log_at(samples, i);
		weights[sample->stack] += weight_of(sample);
	}
	for (uint32_t node = nodes; node-- > UNWIND_END_COUNT;)
		weights[stacktab_node(stacktab, node)->parent] += weights[node];
	return weights;
}

/* The weight of each location as the innermost frame. */
static uint64_t *weigh_leaves(const struct sample_log *samples,
	const struct stacktab *stacktab, uint32_t locations)
{
	uint64_t *weights = mem_zalloc(locations * sizeof(*weights));
	for (size_t i = 0; i < samples->len; i++) {
		const struct sample *sample = sample_log_at(samples, i);
		if (!stacktab_is_root(sample->stack))
			weights[stacktab_node(stacktab, sample->stack)->location] +=
				weight_of(sample);
	}
	return weights;
}

void condense_stacks(struct sample_log *samples, struct stacktab *stacktab,
	struct profile *profile, size_t keep, bool several)
{
	uint32_t nodes = stacktab_nodes(stacktab);
	uint64_t *weights = weigh_nodes(samples, stacktab, nodes);
	uint64_t least =
		threshold(weights + UNWIND_END_COUNT, nodes - UNWIND_END_COUNT, keep);
	uint32_t rest = profile_intern_synthetic(profile, RARE_STACKS);
	uint32_t locations = profile->locations->len;
	uint64_t *leaves = weigh_leaves(samples, stacktab, locations);
	size_t some = keep / STACKS_PER_LEAF;
	uint64_t least_leaf =
		threshold(leaves, locations, some < LEAVES_KEPT ? some : LEAVES_KEPT);
	for (size_t i = 0; i < samples->len; i++) {
		struct sample *sample = sample_log_at(samples, i);
		uint32_t node = sample->stack;
		if (stacktab_is_root(node) || weights[node] >= least)
			continue;
		struct stack_node leaf = *stacktab_node(stacktab, node);
		while (!stacktab_is_root(node) && weights[node] < least) {
			uint32_t parent = stacktab_node(stacktab, node)->parent;
			if (several && stacktab_is_root(parent))
				break;
			node = parent;
		}
		bool keeps_leaf = node != sample->stack && leaf.location != rest &&
				  leaves[leaf.location] >= least_leaf;
		if (keeps_leaf && leaf.parent == node)
			continue;
		if (stacktab_node(stacktab, node)->location != rest)
			node = stacktab_child(stacktab, node, rest);
		sample->stack =
			keeps_leaf ? stacktab_child(stacktab, node, leaf.location) : node;
	}
	free(leaves);
	free(weights);
}

void condense_threads(struct sample_log *samples, struct accounts *accounts,
	struct profile *profile, size_t keep, const struct idmap *alive)
{
	uint32_t threads = profile->threads->len;
	uint64_t *weights = mem_zalloc(threads * sizeof(*weights) + 1);
	struct idmap kept = {0}; /* (tid, 0) */
	for (size_t i = 0; i < samples->len; i++) {
		const struct sample *sample = sample_log_at(samples, i);
		weights[sample->thread] += weight_of(sample);
	}
	uint64_t least = threshold(weights, threads, keep);
	for (size_t i = 0; i < samples->len; i++) {
		struct sample *sample = sample_log_at(samples, i);
		const struct thread *thread = profile_thread(profile, sample->thread);
		if (weights[sample->thread] >= least ||
			idmap_get(alive, sample->thread, 0))
			idmap_put(&kept, (uint64_t)thread->tid, 0, 0);
		else
			sample->thread = profile_intern_thread_of(
				profile, thread->process, 0, ENDED_THREADS);
	}
	accounts_merge_ended(accounts, &kept);
	idmap_finish(&kept);
	free(weights);
}
