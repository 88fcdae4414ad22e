#include "src/meter.h"

#include <stddef.h>

/* A meter is words and nothing else, and all of them are counts but those named below: a
   new count needs no line here. */
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

void meter_between(const struct meter *before, const struct meter *now, struct meter *out)
{
	static const size_t no_counts[] = {
		offsetof(struct meter, began_ns),
		offsetof(struct meter, ended_ns),
		offsetof(struct meter, frequency_hz),
		offsetof(struct meter, threads_now),
		offsetof(struct meter, threads_running),
		offsetof(struct meter, target_stopped),
		offsetof(struct meter, target_exited),
		offsetof(struct meter, held_by),
	};
	for (size_t i = 0; i < WORDS; i++)
		meter_set(word(out, i), word_of(now, i) - word_of(before, i));
	for (size_t i = 0; i < sizeof(no_counts) / sizeof(*no_counts); i++) {
		size_t place = no_counts[i] / sizeof(_Atomic uint64_t);
		meter_set(word(out, place), word_of(now, place));
	}
	uint64_t longest_ns = meter_stop_percentile(out, 1000);
	uint64_t ever_ns = meter_get(&now->stop_max_ns);
	meter_set(&out->stop_max_ns, longest_ns < ever_ns ? longest_ns : ever_ns);
}

/* Class of NS: the position of its highest bit and the three bits below it. */
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

uint64_t meter_stop_percentile(const struct meter *meter, unsigned per_mille)
{
	uint64_t total = 0;
	for (unsigned i = 0; i < METER_CLASSES; i++)
		total += meter_get(&meter->stop_classes[i]);
	if (total == 0)
		return 0;
	uint64_t wanted = (total * per_mille + 999) / 1000, below = 0;
	for (unsigned i = 0; i < METER_CLASSES; i++) {
		below += meter_get(&meter->stop_classes[i]);
		if (below >= wanted)
			return middle_of(i);
	}
	return meter_get(&meter->stop_max_ns);
}
