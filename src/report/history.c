/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/history.h"

#include "src/report/condense.h"
#include "src/report/stack-move.h"
#include "src/target/waiting.h"

#include <stdlib.h>
#include <string.h>

enum {
	/* A node and its place in the index, which is a quarter to five eighths empty. */
	NODE_BYTES = sizeof(struct stack_node) + 8 * sizeof(struct map_entry) / 3,
	FIRST_STACKTAB_LIMIT = 500 * 1000, /* nodes */
	FIRST_COMPACT_AT = 512 * 1024,	   /* samples, when everything is kept */
	WORN_BYTES = 16 * 1024 * 1024,	   /* of names */
	RECORD_BYTES = 48 * 1024 * 1024,   /* then a recording is condensed */
	FIRST_NODES_KEPT = 128 * 1024,	   /* by that; half of it if it is not enough */
	LEAST_NODES_KEPT = 1024,
	FIRST_THREADS_KEPT = 8 * 1024,
};

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

void history_init(struct history *history, bool keep_everything, uint64_t max_age_ns,
	size_t max_bytes)
{
	size_t most = max_bytes / NODE_BYTES;
	*history = (struct history){
		.profile = profile_create(),
		.process = PROFILE_NONE,
		.stacktab = stacktab_create(),
		.stacktab_most = most < UINT32_MAX ? (uint32_t)most : UINT32_MAX,
		.keep_everything = keep_everything,
		.max_age_ns = max_age_ns,
		.names_most = keep_everything ? SIZE_MAX : max_bytes,
		.worn_bytes = WORN_BYTES,
		.compact_at = FIRST_COMPACT_AT,
		.full_bytes = RECORD_BYTES,
		.nodes_kept = FIRST_NODES_KEPT,
		.threads_kept = FIRST_THREADS_KEPT,
	};
	history->naming = naming_create(history->profile);
	history->stacktab_limit = smaller(FIRST_STACKTAB_LIMIT, history->stacktab_most);
	if (!keep_everything)
		window_init(&history->samples, max_bytes);
}

void history_finish(struct history *history)
{
	window_finish(&history->samples);
	vec_free(&history->threads);
	vec_free(&history->marks);
	accounts_finish(&history->accounts);
	map_finish(&history->thread_places);
	stacktab_unref(history->stacktab);
	naming_unref(history->naming);
	profile_unref(history->profile);
}

static struct history_thread *thread_of(struct history *history, pid_t tid)
{
	uint32_t *place = map_get(&history->thread_places, (uint64_t)tid, 0);
	if (place)
		return &history->threads.data[*place];
	struct history_thread thread = {
		.tid = tid,
		/* Its record was lost to a full ring: it has a tid at least. */
		.thread = profile_intern_thread_of(
			history->profile, history->process, tid, "?"),
		.alive = true,
	};
	map_put(&history->thread_places, (uint64_t)tid, 0,
		(uint32_t)history->threads.len);
	vec_push(&history->threads, thread);
	return &history->threads.data[history->threads.len - 1];
}

void history_process(struct history *history, uint32_t process)
{
	history->process = process;
}

void history_name_thread(struct history *history, pid_t tid, const char *name)
{
	struct history_thread *thread = thread_of(history, tid);
	thread->thread =
		profile_intern_thread_of(history->profile, history->process, tid, name);
	thread->alive = true;
}

void history_thread_exit(struct history *history, pid_t tid)
{
	thread_of(history, tid)->alive = false;
}

/* The outermost frame of every stack of several processes. */
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
	window_add(&history->samples, sample);
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
	copy.thread = thread->thread;
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

/* TID's last place, with LABEL below it. */
static uint32_t stack_below(
	struct history *history, const struct history_thread *thread, const char *label)
{
	uint32_t leaf = profile_intern_synthetic(history->profile, label);
	uint32_t place = thread->is_placed ? thread->place : root_of(history);
	return stacktab_child(history->stacktab, place, leaf);
}

