/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/advice.h"

#include <string.h>

enum {
	STEP = 4,	   /* copies become this many times longer, or shorter */
	CALM_STACKS = 256, /* stacks in a row that needed much less: shorten the copies */
	/* truncated though copied at the greatest length: give long copies up */
	VAIN_STACKS = 32,
	REST_STACKS = 64 * VAIN_STACKS, /* ...until this many more were truncated */
};

void advice_init(struct advice_queue *queue)
{
	memset(queue, 0, sizeof(*queue));
}

bool advice_take(struct advice_queue *queue, struct advice *out)
{
	size_t read = atomic_load_explicit(&queue->read, memory_order_relaxed);
	if (atomic_load_explicit(&queue->written, memory_order_acquire) == read)
		return false;
	*out = queue->entries[read % ADVICE_WAITING];
	atomic_store_explicit(&queue->read, read + 1, memory_order_release);
	return true;
}

static bool give(struct advice_queue *queue, struct advice advice)
{
	size_t written = atomic_load_explicit(&queue->written, memory_order_relaxed);
	size_t read = atomic_load_explicit(&queue->read, memory_order_acquire);
	if (written - read == ADVICE_WAITING)
		return false;
	queue->entries[written % ADVICE_WAITING] = advice;
	atomic_store_explicit(&queue->written, written + 1, memory_order_release);
	return true;
}

static struct advice_student *student_of(struct advice_queue *queue, pid_t tid)
{
	struct advice_student *student =
		&queue->students[(size_t)tid % ADVICE_REMEMBERED];
	if (student->tid != tid)
		*student = (struct advice_student){.tid = tid};
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

/* Advise copies of REACH bytes until the root is known. */
static bool set_reach(
	struct advice_queue *queue, struct advice_student *student, size_t reach)
{
	struct advice advice = {
		.tid = student->tid, .reach = reach, .bounds = student->bounds};
	if (!give(queue, advice))
		return false;
	student->reach = reach;
	student->calm = 0;
	student->told = false;
	student->root = (struct stack_root){0};
	return true;
}

static void learn_truncated(struct advice_queue *queue, struct advice_student *student,
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
	/* The copy is shorter than advised: because of the root that was given, or
	   because it was made before the last advice. */
	bool misled = record->other_length == 0 &&
		      (student->told || length < advice_bytes(0, stack_bytes));
	if (misled)
		student->barred |= set_reach(queue, student, student->reach);
}

static void learn_calm(struct advice_queue *queue, struct advice_student *student,
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
	struct advice_student *student = student_of(queue, record->tid);
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
		student->told = give(queue, (struct advice){record->tid, root,
						    student->reach, student->bounds});
	else if (!same)
		student->told = false;
	student->root = root;
}

void advice_forget(struct advice_queue *queue, pid_t tid)
{
	*student_of(queue, tid) = (struct advice_student){.tid = tid};
	queue->link = (struct stack_link){0};
}

void advice_bounds(
	struct advice_queue *queue, pid_t tid, const struct stack_bounds *bounds)
{
	struct advice_student *student = student_of(queue, tid);
	struct advice advice = {
		.tid = tid,
		.reach = student->reach,
		.bounds = *bounds,
	};
	if (student->told)
		advice.root = student->root;
	if (memcmp(&student->bounds, bounds, sizeof(*bounds)) != 0 && give(queue, advice))
		student->bounds = *bounds;
}

void advice_link(struct advice_queue *queue, const struct stack_link *link)
{
	if (memcmp(&queue->link, link, sizeof(*link)) != 0 &&
		give(queue, (struct advice){.link = *link}))
		queue->link = *link;
}
