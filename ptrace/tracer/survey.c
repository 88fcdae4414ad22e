/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The accounts of all threads: how long each was on a CPU, and how long it waited for
   one. schedstat says this exactly, and the lookout reads it for all threads when a
   survey is due: four times a second, ten times if accounts_soon is set, less often with
   very many threads. Only accounts
   that have changed are reported. */

#include "ptrace/threads/account.h"
#include "ptrace/threads/successor.h"
#include "ptrace/tracer/tracing.h"
#include "src/base/clock.h"

#include <string.h>

enum {
	SURVEY_EVERY_MS = 250,
	SURVEY_SOON_MS = 100,
	SURVEY_THREADS = 1000, /* with twice as many threads, half as often */
	SURVEYED_MOST = 256,   /* with more threads, not all are read at the end */
};

static bool has_room(const struct sampling *sampling)
{
	return ring_waiting(sampling->ring) * 2 < ring_slots(sampling->ring);
}

void sampling_introduce(struct sampling *sampling, struct thread *thread)
{
	if (!has_room(sampling))
		return; /* the room is for samples */
	struct snapshot record = {
		.kind = SNAPSHOT_THREAD,
		.tid = thread->tid,
		.from_ns = thread->told.time_ns,
	};
	memcpy(record.name, thread->name, sizeof(record.name));
	thread->introduced = sampling_put(sampling, &record);
}

/* False if it has ended. */
static bool add_newcomer(struct sampling *sampling, pid_t tid, uint64_t now_ns)
{
	struct thread *thread = threads_add(&sampling->threads, tid, false, now_ns);
	if (!threads_meet(&sampling->threads, thread, &sampling->target, now_ns)) {
		threads_remove(&sampling->threads, thread);
		return false;
	}
	sampling_introduce(sampling, thread);
	meter_add(&sampling->meter->threads_seen, 1);
	sampling->changed_ns = now_ns;
	return true;
}

bool sampling_find_newcomers(struct sampling *sampling)
{
	struct threads *threads = &sampling->threads;
	uint64_t now_ns = clock_monotonic_ns();
	bool any = false;
	if (sampling->is_listing || threads->len > NEWCOMERS_AMONG ||
		!newcomers_may_list(&sampling->newcomers, now_ns) ||
		!newcomers_are_likely(&sampling->newcomers,
			clock_read_ns(sampling->target.cpu_clock), threads->used_ns))
		return false;
	/* Not threads_list: the lookout shall find that their number has changed. */
	if (task_list_read(sampling->target.task_dir_fd, &threads->list))
		vec_each (&threads->list, tid)
			if (!threads_find(threads, *tid))
				any |= add_newcomer(sampling, *tid, now_ns);
	newcomers_listed(&sampling->newcomers, now_ns, clock_monotonic_ns(), any);
	return any;
}

bool sampling_tell_account(
	struct sampling *sampling, struct thread *thread, uint64_t now_ns)
{
	struct thread_told before = thread->told;
	struct snapshot record = {
		.kind = SNAPSHOT_ACCOUNT,
		.tid = thread->tid,
		.from_ns = before.time_ns,
	};
	struct account_share share = account_settle(&thread->told, thread, now_ns);
	record.cpu_ns = share.cpu_ns;
	record.runq_ns = share.runq_ns;
	if ((!share.cpu_ns && !share.runq_ns) || sampling_put(sampling, &record))
		return true;
	thread->told = before;
	return false;
}

static bool tell_survey(struct sampling *sampling, uint64_t time_ns)
{
	struct snapshot record = {.kind = SNAPSHOT_SURVEY, .from_ns = time_ns};
	return sampling_put(sampling, &record);
}

bool sampling_survey_is_due(const struct sampling *sampling, uint64_t now_ns)
{
	unsigned often_ms = sampling->tracing->options->accounts_soon ? SURVEY_SOON_MS
								      : SURVEY_EVERY_MS;
	uint64_t every_ns =
		often_ms * NS_PER_MS * (1 + sampling->threads.len / SURVEY_THREADS);
	return sampling->survey_cursor == 0 && now_ns - sampling->survey_ns >= every_ns;
}

/* The process clock stands at CPU_NS: what it has run on since it was last read is charged to
   the process, but for pauses. Returns all that was charged. */
static uint64_t charge(struct sampling *sampling, uint64_t cpu_ns)
{
	struct meter *meter = sampling->meter;
	if (!sampling->hz) {
		sampling->cpu_base_ns += cpu_ns - sampling->cpu_last_ns;
		meter_set(&meter->cpu_base_ns, sampling->cpu_base_ns);
	}
	sampling->cpu_last_ns = cpu_ns;
	meter_set(&meter->cpu_kernel_ns, cpu_ns - sampling->cpu_base_ns);
	return cpu_ns - sampling->cpu_base_ns;
}

