/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keep/retention.h"

#include "src/base/clock.h"
#include "src/keep/condense.h"

#include <string.h>

/* Half of what a pause is (src/count/report-build.c). */
#define THIN_APART_NS NS_PER_SEC

enum {
	LEAST_NODES_KEPT = 1024, /* fewer would not make a recording smaller */
};

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

/* --- marks and threads -------------------------------------------------------------- */

/* Forget the COUNT oldest. */
static void drop_marks(struct history *history, size_t count)
{
	history->marks.len -= count;
	memmove(history->marks.data, history->marks.data + count,
		history->marks.len * sizeof(*history->marks.data));
}

/* Forget marks older than OLDEST_NS; many at once, because the others have to be
   moved. */
static void trim_marks(struct history *history, uint64_t oldest_ns)
{
	size_t old = 0;
	while (old < history->marks.len && history->marks.data[old].time_ns < oldest_ns)
		old++;
	if (old >= 1024)
		drop_marks(history, old);
}

/* Of a recording: leave out every second one, but none between pauses, which are longer than
   this. Done again when there are twice as many. */
static void thin_marks(struct history *history)
{
	size_t kept = 0, len = history->marks.len;
	struct cpu_mark *marks = history->marks.data;
	for (size_t i = 0; i < len; i++) {
		bool was_kept = kept > 0 && i > 0 &&
				marks[kept - 1].time_ns == marks[i - 1].time_ns;
		if (!was_kept || i + 1 == len ||
			marks[i + 1].time_ns - marks[kept - 1].time_ns > THIN_APART_NS)
			marks[kept++] = marks[i];
	}
	history->marks.len = kept;
	history->limits.thin_at = kept * 2 > LIMITS_MARKS ? kept * 2 : LIMITS_MARKS;
}

/* Drop threads that have ended: samples refer to threads of the profile, not to these
   entries. */
static void trim_threads(struct history *history)
{
	size_t alive = 0;
	vec_each (&history->threads, thread)
		alive += thread->alive;
	if (history->threads.len < 1024 || alive * 2 > history->threads.len)
		return;
	idmap_clear(&history->thread_places);
	size_t kept = 0;
	for (size_t i = 0; i < history->threads.len; i++) {
		struct history_thread thread = history->threads.data[i];
		if (!thread.alive)
			continue;
		idmap_put(
			&history->thread_places, (uint64_t)thread.tid, 0, (uint32_t)kept);
		history->threads.data[kept++] = thread;
	}
	history->threads.len = kept;
}

/* What the kernel has told of ended threads without samples is in no row. A recording joins it
   for the sums. Done again when there are twice as many. */
static void leave_out_unsampled(struct history *history)
{
	struct accounts *accounts = &history->accounts;
	struct idmap sampled = {0}; /* (tid, 0) */
	for (size_t i = 0; i < history->samples.len; i++) {
		uint32_t thread = sample_log_at(&history->samples, i)->thread;
		pid_t tid = profile_thread(history->profile, thread)->tid;
		idmap_put(&sampled, (uint64_t)tid, 0, 0);
	}
	if (history->limits.keep_everything)
		accounts_merge_ended(accounts, &sampled);
	else
		accounts_drop_ended(accounts, &sampled);
	size_t twice = accounts->lives.len * 2;
	history->limits.lives_at = twice > LIMITS_THREADS ? twice : LIMITS_THREADS;
	idmap_finish(&sampled);
}

/* --- trim --------------------------------------------------------------------------- */

/* Keep only the stacks that are in use. This is done again when the table has grown to
   twice their number. If the stacks in use fill more than half of the table, the older
   half of the samples is dropped; if then still too many are in use, because there are so
   many threads, the table may grow by a quarter. */
static void restack(struct history *history)
{
	history_move_stacks(history, NULL, NULL);
	uint32_t most = history->limits.stacktab_most;
	if (stacktab_nodes(history->stacktab) > most / 2) {
		sample_log_drop(&history->samples, history->samples.len / 2);
		history_move_stacks(history, NULL, NULL);
	}
	uint32_t live = stacktab_nodes(history->stacktab);
	uint32_t limit = live * 2 > LIMITS_STACKTAB ? live * 2 : LIMITS_STACKTAB;
	limit = smaller(limit, most);
	history->limits.stacktab_limit =
		limit > live + live / 4 ? limit : live + live / 4;
}

/* Merge equal samples of a short time; of a longer one, if too many are left. Done again when
   there are twice as many. */
static void compact(struct history *history)
{
	struct limits *limits = &history->limits;
	sample_log_compact(&history->samples, limits->span_ns);
	while (history->samples.len > LIMITS_COMPACT_AT / 2 &&
		limits->span_ns < LIMITS_SPAN_MOST_NS) {
		limits->span_ns *= 2;
		sample_log_compact(&history->samples, limits->span_ns);
	}
	if (history->samples.len > LIMITS_COMPACT_AT / 2)
		sample_log_compact(&history->samples, UINT64_MAX);
	size_t twice = history->samples.len * 2;
	limits->compact_at = twice > LIMITS_COMPACT_AT ? twice : LIMITS_COMPACT_AT;
}

