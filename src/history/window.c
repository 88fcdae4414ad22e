/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/history/window.h"

#include "src/base/map.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

enum {
	FIRST_CAP = 1024
};

void window_init(struct window *window, size_t max_bytes)
{
	size_t limit = max_bytes / sizeof(struct sample);
	*window = (struct window){.limit = limit ? limit : 1};
}

/* Grow the buffer in place, at most to the limit, so that the memory stays bounded while
   it grows, too. The samples between FIRST and the old end move to the new end; those
   that had wrapped around stay at the beginning. */
static void grow(struct window *window)
{
	size_t cap = window->cap ? window->cap * 2 : FIRST_CAP;
	if (window->limit && cap > window->limit)
		cap = window->limit;
	window->samples = mem_resize(window->samples, cap, sizeof(*window->samples));
	if (window->first > 0) {
		size_t ahead = window->cap - window->first;
		memmove(&window->samples[cap - ahead], &window->samples[window->first],
			ahead * sizeof(*window->samples));
		window->first = cap - ahead;
	}
	window->cap = cap;
}

void window_add(struct window *window, const struct sample *sample)
{
	if (window->limit && window->len == window->limit)
		window_drop(window, 1);
	if (window->len == window->cap)
		grow(window);
	size_t place = window->len++;
	for (; place > 0; place--) {
		const struct sample *before = window_at(window, place - 1);
		if (before->time_ns <= sample->time_ns)
			break;
		*window_at(window, place) = *before;
	}
	*window_at(window, place) = *sample;
}

void window_finish(struct window *window)
{
	free(window->samples);
	*window = (struct window){0};
}

void window_clear(struct window *window)
{
	window->first = window->len = 0;
}

void window_drop(struct window *window, size_t count)
{
	window->first += count;
	if (window->first >= window->cap)
		window->first -= window->cap;
	window->len -= count;
	window->expired += count;
}

void window_expire(struct window *window, uint64_t oldest_ns)
{
	size_t old = window_search(window, oldest_ns);
	if (old)
		window_drop(window, old);
}

/* Shrink the buffer to twice the number of samples. */
static void shrink(struct window *window)
{
	size_t cap = window->len * 2 > FIRST_CAP ? window->len * 2 : FIRST_CAP;
	if (cap >= window->cap)
		return;
	struct sample *samples = mem_alloc(cap * sizeof(*samples));
	for (size_t i = 0; i < window->len; i++)
		samples[i] = *window_at(window, i);
	free(window->samples);
	window->samples = samples;
	window->first = 0;
	window->cap = cap;
}

void window_compact(struct window *window)
{
	struct map seen = {0};
	size_t kept = 0;
	for (size_t i = 0; i < window->len; i++) {
		struct sample sample = *window_at(window, i);
		uint64_t who = (uint64_t)sample.thread << 8 | sample.state;
		uint32_t *place = map_get(&seen, sample.stack, who);
		if (!place) {
			map_put(&seen, sample.stack, who, (uint32_t)kept);
			*window_at(window, kept++) = sample;
			continue;
		}
		struct sample *merged = window_at(window, *place);
		merged->cpu_ns += sample.cpu_ns;
		merged->wall_ns += sample.wall_ns;
		merged->count += sample.count;
	}
	window->len = kept;
	map_finish(&seen);
	shrink(window);
}

size_t window_search(const struct window *window, uint64_t time_ns)
{
	size_t low = 0, high = window->len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (window_at(window, middle)->time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}
