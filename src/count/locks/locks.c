/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/locks/locks.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/count/locks/holding.h"
#include "src/count/tags.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t locks_time(const struct report *report, const struct weight *weight)
{
	return report->request.wall && !report->origin ? weight->wall_ns : weight->cpu_ns;
}

/* Whether it comes first of LOCKS: others may just be where idle threads rest. */
static bool is_held(const struct lock *lock, const struct locks *locks)
{
	bool is_lock = lock->holders.len > 0 || lock->kind == WAIT_LOCK;
	return is_lock && lock->ns >= locks->ns / 100;
}

/* Two locks with the same name in different processes are two. */
static int compare_locks(const void *a, const void *b, void *locks)
{
	const struct lock *x = a, *y = b;
	bool held_x = is_held(x, locks), held_y = is_held(y, locks);
	if (held_x != held_y)
		return held_x ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	int order = strcmp(x->object, y->object);
	return order ? order : strcmp(x->call, y->call);
}

/* --- one stack ------------------------------------------------------------------------ */

/* The detail of the leaf; of a file, its label. What two files were joined into has threads
   of its own, which no label is of. */
static const char *detail_of(const struct report *report,
	const struct report_stack *stack, const struct location *leaf)
{
	struct tags tags = {0};
	const char *detail = leaf->detail;
	if (!report->origin || report->difference)
		return detail;
	tags_of(report, stack->thread, &tags);
	vec_each (&tags, label)
		if (strcmp(label->key, "object") == 0)
			detail = label->text;
	vec_free(&tags);
	return detail;
}

/* What STACK waits for, by its leaf, into WAIT; false: for no object. */
static bool wait_of(const struct report *report, const struct report_stack *stack,
	struct wait_of_stack *what, struct wait_name *wait)
{
	*what = (struct wait_of_stack){.lock = LOCK_NONE, .runs = true};
	if (stacktab_is_root(stack->stack))
		return false;
	uint32_t id = stacktab_node(report->stacktab, stack->stack)->location;
	const struct location *leaf = profile_location(report->profile, id);
	const char *function =
		profile_function(report->profile, leaf->lines[0].function)->name;
	char call[WAITING_MAX];
	what->runs = !waiting_syscall(function, call);
	what->waits_for_cpu = strcmp(function, WAITING_FOR_CPU) == 0;
	return wait_name_of(function, detail_of(report, stack, leaf), wait);
}

bool locks_have_holders(const struct report *report)
{
	struct wait_name wait;
	struct wait_of_stack unused;
	for (size_t i = 0; i < report->n_stacks; i++)
		if (wait_of(report, &report->stacks[i], &unused, &wait) && wait.holder)
			return true;
	return false;
}

static const struct function *function_of(
	const struct report *report, const struct stack_frames *frames, size_t i)
{
	return profile_function(report->profile, frames->data[i].function);
}

