/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/advice.h"

#include "src/base/mem.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	WAITING = 64,	   /* advices */
	REMEMBERED = 1024, /* threads; one that is forgotten may be told once more */
	CACHE_LINE = 64,
	STEP = 4,	   /* so many times longer, or shorter */
	CALM_STACKS = 256, /* that needed much less, one after the other */
	VAIN_STACKS = 32,  /* copied as long as may be, and truncated: no more of that, */
	REST_STACKS = 64 * VAIN_STACKS, /* for so many truncated ones */
};

/* What is known of a thread. */
struct student {
	pid_t tid;
	struct stack_root root; /* of its last sample */
	bool told, barred;
	size_t reach;
	unsigned calm, vain, rest;
};

struct advice_queue {
	struct student students[REMEMBERED]; /* by number; the writer's */
	struct advice entries[WAITING];
	_Alignas(CACHE_LINE) _Atomic size_t written;
	_Alignas(CACHE_LINE) _Atomic size_t read;
};

struct advice_queue *advice_create(void)
{
	struct advice_queue *queue = NULL;
	if (posix_memalign((void **)&queue, CACHE_LINE, sizeof(*queue)) != 0)
		queue = mem_alloc(SIZE_MAX);
	memset(queue, 0, sizeof(*queue));
	return queue;
}

void advice_destroy(struct advice_queue *queue)
{
	free(queue);
}

bool advice_take(struct advice_queue *queue, struct advice *out)
{
	size_t read = atomic_load_explicit(&queue->read, memory_order_relaxed);
	if (atomic_load_explicit(&queue->written, memory_order_acquire) == read)
		return false;
	*out = queue->entries[read % WAITING];
	atomic_store_explicit(&queue->read, read + 1, memory_order_release);
	return true;
}

static bool give(struct advice_queue *queue, struct advice advice)
{
	size_t written = atomic_load_explicit(&queue->written, memory_order_relaxed);
	size_t read = atomic_load_explicit(&queue->read, memory_order_acquire);
	if (written - read == WAITING)
		return false;
	queue->entries[written % WAITING] = advice;
	atomic_store_explicit(&queue->written, written + 1, memory_order_release);
	return true;
}

static struct student *student_of(struct advice_queue *queue, pid_t tid)
{
	struct student *student = &queue->students[(size_t)tid % REMEMBERED];
	if (student->tid != tid)
		*student = (struct student){.tid = tid};
	return student;
}

static struct stack_root root_of(
	const struct snapshot *record, const struct callchain *chain)
{
	struct stack_root root = {.top = chain->stack_top};
	const void *word = snapshot_stack_at(
		record, root.top - sizeof(root.word), sizeof(root.word));
	if (chain->end != UNWIND_ROOT || !root.top || !word)
		return (struct stack_root){0};
	memcpy(&root.word, word, sizeof(root.word));
	return root.word ? root : (struct stack_root){0};
}

/* From now on copies are REACH long until the root is known. */
static bool set_reach(struct advice_queue *queue, struct student *student, size_t reach)
{
	if (!give(queue, (struct advice){.tid = student->tid, .reach = reach}))
		return false;
	student->reach = reach;
	student->calm = 0;
	student->told = false;
	student->root = (struct stack_root){0};
	return true;
}

static void learn_truncated(struct advice_queue *queue, struct student *student,
	const struct snapshot *record, size_t stack_bytes)
{
	size_t length = (size_t)record->stack_length + record->other_length;
	size_t reach = advice_bytes(student->reach, stack_bytes);
	if (student->rest > 0) {
		student->rest--;
	} else if (length >= reach) {
		size_t more = advice_bytes(STEP * reach, stack_bytes);
		student->vain += more == reach;
		if (more > reach)
			set_reach(queue, student, more);
		else if (student->vain >= VAIN_STACKS && set_reach(queue, student, 0))
			student->rest = REST_STACKS;
		return;
	}
	/* By the root that was told; or it is a copy from before the last advice. */
	bool misled = record->other_length == 0 &&
		      (student->told || length < advice_bytes(0, stack_bytes));
	if (misled)
		student->barred |= set_reach(queue, student, student->reach);
}

static void learn_calm(struct advice_queue *queue, struct student *student,
	const struct snapshot *record, const struct callchain *chain)
{
	uint64_t needed = chain->stack_top - record->stack_address;
	student->calm++;
	if (chain->end != UNWIND_ROOT || needed > student->reach / (2 * STEP))
		student->calm = 0;
	size_t reach = student->reach / STEP;
	if (student->calm >= CALM_STACKS)
		set_reach(queue, student, reach > ADVICE_FIRST_BYTES ? reach : 0);
}

void advice_learn(struct advice_queue *queue, const struct snapshot *record,
	const struct callchain *chain, size_t stack_bytes)
{
	struct student *student = student_of(queue, record->tid);
	struct stack_root root = root_of(record, chain);
	if (chain->end == UNWIND_ROOT && chain->stack_top &&
		chain->stack_top - record->stack_address > ADVICE_FIRST_BYTES)
		student->vain = student->rest = 0;
	if (chain->end == UNWIND_TRUNCATED)
		learn_truncated(queue, student, record, stack_bytes);
	else if (student->reach)
		learn_calm(queue, student, record, chain);
	if (!root.top || student->barred)
		return;
	bool same = student->root.top == root.top && student->root.word == root.word;
	if (same && !student->told)
		student->told =
			give(queue, (struct advice){record->tid, root, student->reach});
	else if (!same)
		student->told = false;
	student->root = root;
}
