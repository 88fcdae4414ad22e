/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/advice.h"

#include <string.h>

enum {
	STEP = 4,	   /* copies become this many times longer, or shorter */
	CALM_STACKS = 256, /* stacks in a row that needed much less: shorten the copies */
	/* truncated though copied at the greatest length: give long copies up */
	VAIN_STACKS = 32,
	SHORT_STACKS = 8, /* truncated copies of the kernel: ask for longer ones */
	REST_STACKS = 64 * VAIN_STACKS, /* ...until this many more were truncated */
	/* A part that lies farther than this above the copy is no caller's frame of usual
	   size. */
	FAR_GAP = 16 << 10,
	/* Of a larger frame, most is not copied: rustc has all of a compilation's state in one,
	   whose copy took ten times as long as the rest of a stop. */
	LARGE_FRAME = 128 << 10,
	FAR_PAGE = 4096,
	SAVED_WORDS = 12,	    /* registers that a function saves */
	FAR_VAIN = 16,		    /* parts that did not lead to the root: no more */
	FAR_CALM = 4 * CALM_STACKS, /* whole without the part: it is not needed */
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
	/* The writer reads files of others: what is an index must be one. */
	if (out->link.loads > STACK_LINK_LOADS)
		out->link.loads = 0;
	if (out->link.n_areas > STACK_LINK_AREAS)
		out->link.n_areas = 0;
	if (out->link.n_places > STACK_LINK_PLACES)
		out->link.n_places = 0;
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

static bool holds(const struct stack_bounds *area, uint64_t address)
{
	return address >= area->low && address < area->high;
}

static bool has_large_frame(const struct callchain *chain)
{
	return chain->gap.high - chain->gap.low >= LARGE_FRAME;
}

/* Where the copy may end: at the root, or at the large frame below the far part. */
static uint64_t end_of(
	const struct advice_student *student, const struct callchain *chain)
{
	const struct stack_bounds *far = &student->far;
	if (!holds(far, chain->stack_top - 1))
		return chain->stack_top;
	return has_large_frame(chain) && holds(far, chain->gap.high) ? chain->gap.low : 0;
}

/* A word that is 0 does not tell a root from what is not in use. Where the highest one is not a
   return address, but a register that may be 0, the words below it are tried. */
static struct stack_root root_of(const struct advice_student *student,
	const struct snapshot *record, const struct callchain *chain)
{
	struct stack_root root = {.top = end_of(student, chain)};
	if (chain->end != UNWIND_ROOT || !root.top)
		return (struct stack_root){0};
	for (int i = 0; i < (ARCH_CALL_PUSHES ? 1 : SAVED_WORDS); i++) {
		const void *word = snapshot_stack_at(
			record, root.top - sizeof(root.word), sizeof(root.word));
		if (!word)
			break;
		memcpy(&root.word, word, sizeof(root.word));
		if (root.word)
			return root;
		root.top -= sizeof(root.word);
	}
	return (struct stack_root){0};
}

/* All that is advised for the student. */
static struct advice advice_of(const struct advice_student *student)
{
	struct advice advice = {
		.tid = student->tid,
		.reach = student->reach,
		.bounds = student->bounds,
		.far = student->far,
	};
	if (student->told)
		advice.root = student->root;
	return advice;
}

/* Advise copies of REACH bytes until the root is known. */
static bool set_reach(
	struct advice_queue *queue, struct advice_student *student, size_t reach)
{
	struct advice advice = advice_of(student);
	advice.reach = reach;
	advice.root = (struct stack_root){0};
	if (!give(queue, advice))
		return false;
	student->reach = reach;
	student->calm = 0;
	student->told = false;
	student->root = (struct stack_root){0};
	return true;
}

/* Does the stack go on where not even the longest copy would reach, or above a large frame? */
static bool goes_on_far(
	const struct snapshot *record, const struct callchain *chain, size_t stack_bytes)
{
	uint64_t start = record->stack_address, end = start + record->stack_length;
	uint64_t lacked = chain->lacked;
	if (!lacked || lacked < start)
		return lacked != 0;
	return lacked > end &&
	       lacked - end >= (lacked - start >= stack_bytes ? FAR_GAP : LARGE_FRAME);
}

/* A copy of this length would have had more of the stack than one of REACH bytes: what was
   lacked above a frame of unusual size, else some times as much. */
static size_t longer(const struct snapshot *record, const struct callchain *chain,
	size_t reach, size_t stack_bytes)
{
	uint64_t start = record->stack_address;
	uint64_t lacked = chain->lacked - start;
	bool is_frame = chain->lacked > start && lacked >= reach + FAR_GAP;
	return advice_bytes(
		is_frame ? lacked + ADVICE_FIRST_BYTES : STEP * reach, stack_bytes);
}

static void learn_truncated(struct advice_queue *queue, struct advice_student *student,
	const struct snapshot *record, const struct callchain *chain, size_t stack_bytes)
{
	size_t length = (size_t)record->stack_length + record->other_length;
	size_t reach = advice_bytes(student->reach, stack_bytes);
	if (student->rest > 0) {
		student->rest--;
	} else if (length >= reach) {
		size_t more = longer(record, chain, reach, stack_bytes);
		student->vain += more == reach;
		if (more > reach)
			queue->deepened += set_reach(queue, student, more);
		else if (student->vain >= VAIN_STACKS && set_reach(queue, student, 0))
			student->rest = REST_STACKS;
		return;
	}
	/* The copy is shorter than advised: because of the root that was given, or
	   because it was made before the last advice. */
	bool misled = student->told || (record->other_length == 0 &&
					       length < advice_bytes(0, stack_bytes));
	if (misled)
		student->barred |= set_reach(queue, student, student->reach);
}

static void learn_calm(struct advice_queue *queue, struct advice_student *student,
	const struct snapshot *record, const struct callchain *chain)
{
	bool is_far = holds(&student->far, chain->stack_top - 1);
	uint64_t needed =
		(is_far ? chain->gap.low : chain->stack_top) - record->stack_address;
	student->calm++;
	if (chain->end != UNWIND_ROOT || needed > student->reach / (2 * STEP))
		student->calm = 0;
	size_t reach = student->reach / STEP;
	if (student->calm >= CALM_STACKS)
		set_reach(queue, student, reach > ADVICE_FIRST_BYTES ? reach : 0);
}

/* What the kernel copies is shorter than what is copied in a stop, and has its own length. */
static void learn_short(struct advice_queue *queue, struct advice_student *student,
	const struct snapshot *record)
{
	size_t longer = STEP * (size_t)record->stack_length;
	if (++student->vain >= SHORT_STACKS && student->reach < longer)
		queue->deepened += set_reach(queue, student, longer);
}

void advice_learn(struct advice_queue *queue, const struct snapshot *record,
	const struct callchain *chain, size_t stack_bytes)
{
	struct advice_student *student = student_of(queue, record->tid);
	struct stack_root root = root_of(student, record, chain);
	if (chain->end == UNWIND_ROOT && chain->stack_top &&
		chain->stack_top - record->stack_address > ADVICE_FIRST_BYTES)
		student->vain = student->rest = 0;
	if (record->is_event && chain->end == UNWIND_TRUNCATED && !student->told)
		learn_short(queue, student, record);
	else if (chain->end == UNWIND_TRUNCATED &&
		 !goes_on_far(record, chain, stack_bytes))
		learn_truncated(queue, student, record, chain, stack_bytes);
	else if (student->reach)
		learn_calm(queue, student, record, chain);
	if (!root.top || student->barred)
		return;
	bool same = student->root.top == root.top && student->root.word == root.word;
	student->told &= same;
	student->root = root;
	if (same && !student->told) {
		student->told = true;
		student->told = give(queue, advice_of(student));
	}
}

static bool set_far(struct advice_queue *queue, struct advice_student *student,
	struct stack_bounds far)
{
	struct advice advice = advice_of(student);
	advice.far = far;
	advice.root = (struct stack_root){0};
	if (!give(queue, advice))
		return false;
	student->far = far;
	student->far_calm = 0;
	student->told = false;
	student->root = advice.root;
	return true;
}

/* The part of MEMORY to copy for the word at LACKED, where PART is copied now: from a page
   below that word on, which is where frames of about that depth end. */
static struct stack_bounds part_for(const struct stack_bounds *memory, uint64_t lacked,
	const struct stack_bounds *part, size_t stack_bytes)
{
	uint64_t low = (lacked & ~(uint64_t)(FAR_PAGE - 1)) - FAR_PAGE;
	size_t length = advice_bytes(0, stack_bytes / 2);
	if (lacked >= part->low && lacked - part->low < stack_bytes / 2) {
		/* It was too short. */
		low = part->low;
		length = advice_bytes(STEP * (part->high - low), stack_bytes / 2);
	}
	if (low < memory->low || low > lacked)
		low = memory->low;
	uint64_t high = memory->high - low < length ? memory->high : low + length;
	return (struct stack_bounds){low, high};
}

/* Was RECORD whole without a part that is far? */
static bool is_near_all(const struct snapshot *record, const struct callchain *chain,
	const struct stack_bounds *far)
{
	return !holds(far, chain->stack_top - 1) ||
	       chain->stack_top <= record->stack_address + record->stack_length;
}

/* RECORD was copied up to its root, with a large frame in it: the next time without that. */
static void leave_out_frame(struct advice_queue *queue, struct advice_student *student,
	const struct callchain *chain, const struct stack_bounds *memory)
{
	const struct stack_bounds *gap = &chain->gap;
	uint64_t top = chain->stack_top, low = gap->high & ~(uint64_t)(FAR_PAGE - 1);
	if (!has_large_frame(chain) || !holds(memory, gap->low) ||
		!holds(memory, top - 1) || gap->high > top)
		return;
	struct stack_bounds part = {low - FAR_PAGE, (top | (FAR_PAGE - 1)) + 1};
	if (part.high > memory->high)
		part.high = memory->high;
	set_far(queue, student, part);
}

void advice_far(struct advice_queue *queue, const struct snapshot *record,
	const struct callchain *chain, const struct stack_bounds *memory,
	size_t stack_bytes)
{
	struct advice_student *student = student_of(queue, record->tid);
	const struct stack_bounds *far = &student->far;
	bool is_whole = chain->end == UNWIND_ROOT;
	if (far->high && is_whole && is_near_all(record, chain, far)) {
		if (++student->far_calm >= FAR_CALM)
			set_far(queue, student, (struct stack_bounds){0});
		return;
	}
	if (is_whole && far->high)
		student->far_calm = student->far_vain = 0;
	if (student->far_vain > FAR_VAIN)
		return;
	if (is_whole && !far->high)
		leave_out_frame(queue, student, chain, memory);
	/* What lies in the part was copied before that was advised. */
	if (!holds(memory, chain->lacked) || holds(far, chain->lacked) ||
		!goes_on_far(record, chain, stack_bytes))
		return;
	struct stack_bounds part = part_for(memory, chain->lacked, far, stack_bytes);
	if (++student->far_vain > FAR_VAIN)
		part = (struct stack_bounds){0};
	queue->deepened += set_far(queue, student, part);
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
	struct advice advice = advice_of(student);
	advice.bounds = *bounds;
	if (memcmp(&student->bounds, bounds, sizeof(*bounds)) != 0 && give(queue, advice))
		student->bounds = *bounds;
}

void advice_link(struct advice_queue *queue, const struct stack_link *link)
{
	if (memcmp(&queue->link, link, sizeof(*link)) != 0 &&
		give(queue, (struct advice){.link = *link}))
		queue->link = *link;
}
