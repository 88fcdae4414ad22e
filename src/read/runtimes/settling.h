/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * settling: is what a program keeps at an address, as the code of a function, there to stay? Then
 * it need not be copied with each sample (recipe.known). It is after it was the same in several
 * samples and for a while, unless something else was there once. Pure.
 */
#ifndef CPROFTOP_SETTLING_H
#define CPROFTOP_SETTLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of one address; zeroed at first. */
struct settling {
	uint64_t first_ns; /* the time of the first sample that had it, and */
	uint32_t samples;  /* how many had it */
	bool is_settled, is_unsteady;
};

/* A sample at TIME_NS has copied it, and it was the same. */
void settling_seen(struct settling *settling, uint64_t time_ns);

/* Something else was there, or nothing. */
void settling_disturb(struct settling *settling);

/* Put COUNT ADDRESSES in order, as recipe.known wants them. */
void settling_sort(uint64_t *addresses, size_t count);

#endif
