/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/link/subjects.h"

#include "src/base/clock.h"
#include "src/facts/meter.h"

#include <unistd.h>

void subjects_finish(struct subjects *subjects)
{
	vec_free(&subjects->list);
}

void subjects_add(
	struct subjects *subjects, const struct target *target, struct ring *ring)
{
	struct subject fresh = {
		.pid = target->pid,
		.ring = ring,
		.fds = {target->proc_fd, target->task_dir_fd, target->mem_fd},
		.memory_tid = target->memory_tid,
		.is_forked = target->is_forked,
	};
	vec_push(&subjects->list, fresh);
}

void subjects_add_spare(struct subjects *subjects, struct ring *ring, int socket)
{
	struct subject spare = {.ring = ring, .fds = {-1, -1, -1}, .is_spare = true};
	vec_push(&subjects->list, spare);
	if (socket >= 0)
		subject_send(&spare, socket);
}

bool subjects_take_birth(struct subjects *subjects, const struct tracer_message *message)
{
	struct subject *subject = subjects_find(subjects, message->ring);
	if (!subject || !subject->is_spare)
		return false;
	subject->pid = message->pid;
	subject->is_spare = false;
	subject->is_answered = subject->was_added = true;
	return true;
}

struct subject *subjects_find(struct subjects *subjects, const struct ring *ring)
{
	vec_each (&subjects->list, subject)
		if (subject->ring == ring)
			return subject;
	return NULL;
}

void subjects_remove(struct subjects *subjects, const struct ring *ring)
{
	struct subject *subject = subjects_find(subjects, ring);
	if (subject)
		*subject = subjects->list.data[--subjects->list.len];
}

static bool is_over(const struct subject *subject)
{
	return meter_get(&ring_meter(subject->ring)->over) != 0;
}

void subject_send(const struct subject *subject, int socket)
{
	struct tracer_message message = {
		.kind = subject->is_spare ? TRACER_SPARE : TRACER_ADD,
		.pid = subject->pid,
		.memory_tid = subject->memory_tid,
		.is_forked = subject->is_forked,
		.ring = subject->ring,
		.is_again = subject->was_added,
	};
	tracer_send(socket, &message, subject->fds, subject->is_spare ? 0 : TRACER_FDS);
}

void subjects_send(struct subjects *subjects, int socket)
{
	vec_each (&subjects->list, subject) {
		const struct meter *meter = ring_meter(subject->ring);
		/* No other tracer can go on with one whose files only the last one had; and
		   nobody knows who is in a spare that it had begun with. */
		bool ended = meter_get(&meter->ended_ns) != 0 || subject->fds[0] < 0;
		subject->must_end |= ended && subject->was_added;
		if (subject->is_spare && meter_get(&meter->began_ns))
			continue;
		if (!subject->must_end && !is_over(subject))
			subject_send(subject, socket);
	}
}

void subjects_take_answer(struct subjects *subjects, const struct tracer_message *message)
{
	struct subject *subject = subjects_find(subjects, message->ring);
	if (!subject)
		return;
	subject->is_answered = true;
	subject->errnum = message->errnum;
	subject->was_added |= message->errnum == 0;
	/* It was sampled before, and ended while there was no tracer. */
	if (message->errnum != 0 && subject->was_added) {
		meter_set(&ring_meter(subject->ring)->target_exited, 1);
		subject->must_end = true;
	}
}

void subjects_count_death(struct subjects *subjects)
{
	vec_each (&subjects->list, subject)
		if (subject->was_added && !is_over(subject))
			meter_add(&ring_meter(subject->ring)->deaths, 1);
}

uint64_t subjects_samples(const struct subjects *subjects)
{
	uint64_t samples = 0;
	vec_each (&subjects->list, subject)
		samples += meter_get(&ring_meter(subject->ring)->samples);
	return samples;
}

void subjects_give_up(struct subjects *subjects)
{
	vec_each (&subjects->list, subject)
		if (subject->was_added && !is_over(subject))
			meter_set(&ring_meter(subject->ring)->gave_up, 1);
}

/* --- last records ------------------------------------------------------------------ */

static void put_end(struct subject *subject)
{
	struct meter *meter = ring_meter(subject->ring);
	uint64_t now_ns = clock_monotonic_ns();
	if (!meter_get(&meter->ended_ns))
		meter_set(&meter->ended_ns, now_ns);
	struct snapshot record = {
		.kind = SNAPSHOT_END, .time_ns = meter_get(&meter->ended_ns)};
	if (ring_put(subject->ring, &record))
		meter_set(&meter->over, 1);
}

bool subjects_put_ends(struct subjects *subjects)
{
	bool any = false;
	vec_each (&subjects->list, subject)
		if (subject->must_end && !is_over(subject)) {
			put_end(subject);
			any = true;
		}
	return any;
}

/* Returns how many have no last record yet. */
static size_t try_to_end(struct subjects *subjects)
{
	size_t left = 0;
	vec_each (&subjects->list, subject) {
		if (subject->was_added && !is_over(subject))
			put_end(subject);
		left += subject->was_added && !is_over(subject);
	}
	return left;
}

bool subjects_end(struct subjects *subjects, uint64_t patience_ns,
	void (*wake)(void *context), void *context)
{
	size_t least = SIZE_MAX, left;
	uint64_t until_ns = 0;
	while ((left = try_to_end(subjects)) > 0) {
		uint64_t now_ns = clock_monotonic_ns();
		if (left < least)
			until_ns = now_ns + patience_ns;
		else if (now_ns > until_ns)
			return false;
		least = left < least ? left : least;
		wake(context);
		usleep(1000);
	}
	wake(context);
	return true;
}
