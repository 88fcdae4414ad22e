/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/meter.h"

#include <stdbool.h>
#include <stddef.h>

/* A meter consists of 64-bit words. All are counts except those in no_counts, so a new
   count needs no line here. */
enum {
	WORDS = sizeof(struct meter) / sizeof(_Atomic uint64_t)
};

static _Atomic uint64_t *word(struct meter *meter, size_t i)
{
	return (_Atomic uint64_t *)(void *)meter + i;
}

static uint64_t word_of(const struct meter *meter, size_t i)
{
	return meter_get((const _Atomic uint64_t *)(const void *)meter + i);
}

void meter_copy(const struct meter *meter, struct meter *out)
{
	for (size_t i = 0; i < WORDS; i++)
		meter_set(word(out, i), word_of(meter, i));
}

static const size_t no_counts[] = {
	offsetof(struct meter, began_ns),
	offsetof(struct meter, ended_ns),
	offsetof(struct meter, engine),
	offsetof(struct meter, unwind_by),
	offsetof(struct meter, user_only),
	offsetof(struct meter, event_errnum),
	offsetof(struct meter, frequency_hz),
	offsetof(struct meter, granted_ppm),
	offsetof(struct meter, paused_from_ns),
	offsetof(struct meter, stop_max_ns),
	offsetof(struct meter, threads_now),
	offsetof(struct meter, threads_running),
	offsetof(struct meter, target_stopped),
	offsetof(struct meter, target_exited),
	offsetof(struct meter, over),
	offsetof(struct meter, gave_up),
	offsetof(struct meter, held_by),
	offsetof(struct meter, cpu_base_ns),
	offsetof(struct meter, tracer_pid),
	offsetof(struct meter, processes_seen),
	offsetof(struct meter, processes_sampled),
	offsetof(struct meter, processes_now),
};

static bool is_count(size_t place)
{
	for (size_t i = 0; i < sizeof(no_counts) / sizeof(*no_counts); i++)
		if (place == no_counts[i] / sizeof(_Atomic uint64_t))
			return false;
	return true;
}

