/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The samplers of all CPUs, managed by the lookout: created where they are wanted, woken,
   checked and replaced. */

#include "ptrace/tracer/sampler.h"

#include "ptrace/tracer/sampler-private.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/process/task.h"

#include <signal.h>
#include <stdlib.h>

enum {
	/* How long to wait for a stop; and if the thread is in state R. */
	PATIENCE_MS = 15,
	LONG_PATIENCE_MS = 2000,
	AGAIN_MS = 500,
};

static struct whole_call *take_call(struct tracer_calls *calls)
{
	for (size_t i = 0; calls && i < TRACER_CALLS; i++)
		if (!atomic_exchange(&calls->is_taken[i], true))
			return &calls->calls[i];
	return NULL;
}

static void give_call(struct tracer_calls *calls, const struct whole_call *call)
{
	if (call)
		calls->is_taken[call - calls->calls] = false;
}

static struct sampler *create_sampler(struct tracing *tracing, struct seat *seat)
{
	struct sampler *sampler = mem_zalloc(sizeof(*sampler));
	sampler->tracing = tracing;
	sampler->seat = seat;
	sampler->sched_fd = -1;
	sampler->recipe = mem_alloc(sizeof(*sampler->recipe));
	sampler->slot = mem_zalloc(sizeof(struct snapshot) + tracing->stack_bytes);
	sampler->copier = copier_create();
	sampler->call = take_call(tracing->options->calls);
	sem_init(&sampler->wake, 0, 0);
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 256 * 1024);
	pthread_attr_setdetachstate(&small, PTHREAD_CREATE_DETACHED);
	bool made = deadman_init(&sampler->deadman, DEADMAN_MS, NULL) &&
		    pthread_create(&sampler->thread, &small, sampler_main, sampler) == 0;
	pthread_attr_destroy(&small);
	if (made)
		return sampler;
	deadman_finish(&sampler->deadman);
	sampler->has_left = true;
	return sampler;
}

static void destroy_sampler(struct sampler *sampler)
{
	give_call(sampler->tracing->options->calls, sampler->call);
	copier_destroy(sampler->copier);
	sem_destroy(&sampler->wake);
	free(sampler->recipe);
	free(sampler->slot);
	free(sampler);
}

static void wake_seat(struct seat *seat)
{
	for (size_t i = 0; seat && i < seat->n_samplers; i++)
		sem_post(&seat->samplers[i]->wake);
}

/* False if it was not wanted lately. */
static bool want(struct seat *seat, uint64_t now_ns)
{
	bool slept = !seat_is_wanted(seat, now_ns);
	seat->wanted_ns = now_ns;
	if (slept)
		wake_seat(seat);
	return !slept;
}

static struct seat *create_seat(struct tracing *tracing, int cpu)
{
	struct seat *seat = mem_zalloc(sizeof(*seat));
	seat->cpu = cpu;
	seat->samplers[seat->n_samplers++] = create_sampler(tracing, seat);
	return seat;
}

bool samplers_want(struct tracing *tracing, int cpu, bool is_real_time, uint64_t now_ns)
{
	if (cpu < 0 || cpu >= TRACING_CPUS || tracing->perf)
		return true;
	struct seat **at = &tracing->seats[cpu];
	if (!*at)
		*at = create_seat(tracing, cpu);
	if ((size_t)cpu >= tracing->n_cpus)
		tracing->n_cpus = (size_t)cpu + 1;
	bool sits = want(*at, now_ns);
	if (is_real_time)
		(*at)->outranked_ns = now_ns;
	if (!seat_is_out_of_reach(*at, now_ns))
		return sits;
	if (!tracing->outside)
		tracing->outside = create_seat(tracing, OUTSIDE);
	return want(tracing->outside, now_ns);
}

static void wake_all(struct tracing *tracing)
{
	for (size_t i = 0; i < tracing->n_cpus; i++)
		wake_seat(tracing->seats[i]);
	wake_seat(tracing->outside);
}

/* Free replaced samplers whose threads have ended. */
static void sweep(struct tracing *tracing)
{
	size_t kept = 0;
	for (size_t i = 0; i < tracing->replaced.len; i++) {
		struct sampler *sampler = tracing->replaced.data[i];
		if (sampler->has_left)
			destroy_sampler(sampler);
		else
			tracing->replaced.data[kept++] = sampler;
	}
	tracing->replaced.len = kept;
}

/* Replace a sampler: interrupt its wait, unless it waits for a call to be completed, and
   create another one. */