/* The outermost frames are those of the C library, too, which begins threads. */
static bool is_beginning(const char *name)
{
	static const char *const names[] = {"start_thread", "clone", "clone3", "__clone",
		"__clone3", "__libc_start_main", "__libc_start_call_main", "_start",
		NULL};
	for (size_t i = 0; names[i]; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return strncmp(name, "__libc_start_", 13) == 0;
}

/* If all is in one file, the innermost function is taken that has no underscore before its
   name, as libraries' own names have, and is not known to wait. */
size_t locks_own_frame(const struct report *report, const struct stack_frames *frames)
{
	size_t first = 1;
	while (first < frames->len &&
		function_is_kernel(function_of(report, frames, first)))
		first++;
	if (first >= frames->len)
		return 0;
	const char *leaf = function_of(report, frames, 0)->name, *library;
	if (strcmp(leaf, WAITING_FOR_CPU) == 0 || strcmp(leaf, "[page fault]") == 0)
		return first; /* it was not in a call */
	library = function_of(report, frames, first)->module;
	for (size_t i = first + 1; i < frames->len; i++) {
		const struct function *f = function_of(report, frames, i);
		if (is_beginning(f->name))
			break;
		if (strcmp(f->module, library) != 0 && f->name[0] != '[')
			return i;
	}
	for (size_t i = first; i < frames->len; i++) {
		const char *name = function_of(report, frames, i)->name;
		if (name[0] != '_' && name[0] != '[' &&
			strncmp(name, "pthread_", 8) != 0 &&
			strncmp(name, "futex", 5) != 0 && strncmp(name, "lll_", 4) != 0)
			return i;
	}
	return first;
}

void locks_say_stack(const struct report *report, uint32_t stack,
	struct stack_frames *frames, char *text, size_t size)
{
	size_t at = 0, i = 0;
	stack_frames_of(report, stack, frames);
	text[0] = '\0';
	if (frames->len > 1 && function_of(report, frames, 0)->name[0] == '[') {
		at = (size_t)snprintf(
			text, size, "%s in ", function_of(report, frames, 0)->name);
		i = locks_own_frame(report, frames);
	}
	for (size_t first = i; i < frames->len && at < size; i++)
		at += (size_t)snprintf(text + at, size - at, "%s%s",
			i > first ? " < " : "", function_of(report, frames, i)->name);
}

enum {
	SAID_MOST = 1024, /* bytes of a stack in words */
	CODE_FRAMES = 16, /* innermost frames among which is what waits in a futex */
};

/* --- all stacks ----------------------------------------------------------------------- */

struct building {
	struct locks *locks;
	const struct report *report;
	struct idmap places; /* (call and object, process) -> index in the list */
	struct stack_frames frames;
	struct wait_of_stack *waits;
};

static uint32_t lock_for(
	struct building *building, const struct wait_name *wait, uint32_t process)
{
	struct locks *locks = building->locks;
	char text[2 * WAITING_MAX];
	snprintf(text, sizeof(text), "%s %s", wait->call, wait->object);
	uint64_t key = (uint64_t)(uintptr_t)strpool_intern(&locks->names, text);
	uint32_t *place = idmap_get(&building->places, key, process);
	if (place)
		return *place;
	uint32_t index = (uint32_t)locks->list.len;
	struct lock lock = {
		.kind = wait->kind,
		.call = strpool_intern(&locks->names, wait->call),
		.object = strpool_intern(&locks->names, wait->object),
	};
	vec_push(&locks->list, lock);
	idmap_put(&building->places, key, process, index);
	return index;
}

/* What the code of FRAMES waits for in a futex: the outermost function that says so knows
   best. */
static enum wait_kind kind_by_code(
	const struct report *report, const struct stack_frames *frames)
{
	enum wait_kind kind = WAIT_FUTEX;
	for (size_t i = 1; i < frames->len && i < CODE_FRAMES; i++) {
		enum wait_kind now = wait_kind_in(function_of(report, frames, i)->name);
		kind = now != WAIT_FUTEX ? now : kind;
	}
	return kind;
}

static void add_stack(struct building *building, size_t at)
{
	const struct report *report = building->report;
	const struct report_stack *stack = &report->stacks[at];
	const struct thread *thread = profile_thread(report->profile, stack->thread);
	uint64_t ns = locks_time(report, &stack->weight);
	struct wait_name wait;
	if (!wait_of(report, stack, &building->waits[at], &wait))
		return;
	stack_frames_of(report, stack->stack, &building->frames);
	if (wait.kind == WAIT_FUTEX)
		wait.kind = kind_by_code(report, &building->frames);
	uint32_t index = lock_for(building, &wait, thread->process);
	struct lock *lock = &building->locks->list.data[index];
	building->waits[at].lock = index;
	building->waits[at].holder = wait.holder;
	if (wait.kind < lock->kind)
		lock->kind = wait.kind; /* a futex that had an owner once is a mutex */
	lock->ns += ns;
	lock->samples += stack->weight.samples;
	building->locks->ns += ns;
	lock_parts_add(&lock->waiters, (uint64_t)thread->tid, thread->name, ns);
	if (wait.holder)
		lock_parts_add(&lock->holders, (uint64_t)wait.holder,
			strpool_intern(&building->locks->names, wait.holder_name), ns);
	size_t own = locks_own_frame(report, &building->frames);
	if (own > 0)
		lock_parts_add(
			&lock->codes, building->frames.data[own].function, NULL, ns);
}

/* Stacks that are said in the same words, as they differ in instructions only, are one. */
static void merge_stacks(struct building *building, struct lock *lock)
{
	struct lock_parts merged = {0};
	struct idmap firsts = {0}; /* (words, 0) -> the first such stack */
	char text[SAID_MOST];
	vec_each (&lock->stacks, part) {
		locks_say_stack(building->report, (uint32_t)part->id, &building->frames,
			text, sizeof(text));
		uint64_t key = (uint64_t)(uintptr_t)strpool_intern(
			&building->locks->names, text);
		const uint32_t *first = idmap_get(&firsts, key, 0);
		if (!first)
			idmap_put(&firsts, key, 0, (uint32_t)part->id);
		lock_parts_add(&merged, first ? *first : part->id, NULL, part->ns);
	}
	idmap_finish(&firsts);
	idmap_finish(&lock->stacks.places);
	vec_free(&lock->stacks);
	lock->stacks = merged;
}

void locks_build(struct locks *locks, const struct report *report)
{
	*locks = (struct locks){.has_moments = report->n_moments > 0};
	struct building building = {
		.locks = locks,
		.report = report,
		.waits = mem_zalloc((report->n_stacks + 1) * sizeof(*building.waits)),
	};
	for (size_t i = 0; i < report->n_stacks; i++)
		add_stack(&building, i);
	holding_add(locks, report, building.waits);
	vec_each (&locks->list, lock) {
		merge_stacks(&building, lock);
		lock_parts_sort(&lock->waiters);
		lock_parts_sort(&lock->holders);
		lock_parts_sort(&lock->codes);
		lock_parts_sort(&lock->stacks);
	}
	if (locks->list.len)
		qsort_r(locks->list.data, locks->list.len, sizeof(*locks->list.data),
			compare_locks, locks);
	free(building.waits);
	vec_free(&building.frames);
	idmap_finish(&building.places);
}

void locks_finish(struct locks *locks)
{
	vec_each (&locks->list, lock) {
		vec_free(&lock->waiters);
		vec_free(&lock->holders);
		vec_free(&lock->codes);
		vec_free(&lock->stacks);
	}
	vec_free(&locks->list);
	strpool_finish(&locks->names);
	*locks = (struct locks){.ns = 0};
}
