/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample-log: the samples, in the order of time, as far back as memory allows.
 *
 * Nothing decays: a report asks for a range of time and counts exactly the samples in it.
 * The log is bounded by age and by bytes; the oldest samples go first. For a
 * recording, which must keep everything, sample_log_compact merges samples instead: their
 * times become coarse, and the sums stay. Analyst thread only.
 */
#ifndef CPROFTOP_SAMPLE_LOG_H
#define CPROFTOP_SAMPLE_LOG_H

#include "src/facts/sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sample_log {
	struct sample *samples; /* a circular buffer */
	size_t first, len, cap;
	size_t limit;	  /* the most that cap may be; 0: no limit */
	uint64_t expired; /* samples dropped because of age or the limit, so far */
	/* samples were merged whatever time was between them, so times mean nothing; until those
	   are forgotten */
	bool merged;
	uint64_t merged_until_ns; /* the newest time at which that was done */
};

/* Make a log of at most MAX_BYTES, but at least one sample. A zeroed log is empty,
   valid and has no limit. */
void sample_log_init(struct sample_log *log, size_t max_bytes);

/* Insert SAMPLE by its time, which is at the end or close to it. At the limit the oldest
   sample is dropped. */
void sample_log_add(struct sample_log *log, const struct sample *sample);
void sample_log_finish(struct sample_log *log);
void sample_log_clear(struct sample_log *log);

/* Forget samples older than OLDEST_NS. */
void sample_log_expire(struct sample_log *log, uint64_t oldest_ns);

/* Forget the COUNT oldest (at most log->len). */
void sample_log_drop(struct sample_log *log, size_t count);

static inline size_t sample_log_bytes(const struct sample_log *log)
{
	return log->cap * sizeof(struct sample);
}

/* Merge samples of the same thread, stack, state and odds into one, which gets the time of the
   last, if no more than SPAN_NS is between the first and the last; UINT64_MAX: all. */
void sample_log_compact(struct sample_log *log, uint64_t span_ns);

/* Index of the first sample at or after TIME_NS (log->len if none). */
size_t sample_log_search(const struct sample_log *log, uint64_t time_ns);

static inline struct sample *sample_log_at(const struct sample_log *log, size_t index)
{
	size_t place = log->first + index;
	return &log->samples[place < log->cap ? place : place - log->cap];
}

#endif
