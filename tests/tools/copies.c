/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/tools/copies.h"

#include "ptrace/capture.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/facts/advice.h"
#include "src/read/reader/stack-memory.h"
#include "src/read/unwind/unwind-link.h"

#include <stdlib.h>

/* What is known of a thread's stack. */
struct copied {
	struct capture_habit habit;
	struct stack_bounds bounds, far;
};

struct copies {
	struct tracee *tracee;
	struct unwinder *unwinder;
	size_t stack_bytes;
	struct advice_queue *queue;
	struct unwind_link unwind_link;
	struct stack_link link;
	struct idmap numbers; /* of the threads, by TID */
	VEC(struct copied) threads;
};

struct copies *copies_create(
	struct tracee *tracee, struct unwinder *unwinder, size_t stack_bytes)
{
	struct copies *copies = mem_zalloc(sizeof(*copies));
	copies->tracee = tracee;
	copies->unwinder = unwinder;
	copies->stack_bytes = stack_bytes;
	copies->queue = mem_zalloc(sizeof(*copies->queue));
	advice_init(copies->queue);
	copies->link =
		*unwind_link_of(&copies->unwind_link, tracee->space, copies->unwinder);
	return copies;
}

void copies_destroy(struct copies *copies)
{
	if (!copies)
		return;
	free(copies->queue);
	idmap_finish(&copies->numbers);
	vec_free(&copies->threads);
	free(copies);
}

static struct copied *copied_of(struct copies *copies, pid_t tid)
{
	const uint32_t *number = idmap_get(&copies->numbers, (uint64_t)tid, 0);
	if (number)
		return &copies->threads.data[*number];
	idmap_put(&copies->numbers, (uint64_t)tid, 0, (uint32_t)copies->threads.len);
	vec_push(&copies->threads, (struct copied){.bounds = {0}});
	return &copies->threads.data[copies->threads.len - 1];
}

void copies_take(struct copies *copies, struct snapshot *snapshot)
{
	struct copied *copied = copied_of(copies, snapshot->tid);
	struct capture_memory memory = {
		.memory = copies->tracee->mem_fd,
		.bounds = copied->bounds,
		.far = copied->far,
		.link = &copies->link,
	};
	capture_stack(&memory, copies->stack_bytes, &copied->habit, snapshot);
}

/* As the lookout hands it to the samplers. */
static void take_advice(struct copies *copies)
{
	struct advice advice;
	while (advice_take(copies->queue, &advice)) {
		if (advice.tid == 0) {
			copies->link = advice.link;
			continue;
		}
		struct copied *copied = copied_of(copies, advice.tid);
		copied->habit.root = advice.root;
		copied->habit.reach = advice.reach;
		copied->bounds = advice.bounds;
		copied->far = advice.far;
	}
}

/* As the analyst does it (src/read/reader/intake.c). */
void copies_learn(struct copies *copies, const struct snapshot *snapshot,
	const struct callchain *chain)
{
	struct address_space *space = copies->tracee->space;
	struct arch_registers now = {.known = 0};
	snapshot_registers(snapshot, &now);
	struct stack_bounds bounds = stack_memory_at(space, snapshot, arch_get_sp(&now));
	struct stack_bounds far = stack_memory_at(space, snapshot, chain->lacked);
	advice_far(copies->queue, snapshot, chain, &far, copies->stack_bytes);
	advice_learn(copies->queue, snapshot, chain, copies->stack_bytes);
	advice_bounds(copies->queue, snapshot->tid, &bounds);
	advice_link(copies->queue,
		unwind_link_of(&copies->unwind_link, space, copies->unwinder));
	take_advice(copies);
}
