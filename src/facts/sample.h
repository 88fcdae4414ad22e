/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sample: one look at a thread, as the reader tells it and the history keeps it: when, where,
 * and what it weighs.
 */
#ifndef CPROFTOP_SAMPLE_H
#define CPROFTOP_SAMPLE_H

#include <stdint.h>

struct sample {
	uint64_t time_ns; /* monotonic */
	uint64_t cpu_ns;  /* what it weighs: see struct snapshot */
	uint64_t wall_ns; /* 0 unless wall clock is sampled */
	uint32_t thread;  /* in the profile */
	uint32_t stack;	  /* in the stack table */
	uint32_t count;	  /* how many samples this one stands for (1, unless compacted) */
	/* which samples share their CPU time, one for each process; 0: those of its thread */
	uint16_t pool;
	uint8_t odds;  /* one in so many was looked at: those of a pool share in these
			  proportions; 0: as 1 */
	uint8_t state; /* enum thread_state */
};

/* How many there would be, had all threads been looked at. */
static inline uint64_t sample_instants(const struct sample *sample)
{
	return (uint64_t)sample->count * (sample->odds ? sample->odds : 1);
}

#endif
