/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/tracer/tracing.h"

#include "src/base/clock.h"

#include <sched.h>
#include <unistd.h>

enum {
	SPIN_US = 60, /* the mutex is held for less, nearly always */
	CONTENDED_MS = 10000,
};

void tracing_lock(struct tracing *tracing)
{
	pthread_mutex_lock(&tracing->mutex);
}

void tracing_unlock(struct tracing *tracing)
{
	pthread_mutex_unlock(&tracing->mutex);
}

void tracing_lock_at_once(struct tracing *tracing)
{
	uint64_t until_ns = clock_monotonic_ns() + SPIN_US * NS_PER_US;
	bool locked = false;
	tracing->spinning++;
	while (!locked && clock_monotonic_ns() < until_ns)
		locked = pthread_mutex_trylock(&tracing->mutex) == 0;
	tracing->spinning--;
	/* The thread that holds the mutex may be the one that we have preempted. */
	if (!locked)
		tracing_lock(tracing);
}

void tracing_breathe(struct tracing *tracing)
{
	tracing_unlock(tracing);
	if (tracing->spinning)
		sched_yield(); /* time enough for it to get the mutex */
	tracing_lock(tracing);
}

void tracing_poke(struct tracing *tracing)
{
	uint64_t one = 1;
	ssize_t ignored = write(tracing->poke_fd, &one, sizeof(one));
	(void)ignored;
}

bool tracing_samples(void *context, pid_t pid)
{
	struct tracing *tracing = context;
	bool found = false;
	tracing_lock(tracing);
	vec_each (&tracing->samplings, at)
		found |= (*at)->target.pid == pid && !(*at)->is_leaving;
	tracing_unlock(tracing);
	return found;
}

uint64_t sampling_now_ns(const struct sampling *sampling)
{
	uint64_t now_ns =
		sampling->instant_ns ? sampling->instant_ns : clock_monotonic_ns();
	bool has_ended = sampling->ended_ns && now_ns > sampling->ended_ns;
	return has_ended ? sampling->ended_ns : now_ns;
}

bool sampling_put(struct sampling *sampling, struct snapshot *record)
{
	record->time_ns = sampling_now_ns(sampling);
	if (record->time_ns < sampling->put_ns)
		record->time_ns = sampling->put_ns;
	if (!ring_put(sampling->ring, record))
		return false;
	sampling->put_ns = record->time_ns;
	if (record->second_result != RECIPE_NONE)
		meter_count_second(sampling->meter, record->second_result,
			record->stop_ns > 0 ? record->second_ns : 0);
	struct tracing *tracing = sampling->tracing;
	if (!tracing->must_wake &&
		ring_waiting(sampling->ring) * 2 >= ring_slots(sampling->ring)) {
		tracing->must_wake = true;
		tracing_poke(tracing); /* the lookout does it */
	}
	return true;
}

/* What the reader has put is not believed, but copied and looked at. */
static void take_recipe(struct sampling *sampling)
{
	struct recipe_box *box = ring_recipe(sampling->ring);
	if (atomic_load_explicit(&box->number, memory_order_relaxed) ==
		sampling->recipe_taken)
		return;
	if (!sampling->recipe)
		sampling->recipe = mem_alloc(sizeof(*sampling->recipe));
	sampling->recipe_number = 0;
	if (recipe_take(box, &sampling->recipe_taken, sampling->recipe) &&
		recipe_is_valid(sampling->recipe))
		sampling->recipe_number = ++sampling->tracing->recipes;
	if (sampling->target.maps_fd <= 0 && sampling->recipe_number != 0)
		target_open_maps(&sampling->target);
}

void sampling_copy_recipe(
	const struct sampling *sampling, struct recipe *own, uint32_t *number)
{
	if (*number == sampling->recipe_number)
		return;
	*number = sampling->recipe_number;
	if (*number != 0)
		*own = *sampling->recipe;
}

void sampling_take_advice(struct sampling *sampling)
{
	struct advice advice;
	take_recipe(sampling);
	for (size_t i = 0; i < ADVICE_WAITING; i++) {
		if (!advice_take(ring_advice(sampling->ring), &advice))
			break;
		if (advice.tid == 0) {
			sampling->link = advice.link;
			if (advice.link.n_places > 0)
				target_open_maps(&sampling->target);
			continue;
		}
		struct thread *thread = threads_find(&sampling->threads, advice.tid);
		if (!thread)
			continue;
		thread->sampled.advice = advice;
		thread->sampled.is_advised = true;
	}
}

void sampling_note_contention(struct sampling *sampling)
{
	sampling->contended_ns = clock_monotonic_ns() + CONTENDED_MS * NS_PER_MS;
	sampling->rehearsed = 0;
}
