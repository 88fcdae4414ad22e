/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keep/strain.h"

#include <string.h>

enum {
	STRAINS_MOST = 4096,
	/* Of a few instants one is soon late by chance. */
	LATE_LEAST = 3,
};

static void add(struct strains *strains, enum strain_kind kind, uint64_t from_ns,
	uint64_t to_ns, uint64_t count)
{
	vec_push(&strains->list, (struct strain){from_ns, to_ns, count, kind});
}

void strains_note(struct strains *strains, struct strain_reading *reading,
	const struct meter *meter, uint64_t now_ns)
{
	struct strain_reading now = {
		.time_ns = now_ns,
		.lost = meter_get(&meter->lost) + meter_get(&meter->deaths),
		.late = meter_get(&meter->instants_late) +
			meter_get(&meter->samples_late),
	};
	now.instants = now.late + meter_get(&meter->periods);
	uint64_t from_ns = reading->time_ns;

	if (from_ns != 0 && now_ns - from_ns < STRAIN_EVERY_NS)
		return;
	if (from_ns != 0) {
		uint64_t lost = now.lost - reading->lost, late = now.late - reading->late;
		if (lost > 0)
			add(strains, STRAIN_LOST, from_ns, now_ns, lost);
		if (late >= LATE_LEAST && late * 10 > now.instants - reading->instants)
			add(strains, STRAIN_LATE, from_ns, now_ns, late);
	}
	*reading = now;
}

void strains_trim(struct strains *strains, uint64_t oldest_ns)
{
	size_t len = strains->list.len, old = 0;
	while (old < len && strains->list.data[old].to_ns < oldest_ns)
		old++;
	if (len - old > STRAINS_MOST)
		old = len - STRAINS_MOST / 2;
	if (old == 0)
		return;
	strains->list.len -= old;
	memmove(strains->list.data, strains->list.data + old,
		strains->list.len * sizeof(*strains->list.data));
}

uint64_t strains_count(const struct strain *list, size_t n, enum strain_kind kind,
	uint64_t from_ns, uint64_t to_ns)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < n; i++)
		if (list[i].kind == kind && list[i].to_ns > from_ns &&
			list[i].from_ns < to_ns)
			sum += list[i].count;
	return sum;
}