void retention_trim(struct history *history, uint64_t now_ns)
{
	if (history->accounts.lives.len >= history->limits.lives_at)
		leave_out_unsampled(history);
	if (history->limits.keep_everything) {
		accounts_trim(&history->accounts, 0, true);
		strains_trim(&history->strains, now_ns);
		trim_threads(history);
		if (history->marks.len >= history->limits.thin_at)
			thin_marks(history);
		if (history->samples.len >= history->limits.compact_at)
			compact(history);
		return;
	}
	uint64_t oldest_ns = now_ns > history->limits.max_age_ns
				     ? now_ns - history->limits.max_age_ns
				     : 0;
	sample_log_expire(&history->samples, oldest_ns);
	trim_marks(history, oldest_ns);
	strains_trim(&history->strains, oldest_ns);
	accounts_trim(&history->accounts, oldest_ns, false);
	trim_threads(history);
	if (stacktab_nodes(history->stacktab) > history->limits.stacktab_limit)
		restack(history);
}

/* --- forget ------------------------------------------------------------------------- */

/* The last mark before TIME_NS stays: the next interval begins there. */
static void forget_marks(struct history *history, uint64_t time_ns)
{
	size_t old = 0, len = history->marks.len;
	while (old + 1 < len && history->marks.data[old + 1].time_ns <= time_ns)
		old++;
	if (old > 0)
		drop_marks(history, old);
}

void retention_forget(struct history *history, uint64_t time_ns)
{
	sample_log_expire(&history->samples, time_ns);
	history->since_ns = time_ns;
	history->limits.span_ns = LIMITS_SPAN_FIRST_NS;
	forget_marks(history, time_ns);
	accounts_trim(&history->accounts, time_ns, false);
	trim_threads(history);
	restack(history);
}

void retention_clear(struct history *history)
{
	sample_log_clear(&history->samples);
	history->strains.list.len = 0;
	history->time_marks.len = 0;
	/* The newest mark stays: the next interval begins there. */
	if (history->marks.len > 1)
		drop_marks(history, history->marks.len - 1);
	restack(history);
}

/* --- condense ----------------------------------------------------------------------- */

/* Marks are not among it. */
static size_t can_be_condensed(const struct history *history)
{
	return history_memory(history) -
	       history->marks.cap * sizeof(*history->marks.data);
}

bool retention_wants_condensing(const struct history *history)
{
	const struct limits *limits = &history->limits;
	return limits->keep_everything &&
	       (can_be_condensed(history) > limits->full_bytes ||
		       history->profile->threads->len > limits->full_threads);
}

void retention_condense(struct history *history)
{
	struct idmap alive = {0};
	vec_each (&history->threads, thread)
		if (thread->alive && thread->thread != PROFILE_NONE)
			idmap_put(&alive, thread->thread, 0, 0);
	condense_threads(&history->samples, &history->accounts, history->profile,
		history->limits.threads_kept, &alive);
	condense_stacks(&history->samples, history->stacktab, history->profile,
		history->limits.nodes_kept, history->profile->processes->len > 0);
	idmap_finish(&alive);
	compact(history);
	history->limits.is_condensed = true;
}

/* --- renew -------------------------------------------------------------------------- */

bool retention_wants_renewal(const struct history *history)
{
	return profile_bytes(history->profile) > history->limits.worn_bytes;
}

/* After condensing: if the rest is still more than half of the limit, condense again at
   once, to half as many nodes and threads; if these are as few as they may be, raise the
   limit to twice the rest. */
static void plan_condensing(struct history *history)
{
	if (!history->limits.is_condensed)
		return;
	history->limits.is_condensed = false;
	size_t threads = history->profile->threads->len * 2;
	history->limits.full_threads =
		threads > LIMITS_THREADS ? threads : LIMITS_THREADS;
	size_t bytes = can_be_condensed(history);
	bool again = bytes > LIMITS_RECORD_BYTES / 2 &&
		     history->limits.nodes_kept > LEAST_NODES_KEPT;
	history->limits.nodes_kept =
		again ? history->limits.nodes_kept / 2 : LIMITS_NODES_KEPT;
	history->limits.threads_kept =
		again ? history->limits.threads_kept / 2 : LIMITS_THREADS_KEPT;
	history->limits.full_bytes = again ? 0
				     : bytes > LIMITS_RECORD_BYTES / 2
					     ? bytes * 2
					     : LIMITS_RECORD_BYTES;
}

/* The next renewal is due when the names have grown to twice those in use. If those in
   use are more than half of what is allowed, the older half of the samples is dropped,
   and another renewal is wanted at once. */
static void plan_renewal(struct history *history)
{
	size_t live = profile_bytes(history->profile);
	history->limits.worn_bytes =
		live * 2 > LIMITS_WORN_BYTES ? live * 2 : LIMITS_WORN_BYTES;
	if (live <= history->limits.names_most / 2)
		return;
	bool some = history->samples.len > 1;
	sample_log_drop(&history->samples, history->samples.len / 2);
	history->limits.worn_bytes = some ? live / 2 : live + live / 4;
}

void retention_renew(struct history *history, struct renewal *renewal)
{
	history_move_stacks(history, NULL, renewal);
	for (size_t i = 0; i < history->samples.len; i++) {
		struct sample *sample = sample_log_at(&history->samples, i);
		sample->thread = renewal_thread(renewal, sample->thread);
	}
	vec_each (&history->threads, thread) {
		thread->process = renewal_process(renewal, thread->process);
		if (thread->thread != PROFILE_NONE)
			thread->thread = renewal_thread(renewal, thread->thread);
	}
	history->process = renewal_process(renewal, history->process);
	naming_unref(history->naming);
	profile_unref(history->profile);
	history->profile = profile_ref(renewal->to);
	history->naming = naming_create(history->profile);
	if (history->limits.keep_everything)
		plan_condensing(history);
	else
		plan_renewal(history);
}