static void charge(struct history *history, const struct history_thread *thread,
	struct sample *sample)
{
	sample->thread = thread->thread;
	if (sample->wall_ns || sample->count)
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

void history_mark(struct history *history, uint64_t time_ns, uint64_t cpu_ns)
{
	size_t len = history->marks.len;
	/* Those of several processes may come a little out of order. */
	if (len && history->marks.data[len - 1].time_ns > time_ns)
		time_ns = history->marks.data[len - 1].time_ns;
	history->charged_ns = cpu_ns;
	vec_push(
		&history->marks, (struct cpu_mark){.time_ns = time_ns, .cpu_ns = cpu_ns});
}

/* Forget the COUNT oldest. */
static void drop_marks(struct history *history, size_t count)
{
	history->marks.len -= count;
	memmove(history->marks.data, history->marks.data + count,
		history->marks.len * sizeof(*history->marks.data));
}

/* Forget marks older than OLDEST_NS; done in bulk, because it moves the rest. */
static void trim_marks(struct history *history, uint64_t oldest_ns)
{
	size_t old = 0;
	while (old < history->marks.len && history->marks.data[old].time_ns < oldest_ns)
		old++;
	if (old >= 1024 && old * 2 >= history->marks.len)
		drop_marks(history, old);
}

/* Samples know their thread themselves; only of the living more may come. */
static void trim_threads(struct history *history)
{
	size_t alive = 0;
	vec_each (&history->threads, thread)
		alive += thread->alive;
	if (history->threads.len < 1024 || alive * 2 > history->threads.len)
		return;
	map_clear(&history->thread_places);
	size_t kept = 0;
	for (size_t i = 0; i < history->threads.len; i++) {
		struct history_thread thread = history->threads.data[i];
		if (!thread.alive)
			continue;
		map_put(&history->thread_places, (uint64_t)thread.tid, 0, (uint32_t)kept);
		history->threads.data[kept++] = thread;
	}
	history->threads.len = kept;
}

/* Start a table that holds only the stacks of the samples there are. */
static void copy_live_stacks(
	struct history *history, const struct map *renamed, struct renewal *renewal)
{
	struct stacktab *fresh = stacktab_create();
	struct stack_move move = {
		.from = history->stacktab,
		.to = fresh,
		.renamed = renamed,
		.renewal = renewal,
	};
	for (size_t i = 0; i < history->samples.len; i++)
		stack_move(&move, &window_at(&history->samples, i)->stack);
	vec_each (&history->threads, thread) {
		if (!thread->is_placed)
			continue;
		stack_move(&move, &thread->place);
		if (thread->has_slept)
			stack_move(&move, &thread->slept);
	}
	stack_move_finish(&move);
	stacktab_unref(history->stacktab);
	history->stacktab = fresh;
}

/* Leave room for as much again, so that the work is repaid before it is due again; in a
   table of the largest size that takes giving up the older half of the samples. Where
   threads are so many that their own stacks fill it, some room all the same. */
static void restack(struct history *history)
{
	copy_live_stacks(history, NULL, NULL);
	uint32_t most = history->stacktab_most;
	if (stacktab_nodes(history->stacktab) > most / 2) {
		window_drop(&history->samples, history->samples.len / 2);
		copy_live_stacks(history, NULL, NULL);
	}
	uint32_t live = stacktab_nodes(history->stacktab);
	uint32_t limit =
		live * 2 > FIRST_STACKTAB_LIMIT ? live * 2 : FIRST_STACKTAB_LIMIT;
	limit = smaller(limit, most);
	history->stacktab_limit = limit > live + live / 4 ? limit : live + live / 4;
}

/* Not again before there are twice as many. */
static void compact(struct history *history)
{
	window_compact(&history->samples);
	size_t twice = history->samples.len * 2;
	history->compact_at = twice > FIRST_COMPACT_AT ? twice : FIRST_COMPACT_AT;
}

void history_trim(struct history *history, uint64_t now_ns)
{
	if (history->keep_everything) {
		accounts_trim(&history->accounts, 0, true);
		trim_threads(history);
		if (history->samples.len >= history->compact_at)
			compact(history);
		return;
	}
	uint64_t oldest_ns =
		now_ns > history->max_age_ns ? now_ns - history->max_age_ns : 0;
	window_expire(&history->samples, oldest_ns);
	trim_marks(history, oldest_ns);
	accounts_trim(&history->accounts, oldest_ns, false);
	trim_threads(history);
	if (stacktab_nodes(history->stacktab) > history->stacktab_limit)
		restack(history);
}

void history_rename(struct history *history, const struct map *renamed)
{
	copy_live_stacks(history, renamed, NULL);
}

/* The mark before TIME_NS stays: it is where the next interval begins. */
static void forget_marks(struct history *history, uint64_t time_ns)
{
	size_t old = 0, len = history->marks.len;
	while (old + 1 < len && history->marks.data[old + 1].time_ns <= time_ns)
		old++;
	if (old > 0)
		drop_marks(history, old);
}

void history_forget(struct history *history, uint64_t time_ns)
{
	window_expire(&history->samples, time_ns);
	history->since_ns = time_ns;
	forget_marks(history, time_ns);
	accounts_trim(&history->accounts, time_ns, false);
	trim_threads(history);
	restack(history);
}

void history_clear(struct history *history)
{
	window_clear(&history->samples);
	/* Keep the newest mark: it is where the next interval begins. */
	if (history->marks.len > 1)
		drop_marks(history, history->marks.len - 1);
	restack(history);
}

size_t history_memory(const struct history *history)
{
	size_t stacks = (size_t)stacktab_nodes(history->stacktab) * NODE_BYTES;
	size_t threads = history->threads.cap * sizeof(*history->threads.data);
	size_t marks = history->marks.cap * sizeof(*history->marks.data);
	size_t names = profile_bytes(history->profile);
	size_t accounts = history->accounts.slices.cap * sizeof(struct account_slice);
	return window_bytes(&history->samples) + stacks + threads + marks + names +
	       accounts;
}

bool history_is_worn(const struct history *history)
{
	return profile_bytes(history->profile) > history->worn_bytes;
}

/* If what is left of a recording is still much, it is to become less at once; unless that
   did not help. */
static void plan_condensing(struct history *history)
{
	if (!history->is_condensed)
		return;
	history->is_condensed = false;
	size_t bytes = history_memory(history);
	bool again = bytes > RECORD_BYTES / 2 && history->nodes_kept > LEAST_NODES_KEPT;
	history->nodes_kept = again ? history->nodes_kept / 2 : FIRST_NODES_KEPT;
	history->threads_kept = again ? history->threads_kept / 2 : FIRST_THREADS_KEPT;
	history->full_bytes = again			 ? 0
			      : bytes > RECORD_BYTES / 2 ? bytes * 2
							 : RECORD_BYTES;
}

/* As restack does: room for as much again; and if there is none, fewer samples. */
static void plan_renewal(struct history *history)
{
	size_t live = profile_bytes(history->profile);
	history->worn_bytes = live * 2 > WORN_BYTES ? live * 2 : WORN_BYTES;
	if (live <= history->names_most / 2)
		return;
	bool some = history->samples.len > 1;
	window_drop(&history->samples, history->samples.len / 2);
	history->worn_bytes = some ? live / 2 : live + live / 4;
}

void history_renew(struct history *history, struct renewal *renewal)
{
	copy_live_stacks(history, NULL, renewal);
	for (size_t i = 0; i < history->samples.len; i++) {
		struct sample *sample = window_at(&history->samples, i);
		sample->thread = renewal_thread(renewal, sample->thread);
	}
	vec_each (&history->threads, thread)
		thread->thread = renewal_thread(renewal, thread->thread);
	history->process = renewal_process(renewal, history->process);
	naming_unref(history->naming);
	profile_unref(history->profile);
	history->profile = profile_ref(renewal->to);
	history->naming = naming_create(history->profile);
	if (history->keep_everything)
		plan_condensing(history);
	else
		plan_renewal(history);
}

bool history_is_full(const struct history *history)
{
	return history->keep_everything && history_memory(history) > history->full_bytes;
}

void history_condense(struct history *history)
{
	struct map alive = {0};
	vec_each (&history->threads, thread)
		if (thread->alive)
			map_put(&alive, thread->thread, 0, 0);
	window_compact(&history->samples);
	condense_threads(&history->samples, &history->accounts, history->profile,
		history->threads_kept, &alive);
	condense_stacks(&history->samples, history->stacktab, history->profile,
		history->nodes_kept, history->profile->processes->len > 0);
	map_finish(&alive);
	compact(history);
	history->is_condensed = true;
}
