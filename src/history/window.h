/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * window: the samples, in the order of time, as far back as memory allows.
 *
 * Nothing decays: a report asks for a range of time and counts exactly the samples in it.
 * The window is bounded by age and by bytes; the oldest samples go first. For a
 * recording, which must keep everything, window_compact merges samples instead: that
 * loses the order in time and keeps the sums. Analyst thread only.
 */
#ifndef CPROFTOP_WINDOW_H
#define CPROFTOP_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct sample {
	uint64_t time_ns; /* monotonic */
	uint64_t cpu_ns;  /* what the kernel charged the thread since its last sample */
	uint64_t wall_ns; /* 0 unless wall clock is sampled */
	uint32_t thread;  /* in the profile */
	uint32_t stack;	  /* in the stack table */
	uint32_t count;	  /* how many samples this one stands for (1, unless compacted) */
	uint32_t state;	  /* enum thread_state */
};

struct window {
	struct sample *samples; /* a circular buffer */
	size_t first, len, cap;
	size_t limit;	  /* the most that cap may be; 0: no limit */
	uint64_t expired; /* samples dropped because of age or the limit, so far */
};

/* Make a window of at most MAX_BYTES, but at least one sample. A zeroed window is empty,
   valid and has no limit. */
void window_init(struct window *window, size_t max_bytes);

/* Insert SAMPLE by its time, which is at the end or close to it. At the limit the oldest
   sample is dropped. */
void window_add(struct window *window, const struct sample *sample);
void window_finish(struct window *window);
void window_clear(struct window *window);

/* Forget samples older than OLDEST_NS. */
void window_expire(struct window *window, uint64_t oldest_ns);

/* Forget the COUNT oldest (at most window->len). */
void window_drop(struct window *window, size_t count);

static inline size_t window_bytes(const struct window *window)
{
	return window->cap * sizeof(struct sample);
}

/* Merge samples of the same thread, stack and state into one, which gets the time of the
   first. */
void window_compact(struct window *window);

/* Index of the first sample at or after TIME_NS (window->len if none). */
size_t window_search(const struct window *window, uint64_t time_ns);

static inline struct sample *window_at(const struct window *window, size_t index)
{
	size_t place = window->first + index;
	return &window->samples[place < window->cap ? place : place - window->cap];
}

#endif