static uint64_t least_but_0(uint64_t a, uint64_t b)
{
	return !a || (b && b < a) ? b : a;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Read between two steps of the tracer the sum of the parts may be below 0. */
uint64_t meter_own_ns(const struct meter *meter)
{
	uint64_t parts_ns = meter_get(&meter->cpu_sampled_ns) +
			    meter_get(&meter->cpu_unsampled_ns) -
			    meter_get(&meter->cpu_adopted_ns);
	return most(
		meter_get(&meter->cpu_kernel_ns), (int64_t)parts_ns > 0 ? parts_ns : 0);
}

uint64_t meter_charged_ns(const struct meter *meter)
{
	return meter_own_ns(meter) + meter_get(&meter->cpu_adopted_ns);
}

uint64_t meter_paused_ns(const struct meter *meter, uint64_t now_ns)
{
	uint64_t ended_ns = meter_get(&meter->ended_ns);
	uint64_t from_ns = meter_get(&meter->paused_from_ns);
	uint64_t end_ns = ended_ns ? ended_ns : now_ns;
	return meter_get(&meter->paused_ns) +
	       (from_ns && end_ns > from_ns ? end_ns - from_ns : 0);
}

uint64_t meter_sampled_for_ns(const struct meter *meter, uint64_t now_ns)
{
	uint64_t ended_ns = meter_get(&meter->ended_ns);
	uint64_t whole_ns = (ended_ns ? ended_ns : now_ns) - meter_get(&meter->began_ns);
	uint64_t paused_ns = meter_paused_ns(meter, now_ns);
	return whole_ns > paused_ns ? whole_ns - paused_ns : 0;
}

void meter_sum(struct meter *sum, const struct meter *meter)
{
	struct meter old;
	meter_copy(sum, &old);
	for (size_t i = 0; i < WORDS; i++)
		if (is_count(i))
			meter_add(word(sum, i), word_of(meter, i));
	meter_set(&sum->cpu_kernel_ns, old.cpu_kernel_ns + meter_own_ns(meter));
	bool first = meter_get(&old.processes_seen) == 0;
	uint64_t ended_ns = meter_get(&meter->ended_ns), before_ns = old.ended_ns;
	meter_set(&sum->began_ns, least_but_0(old.began_ns, meter_get(&meter->began_ns)));
	meter_set(&sum->ended_ns,
		ended_ns && (first || before_ns) ? most(ended_ns, before_ns) : 0);
	/* The one that was there first has the longest pauses; one that has ended is in
	   none now. */
	meter_set(&sum->paused_ns,
		most(old.paused_ns, ended_ns ? meter_paused_ns(meter, ended_ns)
					     : meter_get(&meter->paused_ns)));
	meter_set(&sum->paused_from_ns,
		least_but_0(old.paused_from_ns,
			ended_ns ? 0 : meter_get(&meter->paused_from_ns)));
	meter_set(&sum->engine, most(old.engine, meter_get(&meter->engine)));
	meter_set(&sum->unwind_by, most(old.unwind_by, meter_get(&meter->unwind_by)));
	meter_set(&sum->user_only, most(old.user_only, meter_get(&meter->user_only)));
	meter_set(&sum->event_errnum,
		most(old.event_errnum, meter_get(&meter->event_errnum)));
	meter_set(&sum->frequency_hz,
		most(old.frequency_hz, meter_get(&meter->frequency_hz)));
	meter_set(
		&sum->granted_ppm, most(old.granted_ppm, meter_get(&meter->granted_ppm)));
	meter_set(
		&sum->stop_max_ns, most(old.stop_max_ns, meter_get(&meter->stop_max_ns)));
	meter_set(&sum->target_stopped,
		meter_get(&meter->target_stopped) && (first || old.target_stopped));
	meter_set(&sum->target_exited,
		meter_get(&meter->target_exited) && (first || old.target_exited));
	meter_set(&sum->held_by, most(old.held_by, meter_get(&meter->held_by)));
	meter_set(&sum->tracer_pid, most(old.tracer_pid, meter_get(&meter->tracer_pid)));
	/* These count periods of the one tracer, the same for all processes, so they are
	   not added. */
	meter_set(&sum->periods, most(old.periods, meter_get(&meter->periods)));
	for (size_t i = 0; i < METER_HELD_COUNT; i++)
		meter_set(&sum->periods_held[i],
			most(old.periods_held[i], meter_get(&meter->periods_held[i])));
	meter_set(&sum->gave_up, most(old.gave_up, meter_get(&meter->gave_up)));
	meter_set(&sum->deaths, most(old.deaths, meter_get(&meter->deaths)));
	if (!ended_ns) {
		meter_add(&sum->threads_now, meter_get(&meter->threads_now));
		meter_add(&sum->threads_running, meter_get(&meter->threads_running));
	}
	/* METER may itself be a sum of several processes. */
	uint64_t seen = meter_get(&meter->processes_seen);
	meter_add(&sum->processes_seen, seen ? seen : 1);
	meter_add(&sum->processes_sampled, seen ? meter_get(&meter->processes_sampled)
						: meter_get(&meter->samples) > 0);
	meter_add(
		&sum->processes_now, seen ? meter_get(&meter->processes_now) : !ended_ns);
}

void meter_between(const struct meter *before, const struct meter *now, struct meter *out)
{
	for (size_t i = 0; i < WORDS; i++)
		meter_set(word(out, i), word_of(now, i) - word_of(before, i));
	for (size_t i = 0; i < sizeof(no_counts) / sizeof(*no_counts); i++) {
		size_t place = no_counts[i] / sizeof(_Atomic uint64_t);
		meter_set(word(out, place), word_of(now, place));
	}
	meter_set(&out->stop_max_ns, meter_stop_percentile(out, 1000));
}

/* The class of NS is made of the position of its highest bit and the three bits below
   it. */
static unsigned class_of(uint64_t ns)
{
	if (ns < 8)
		return (unsigned)ns;
	unsigned power = 63 - (unsigned)__builtin_clzll(ns);
	unsigned class = (power - 2) * 8 + (unsigned)(ns >> (power - 3) & 7);
	return class < METER_CLASSES ? class : METER_CLASSES - 1;
}

static uint64_t middle_of(unsigned class)
{
	if (class < 8)
		return class;
	unsigned power = class / 8 + 2;
	uint64_t width = UINT64_C(1) << (power - 3);
	return (8 + class % 8) * width + width / 2;
}

void meter_count_stop(struct meter *meter, uint64_t stop_ns)
{
	meter_add(&meter->stops, 1);
	meter_add(&meter->stopped_ns, stop_ns);
	meter_add(&meter->stop_classes[class_of(stop_ns)], 1);
	if (stop_ns > meter_get(&meter->stop_max_ns))
		meter_set(&meter->stop_max_ns, stop_ns);
}

void meter_count_second(
	struct meter *meter, enum recipe_result result, uint64_t second_ns)
{
	meter_add(&meter->second_results[result], 1);
	if (second_ns > 0)
		meter_add(&meter->second_classes[class_of(second_ns)], 1);
}

static uint64_t percentile(const _Atomic uint64_t *classes, unsigned per_mille)
{
	uint64_t total = 0, below = 0;
	for (unsigned i = 0; i < METER_CLASSES; i++)
		total += meter_get(&classes[i]);
	uint64_t wanted = (total * per_mille + 999) / 1000;
	for (unsigned i = 0; i < METER_CLASSES && total > 0; i++) {
		below += meter_get(&classes[i]);
		if (below >= wanted)
			return middle_of(i);
	}
	return 0;
}

uint64_t meter_stop_percentile(const struct meter *meter, unsigned per_mille)
{
	uint64_t middle_ns = percentile(meter->stop_classes, per_mille);
	uint64_t max_ns = meter_get(&meter->stop_max_ns);
	return middle_ns < max_ns ? middle_ns : max_ns;
}

uint64_t meter_second_percentile(const struct meter *meter, unsigned per_mille)
{
	return percentile(meter->second_classes, per_mille);
}
