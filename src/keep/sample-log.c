/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keep/sample-log.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_CAP = 1024
};

void sample_log_init(struct sample_log *log, size_t max_bytes)
{
	size_t limit = max_bytes / sizeof(struct sample);
	*log = (struct sample_log){.limit = limit ? limit : 1};
}

/* Grow the buffer in place, at most to the limit, so that the memory stays bounded while
   it grows, too. The samples between FIRST and the old end move to the new end; those
   that had wrapped around stay at the beginning. */
static void grow(struct sample_log *log)
{
	size_t cap = log->cap ? log->cap * 2 : FIRST_CAP;
	if (log->limit && cap > log->limit)
		cap = log->limit;
	log->samples = mem_resize(log->samples, cap, sizeof(*log->samples));
	if (log->first > 0) {
		size_t ahead = log->cap - log->first;
		memmove(&log->samples[cap - ahead], &log->samples[log->first],
			ahead * sizeof(*log->samples));
		log->first = cap - ahead;
	}
	log->cap = cap;
}

void sample_log_add(struct sample_log *log, const struct sample *sample)
{
	if (log->limit && log->len == log->limit)
		sample_log_drop(log, 1);
	if (log->len == log->cap)
		grow(log);
	size_t place = log->len++;
	for (; place > 0; place--) {
		const struct sample *before = sample_log_at(log, place - 1);
		if (before->time_ns <= sample->time_ns)
			break;
		*sample_log_at(log, place) = *before;
	}
	*sample_log_at(log, place) = *sample;
}

void sample_log_finish(struct sample_log *log)
{
	free(log->samples);
	*log = (struct sample_log){0};
}

/* Those that stand for others may all be gone. */
static void look_for_merged(struct sample_log *log)
{
	log->merged = log->merged && log->len > 0 &&
		      sample_log_at(log, 0)->time_ns <= log->merged_until_ns;
}

void sample_log_clear(struct sample_log *log)
{
	log->first = log->len = 0;
	look_for_merged(log);
}

void sample_log_drop(struct sample_log *log, size_t count)
{
	log->first += count;
	if (log->first >= log->cap)
		log->first -= log->cap;
	log->len -= count;
	log->expired += count;
	look_for_merged(log);
}

void sample_log_expire(struct sample_log *log, uint64_t oldest_ns)
{
	size_t old = sample_log_search(log, oldest_ns);
	if (old)
		sample_log_drop(log, old);
}

/* Shrink the buffer to twice the number of samples. */
static void shrink(struct sample_log *log)
{
	size_t cap = log->len * 2 > FIRST_CAP ? log->len * 2 : FIRST_CAP;
	if (cap >= log->cap)
		return;
	struct sample *samples = mem_alloc(cap * sizeof(*samples));
	for (size_t i = 0; i < log->len; i++)
		samples[i] = *sample_log_at(log, i);
	free(log->samples);
	log->samples = samples;
	log->first = 0;
	log->cap = cap;
}

/* From the newest to the oldest, because the CPU time of a sample is of the time before it;
   those that are kept gather at the end. */
void sample_log_compact(struct sample_log *log, uint64_t span_ns)
{
	struct idmap seen = {0};
	size_t first = log->len;
	if (log->len == 0)
		return;
	uint64_t newest_ns = sample_log_at(log, log->len - 1)->time_ns;
	for (size_t i = log->len; i-- > 0;) {
		struct sample sample = *sample_log_at(log, i);
		uint64_t who = (uint64_t)sample.thread << 16 |
			       (uint64_t)(sample.odds ? sample.odds : 1) << 8 |
			       sample.state;
		uint32_t *place = idmap_get(&seen, sample.stack, who);
		struct sample *last = place ? sample_log_at(log, *place) : NULL;
		if (!last || last->time_ns - sample.time_ns > span_ns) {
			*sample_log_at(log, --first) = sample;
			idmap_put(&seen, sample.stack, who, (uint32_t)first);
			continue;
		}
		last->cpu_ns += sample.cpu_ns;
		last->wall_ns += sample.wall_ns;
		last->count += sample.count;
	}
	if (first > 0 && span_ns == UINT64_MAX) {
		log->merged = true;
		log->merged_until_ns = newest_ns;
	}
	log->first = (size_t)(sample_log_at(log, first) - log->samples);
	log->len -= first;
	idmap_finish(&seen);
	shrink(log);
}

size_t sample_log_search(const struct sample_log *log, uint64_t time_ns)
{
	size_t low = 0, high = log->len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (sample_log_at(log, middle)->time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
