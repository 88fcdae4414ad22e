/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When the samples were taken, where files say so (recording.h). */
#include "src/count/import/recording.h"

#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	FAR_NS_BITS = 62 /* later than any date, and far from running over */
};

bool recording_add_moment(struct recording *recording,
	const struct recording_moment *moment, const int64_t *values, struct error *err)
{
	struct origin *origin = recording->origin;
	const unsigned __int128 far = (unsigned __int128)1 << FAR_NS_BITS;
	unsigned __int128 time_ns =
		(unsigned __int128)moment->tick * moment->tick_ns +
		(moment->begin_ns > 0 ? (uint64_t)moment->begin_ns : 0);
	unsigned __int128 weight_ns = (unsigned __int128)moment->weight * moment->unit_ns;
	if (time_ns >= far || weight_ns >= far)
		return error_set(err, "its times are beyond all dates");
	if (origin->moments.len >= RECORDING_ENTRIES_MAX)
		return error_set(err, "more than %d million times of samples",
			RECORDING_ENTRIES_MAX >> 20);
	recording->has_lost_times |= recording_is_full(recording);
	if (recording->has_lost_times)
		return true;
	uint32_t place = (uint32_t)origin->moments.len;
	bool is_first = place == 0;
	if (is_first || origin->tick_ns != moment->tick_ns)
		origin->tick_ns = is_first ? moment->tick_ns : 0;
	if (is_first || origin->weight_ns != moment->unit_ns)
		origin->weight_ns = is_first ? moment->unit_ns : 0;
	vec_push(&origin->moments, (struct origin_moment){
					   .time_ns = (uint64_t)time_ns,
					   .weight_ns = (uint64_t)weight_ns,
					   .row = moment->row,
					   .place = place,
					   .count = moment->count,
				   });
	for (size_t i = 0; i < origin->types.len; i++)
		vec_push(&origin->moment_values, values[i]);
	return true;
}

/* VALUE * SUM / WHOLE, to the nearest; all of it if there is nothing to share it by. */
static int64_t share_of(int64_t value, uint64_t sum, uint64_t whole)
{
	if (!whole)
		return value;
	return (int64_t)(((__int128)value * sum + whole / 2) / whole);
}

int64_t recording_share(int64_t value, uint64_t before, uint64_t part, uint64_t whole)
{
	return share_of(value, before + part, whole) - share_of(value, before, whole);
}

static int compare_moments(const void *a, const void *b)
{
	const struct origin_moment *x = a, *y = b;
	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Are the values of the moments together those of the rows? If one of several files has
   no times, they are not. */
static bool covers_all(const struct origin *origin)
{
	size_t n_types = origin->types.len, size = origin->values.len * sizeof(int64_t);
	int64_t *sums = mem_zalloc(size + 1);
	vec_each (&origin->moments, moment)
		for (size_t i = 0; i < n_types; i++)
			sums[moment->row * n_types + i] +=
				origin->moment_values.data[moment->place * n_types + i];
	bool same = memcmp(sums, origin->values.data, size) == 0;
	free(sums);
	return same;
}

void recording_settle_times(struct recording *recording)
{
	struct origin *origin = recording->origin;
	uint64_t begin_ns = origin->time_ns > 0 ? (uint64_t)origin->time_ns : 0;
	if (!origin->moments.len || recording->are_times_settled)
		return;
	recording->are_times_settled = true;
	if (!covers_all(origin)) {
		origin->moments.len = origin->moment_values.len = 0;
		return;
	}
	qsort(origin->moments.data, origin->moments.len, sizeof(*origin->moments.data),
		compare_moments);
	vec_each (&origin->moments, moment)
		moment->time_ns =
			ORIGIN_START_NS +
			(moment->time_ns > begin_ns ? moment->time_ns - begin_ns : 0);
}