void sampling_survey(struct sampling *sampling, uint64_t now_ns)
{
	const struct threads *threads = &sampling->threads;
	if (sampling_survey_is_due(sampling, now_ns))
		sampling->survey_ns = now_ns;
	else if (sampling->survey_cursor == 0)
		return;
	while (sampling->survey_cursor < threads->len && has_room(sampling)) {
		struct thread *thread = threads->data[sampling->survey_cursor++];
		if (!thread->is_met)
			continue;
		if (!thread->introduced) /* the ring was full when the thread was found */
			sampling_introduce(sampling, thread);
		sampling_tell_account(sampling, thread, now_ns);
	}
	if (sampling->survey_cursor >= threads->len &&
		tell_survey(sampling, sampling->survey_ns))
		sampling->survey_cursor = 0;
}

bool sampling_refresh(struct sampling *sampling, struct thread *thread)
{
	struct task_account account;
	if (thread->is_unread || !successor_read_account(&sampling->threads, thread,
					 &sampling->target, &account))
		return false;
	thread->seen.account = account;
	return true;
}

void sampling_refresh_last(struct sampling *sampling)
{
	const struct threads *threads = &sampling->threads;
	/* With very many threads, the process clock tells whether resting ones have run
	   since their last looks. */
	bool all = threads->len <= SURVEYED_MOST ||
		   !rota_is_explained(&sampling->rota, threads);
	for (size_t i = 0; i < threads->len; i++) {
		struct thread *thread = threads->data[i];
		if (all || thread->rest.awake_place)
			sampling_refresh(sampling, thread);
	}
}

void sampling_write_off(struct sampling *sampling)
{
	struct meter *meter = sampling->meter;
	uint64_t cpu_ns = clock_read_ns(sampling->target.cpu_clock);
	uint64_t known_ns = sampling->cpu_base_ns + meter_get(&meter->cpu_sampled_ns) -
			    meter_get(&meter->cpu_adopted_ns);
	if (cpu_ns > known_ns) /* it is 0 if the process has been waited for */
		meter_set(&meter->cpu_unsampled_ns, cpu_ns - known_ns);
	sampling->pool = (struct pool){0};
}

/* In a pause there are no marks, so the last one is of its beginning. */
void sampling_take_over(struct sampling *sampling)
{
	const struct meter *meter = sampling->meter;
	uint64_t cpu_ns = clock_read_ns(sampling->target.cpu_clock);
	sampling->cpu_base_ns = meter_get(&meter->cpu_base_ns);
	sampling->cpu_last_ns = sampling->cpu_base_ns + meter_get(&meter->cpu_kernel_ns);
	if (meter_get(&meter->paused_from_ns) && cpu_ns > sampling->cpu_last_ns)
		charge(sampling, cpu_ns); /* hz is 0 still */
	sampling_write_off(sampling);
}

bool sampling_survey_last(struct sampling *sampling, uint64_t now_ns)
{
	const struct threads *threads = &sampling->threads;
	for (size_t i = 0; i < threads->len; i++) {
		struct thread *thread = threads->data[i];
		if (thread->told.time_ns < now_ns &&
			!sampling_tell_account(sampling, thread, now_ns))
			return false;
	}
	return tell_survey(sampling, now_ns);
}

void sampling_mark_at(struct sampling *sampling, uint64_t cpu_ns, uint64_t now_ns)
{
	if (cpu_ns < sampling->cpu_last_ns)
		return; /* it has ended: keep what was read last */
	sampling->marked_ns = now_ns;
	uint64_t charged_ns = charge(sampling, cpu_ns);
	struct snapshot record = {.kind = SNAPSHOT_MARK,
		.cpu_ns = charged_ns + meter_get(&sampling->meter->cpu_adopted_ns),
		.from_ns = now_ns};
	sampling_put(sampling, &record);
}

void sampling_mark(struct sampling *sampling, uint64_t now_ns)
{
	sampling_mark_at(sampling, clock_read_ns(sampling->target.cpu_clock), now_ns);
}

/* --- pauses: neither their time nor their CPU time counts ------------------------------- */

void sampling_count_pause(struct sampling *sampling, uint64_t now_ns)
{
	struct meter *meter = sampling->meter;
	uint64_t from_ns = meter_get(&meter->paused_from_ns);
	if (!sampling->hz && !from_ns)
		meter_set(&meter->paused_from_ns, now_ns);
	if (sampling->hz && from_ns) {
		meter_set(&meter->paused_from_ns, 0);
		meter_add(&meter->paused_ns, now_ns - from_ns);
	}
}

void sampling_rebase(struct sampling *sampling, uint64_t now_ns)
{
	sampling_mark(sampling, now_ns);
	for (size_t i = 0; i < sampling->threads.len; i++) {
		struct thread *thread = sampling->threads.data[i];
		if (sampling_refresh(sampling, thread))
			thread->sampled.cpu_ns = thread->seen.account.cpu_ns;
	}
	sampling_wait_rebase(sampling, now_ns);
	sampling_write_off(sampling);
}

void sampling_begin_pause(struct sampling *sampling, uint64_t now_ns)
{
	sampling_wait_flush(sampling, now_ns);
	sampling_mark(sampling, now_ns);
	sampling->hz = 0;
	sampling_count_pause(sampling, now_ns);
}