static void replace_sampler(struct tracing *tracing, struct sampler **at)
{
	struct sampler *sampler = *at;
	sampler->is_replaced = true;
	if (!sampler->is_in_call)
		pthread_kill(sampler->thread, SIGUSR1);
	vec_push(&tracing->replaced, sampler);
	*at = create_sampler(tracing, sampler->seat);
}

/* Check a sampler that waits for a stop. If its thread is in state R, it waits for a CPU
   or runs in the kernel, and the wait goes on. If the kernel holds the thread (state D),
   the sampler is replaced, because only the end of the tracing thread detaches it. */
static void tend_sampler(struct tracing *tracing, struct sampler **at, uint64_t now_ns)
{
	struct sampler *sampler = *at;
	uint64_t asked_ns = sampler->asked_ns;
	if (!asked_ns || now_ns < asked_ns + PATIENCE_MS * NS_PER_MS)
		return;
	char state = sampler->is_in_call ? 'C' : task_state(sampler->asked_tid);
	if (state == 't')
		return;
	bool runs = state == 'R' || state == 'C';
	if (runs && now_ns < asked_ns + LONG_PATIENCE_MS * NS_PER_MS)
		return;
	replace_sampler(tracing, at);
}

/* Where there was no room for another thread or timer, there may be later. */
static void try_again(struct tracing *tracing, struct seat *seat, uint64_t now_ns)
{
	if (now_ns - seat->tried_ns < AGAIN_MS * NS_PER_MS)
		return;
	seat->tried_ns = now_ns;
	for (size_t i = 0; i < seat->n_samplers; i++)
		if (seat->samplers[i]->has_left) {
			destroy_sampler(seat->samplers[i]);
			seat->samplers[i] = create_sampler(tracing, seat);
		}
}

static void tend_seat(struct tracing *tracing, struct seat *seat, uint64_t now_ns)
{
	for (size_t i = 0; i < seat->n_samplers; i++)
		tend_sampler(tracing, &seat->samplers[i], now_ns);
	try_again(tracing, seat, now_ns);
	if (!seat->is_short)
		return;
	seat->is_short = false;
	if (seat->n_samplers < SEAT_SAMPLERS)
		seat->samplers[seat->n_samplers++] = create_sampler(tracing, seat);
}

void samplers_tend(struct tracing *tracing, uint64_t now_ns)
{
	tracing_lock(tracing);
	sweep(tracing);
	for (size_t i = 0; i < tracing->n_cpus; i++)
		if (tracing->seats[i])
			tend_seat(tracing, tracing->seats[i], now_ns);
	if (tracing->outside)
		tend_seat(tracing, tracing->outside, now_ns);
	tracing_unlock(tracing);
}

static void release_seat(struct tracing *tracing, struct seat *seat)
{
	for (size_t i = 0; seat && i < seat->n_samplers; i++)
		if (seat->samplers[i]->asked_ns)
			replace_sampler(tracing, &seat->samplers[i]);
}

void samplers_abandon(struct tracing *tracing)
{
	vec_each (&tracing->replaced, at) {
		struct sampler *sampler = *at;
		if (!sampler->is_in_call)
			continue;
		sampler->must_abandon = true;
		pthread_kill(sampler->thread, SIGUSR1);
	}
}

void samplers_release(struct tracing *tracing)
{
	tracing_lock(tracing);
	for (size_t i = 0; i < tracing->n_cpus; i++)
		release_seat(tracing, tracing->seats[i]);
	release_seat(tracing, tracing->outside);
	tracing_unlock(tracing);
}

static bool is_busy(const struct seat *seat)
{
	bool busy = false;
	for (size_t i = 0; seat && i < seat->n_samplers; i++)
		busy |= seat->samplers[i]->has_claimed;
	return busy;
}

bool samplers_are_at_rest(const struct tracing *tracing)
{
	bool busy = is_busy(tracing->outside) || tracing->replaced.len > 0;
	for (size_t i = 0; i < tracing->n_cpus; i++)
		busy |= is_busy(tracing->seats[i]);
	return !busy;
}

void samplers_set_period(struct tracing *tracing)
{
	double rate_hz = 0;
	vec_each (&tracing->samplings, at) {
		const struct sampling *sampling = *at;
		if (sampling->hz && !sampling->is_leaving &&
			sampling->budget.rate_hz > rate_hz)
			rate_hz = sampling->budget.rate_hz;
	}
	uint64_t period_ns = rate_hz > 0 ? (uint64_t)((double)NS_PER_SEC / rate_hz) : 0;
	uint64_t before_ns = tracing->period_ns;
	tracing->period_ns = period_ns;
	/* Small changes take effect with the next period. */
	if (!before_ns != !period_ns || period_ns * 2 < before_ns)
		wake_all(tracing);
}
