/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keep/history.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/keep/stack-move.h"
#include "src/process/waiting.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* A node and its share of the index, which is between a quarter and five eighths
	   empty. */
	NODE_BYTES = sizeof(struct stack_node) + 8 * sizeof(struct idmap_entry) / 3,
};

/* Marks are sums, so one may stand for those of several processes shortly before. */
#define MARKS_APART_NS (50 * NS_PER_MS)

void history_init(struct history *history, bool keep_everything, uint64_t max_age_ns,
	size_t max_bytes)
{
	*history = (struct history){
		.profile = profile_create(),
		.process = PROFILE_NONE,
		.stacktab = stacktab_create(),
		.limits = limits_of(
			keep_everything, max_age_ns, max_bytes, max_bytes / NODE_BYTES),
	};
	history->naming = naming_create(history->profile);
	if (!keep_everything)
		sample_log_init(&history->samples, max_bytes);
}

void history_finish(struct history *history)
{
	sample_log_finish(&history->samples);
	vec_free(&history->threads);
	vec_free(&history->marks);
	vec_free(&history->strains.list);
	vec_free(&history->time_marks);
	accounts_finish(&history->accounts);
	idmap_finish(&history->thread_places);
	stacktab_unref(history->stacktab);
	naming_unref(history->naming);
	profile_unref(history->profile);
}

static struct history_thread *thread_of(struct history *history, pid_t tid)
{
	uint32_t *place = idmap_get(&history->thread_places, (uint64_t)tid, 0);
	if (place)
		return &history->threads.data[*place];
	struct history_thread thread = {
		.tid = tid,
		.process = history->process,
		/* The record with its name was lost to a full ring; the tid is known. */
		.name = "?",
		.thread = PROFILE_NONE,
		.alive = true,
	};
	idmap_put(&history->thread_places, (uint64_t)tid, 0,
		(uint32_t)history->threads.len);
	vec_push(&history->threads, thread);
	return &history->threads.data[history->threads.len - 1];
}

void history_process(struct history *history, uint32_t process)
{
	history->process = process;
}

void history_rename_process(struct history *history, uint32_t old, uint32_t now)
{
	vec_each (&history->threads, thread)
		if (thread->process == old) {
			thread->process = now;
			thread->thread = PROFILE_NONE;
		}
}

void history_name_thread(struct history *history, pid_t tid, const char *name)
{
	struct history_thread *thread = thread_of(history, tid);
	char padded[SNAPSHOT_NAME_BYTES] = "";
	memcpy(padded, name, strnlen(name, sizeof(padded)));
	thread->alive = true;
	if (thread->process == history->process &&
		memcmp(thread->name, padded, sizeof(padded)) == 0)
		return;
	thread->process = history->process;
	thread->thread = PROFILE_NONE;
	memcpy(thread->name, padded, sizeof(padded));
}

uint32_t history_thread_id(struct history *history, struct history_thread *thread)
{
	char name[4 * SNAPSHOT_NAME_BYTES + 1];
	if (thread->thread != PROFILE_NONE)
		return thread->thread;
	clean_text(name, sizeof(name), thread->name, sizeof(thread->name));
	thread->thread = profile_intern_thread_of(
		history->profile, thread->process, thread->tid, name);
	return thread->thread;
}

void history_thread_exit(struct history *history, pid_t tid)
{
	thread_of(history, tid)->alive = false;
}

/* With several processes, the outermost frame of every stack. */
static uint32_t process_frame(const struct history *history)
{
	return profile_process(history->profile, history->process)->frame;
}

static uint32_t root_of(struct history *history)
{
	return history->process == PROFILE_NONE
		       ? UNWIND_ROOT
		       : stacktab_child(
				 history->stacktab, UNWIND_ROOT, process_frame(history));
}

static void add_sample(struct history *history, struct sample *sample)
{
	if (sample->time_ns < history->since_ns)
		sample->time_ns = history->since_ns;
	sample_log_add(&history->samples, sample);
}

void history_add(struct history *history, pid_t tid, uint32_t *locations, size_t length,
	enum unwind_end end, const struct sample *sample)
{
	if (end != UNWIND_ROOT)
		locations[length++] =
			profile_intern_synthetic(history->profile, unwind_end_label(end));
	if (history->process != PROFILE_NONE)
		locations[length++] = process_frame(history);
	struct history_thread *thread = thread_of(history, tid);
	struct sample copy = *sample;
	copy.thread = history_thread_id(history, thread);
	copy.stack = stacktab_intern(history->stacktab, locations, length, end);
	add_sample(history, &copy);

	thread->is_placed = true;
	thread->place = copy.stack;
	if (sample->state != THREAD_BLOCKED)
		return;
	thread->has_slept = true;
	thread->slept = copy.stack;
	if (!stacktab_is_root(copy.stack))
		thread->place = stacktab_node(history->stacktab, copy.stack)->parent;
}

void history_add_pooled(struct history *history, pid_t tid, const struct sample *sample)
{
	struct sample_log *log = &history->samples;
	size_t i = log->len;
	if (sample->cpu_ns == 0)
		return;
	while (i > 0 && sample_log_at(log, i - 1)->pool != sample->pool)
		i--;
	if (i > 0) {
		sample_log_at(log, i - 1)->cpu_ns += sample->cpu_ns;
		return;
	}
	struct history_thread *thread = thread_of(history, tid);
	if (!thread->is_placed)
		return;
	struct sample copy = *sample;
	copy.thread = history_thread_id(history, thread);
	copy.stack = thread->place;
	add_sample(history, &copy);
}

