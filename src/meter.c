#include "src/meter.h"

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
