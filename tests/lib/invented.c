/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/invented.h"

#include "src/base/clock.h"
#include "src/base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static bool counts(void *context, const struct sample *sample)
{
	(void)context;
	(void)sample;
	return true;
}

/* What runs in the MS-th millisecond, of each ten. */
static unsigned load_at(unsigned ms, unsigned seconds)
{
	unsigned second = ms / 1000, offset = ms % 1000;
	unsigned load = second * 4 / seconds % 2 ? 6 : 2; /* quarters, by turns */

	if (offset >= 420 && offset < 500)
		load = 10; /* a timer */
	if (second == seconds / 3 && offset < 300)
		load = 0; /* a pause */
	return load;
}

static void add_strains(struct strains *strains, uint64_t start_ns, uint64_t second_ns)
{
	const struct strain list[] = {
		{start_ns + 2 * second_ns, start_ns + 2 * second_ns + STRAIN_EVERY_NS, 12,
			STRAIN_LOST},
		{start_ns + 3 * second_ns, start_ns + 4 * second_ns, 40, STRAIN_LATE},
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		vec_push(&strains->list, list[i]);
}

struct timeline *invented_timeline(uint64_t end_ns, unsigned seconds)
{
	struct sample_log log = {0};
	struct strains strains = {0};
	uint64_t start_ns = end_ns - seconds * NS_PER_SEC;

	for (unsigned ms = 0; ms < seconds * 1000; ms += 10) {
		struct sample sample = {
			.time_ns = start_ns + ms * NS_PER_MS,
			.cpu_ns = load_at(ms, seconds) * NS_PER_MS,
			.count = 1,
		};
		if (sample.cpu_ns > 0)
			sample_log_add(&log, &sample);
	}
	add_strains(&strains, start_ns, seconds * NS_PER_SEC / 10);
	const struct timeline_input input = {
		.start_ns = start_ns,
		.end_ns = end_ns,
		.start_wall_ns = UINT64_C(1767323045000000000),
		.samples = &log,
		.is_time = true,
		.counts = counts,
		.strains = &strains,
	};
	struct timeline *timeline = timeline_build(&input);
	sample_log_finish(&log);
	vec_free(&strains.list);
	free(timeline->notes);
	timeline->notes = mem_zalloc(2 * sizeof(*timeline->notes));
	timeline->n_notes = 2;
	for (size_t i = 0; i < 2; i++)
		timeline->notes[i].time_ns =
			start_ns + (i + 1) * seconds * NS_PER_SEC * 2 / 5;
	snprintf(timeline->notes[0].text, TIME_MARK_BYTES, "load test");
	snprintf(timeline->notes[1].text, TIME_MARK_BYTES,
		"a rather long text that somebody has typed");
	return timeline;
}