/* The stack of THREAD's last sample with LABEL as its leaf. */
static uint32_t stack_below(
	struct history *history, const struct history_thread *thread, const char *label)
{
	uint32_t leaf = profile_intern_synthetic(history->profile, label);
	uint32_t place = thread->is_placed ? thread->place : root_of(history);
	return stacktab_child(history->stacktab, place, leaf);
}

static void charge(
	struct history *history, struct history_thread *thread, struct sample *sample)
{
	if (!sample->wall_ns && !sample->count)
		return;
	sample->thread = history_thread_id(history, thread);
	add_sample(history, sample);
}

void history_charge_runq(
	struct history *history, pid_t tid, uint64_t time_ns, uint64_t runq_ns)
{
	if (!runq_ns)
		return;
	struct history_thread *thread = thread_of(history, tid);
	struct sample sample = {
		.time_ns = time_ns,
		.wall_ns = runq_ns,
		.stack = stack_below(history, thread, WAITING_FOR_CPU),
		.state = THREAD_RUNNABLE,
	};
	charge(history, thread, &sample);
}

void history_charge_running(
	struct history *history, pid_t tid, uint64_t time_ns, uint64_t wall_ns)
{
	struct history_thread *thread = thread_of(history, tid);
	struct sample sample = {
		.time_ns = time_ns,
		.wall_ns = wall_ns,
		.stack = thread->place,
		.state = THREAD_RUNNING,
	};
	if (thread->is_placed && wall_ns)
		charge(history, thread, &sample);
}

void history_charge_blocked(struct history *history, pid_t tid, uint64_t time_ns,
	uint64_t blocked_ns, uint32_t count)
{
	if (!blocked_ns && !count)
		return;
	struct history_thread *thread = thread_of(history, tid);
	struct sample sample = {
		.time_ns = time_ns,
		.wall_ns = blocked_ns,
		.stack = thread->has_slept ? thread->slept
					   : stack_below(history, thread, WAITING_UNSEEN),
		.count = count,
		.state = THREAD_BLOCKED,
	};
	charge(history, thread, &sample);
}

void history_change_wait(struct history *history, pid_t tid, uint32_t leaf)
{
	struct history_thread *thread = thread_of(history, tid);
	if (!thread->has_slept || stacktab_is_root(thread->slept))
		return;
	uint32_t parent = stacktab_node(history->stacktab, thread->slept)->parent;
	thread->slept = stacktab_child(history->stacktab, parent, leaf);
}

void history_contend(struct history *history, pid_t tid)
{
	struct history_thread *thread = thread_of(history, tid);
	thread->has_contended = thread->has_slept;
	thread->contended = thread->slept;
}

void history_witness(struct history *history, pid_t tid, uint64_t time_ns)
{
	struct history_thread *thread = thread_of(history, tid);
	if (!thread->has_contended)
		return;
	struct sample sample = {
		.time_ns = time_ns,
		.thread = history_thread_id(history, thread),
		.stack = thread->contended,
		.state = THREAD_BLOCKED,
	};
	add_sample(history, &sample);
}

void history_mark(struct history *history, uint64_t time_ns, uint64_t cpu_ns)
{
	size_t len = history->marks.len;
	/* The marks of several processes may come slightly out of order. */
	if (len && history->marks.data[len - 1].time_ns > time_ns)
		time_ns = history->marks.data[len - 1].time_ns;
	history->charged_ns = cpu_ns;
	struct cpu_mark mark = {.time_ns = time_ns, .cpu_ns = cpu_ns};
	if (len > 1 && time_ns - history->marks.data[len - 2].time_ns < MARKS_APART_NS)
		history->marks.data[len - 1] = mark;
	else
		vec_push(&history->marks, mark);
}

void history_add_time_mark(struct history *history, const struct time_mark *mark)
{
	size_t len = history->time_marks.len;
	struct time_mark *marks = history->time_marks.data;
	if (len >= TIME_MARKS_MOST) {
		memmove(marks, marks + 1, (len - 1) * sizeof(*marks));
		history->time_marks.len--;
	}
	vec_push(&history->time_marks, *mark);
	marks = history->time_marks.data;
	for (size_t i = history->time_marks.len - 1;
		i > 0 && marks[i - 1].time_ns > mark->time_ns; i--) {
		marks[i] = marks[i - 1];
		marks[i - 1] = *mark;
	}
}

void history_move_stacks(
	struct history *history, const struct idmap *renamed, struct renewal *renewal)
{
	struct stacktab *fresh = stacktab_create();
	struct stack_move move = {
		.from = history->stacktab,
		.to = fresh,
		.renamed = renamed,
		.renewal = renewal,
	};
	for (size_t i = 0; i < history->samples.len; i++)
		stack_move(&move, &sample_log_at(&history->samples, i)->stack);
	vec_each (&history->threads, thread) {
		if (!thread->is_placed)
			continue;
		stack_move(&move, &thread->place);
		if (thread->has_slept)
			stack_move(&move, &thread->slept);
		if (thread->has_contended)
			stack_move(&move, &thread->contended);
	}
	stack_move_finish(&move);
	history->renamings += renamed != NULL;
	stacktab_unref(history->stacktab);
	history->stacktab = fresh;
}

size_t history_memory(const struct history *history)
{
	size_t stacks = (size_t)stacktab_nodes(history->stacktab) * NODE_BYTES;
	size_t threads = history->threads.cap * sizeof(*history->threads.data);
	size_t marks = history->marks.cap * sizeof(*history->marks.data);
	size_t names = profile_bytes(history->profile);
	size_t accounts = history->accounts.slices.cap * sizeof(struct account_slice);
	return sample_log_bytes(&history->samples) + stacks + threads + marks + names +
	       accounts;
}
