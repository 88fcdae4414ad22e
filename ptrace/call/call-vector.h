/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-vector: a place in the pieces of memory that a system call was given.
 *
 * readv, sendmsg and the like are given an array of struct iovec. Where such a call was
 * cut short the place lies in the midst of one of them. The array is read in the thread's
 * memory, through a descriptor of /proc/TID/mem, and never written. For a stopped thread;
 * allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_CALL_CALL_VECTOR_H
#define CPROFTOP_PTRACE_CALL_CALL_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

struct call_vector {
	uint64_t piece, length; /* what is left of the piece that the place is in */
	uint64_t entries;	/* where the entries of those behind it lie, */
	uint64_t entries_left;	/* and how many they are */
};

/* Go to the first byte. False if the array cannot be read or is longer than the kernel
   takes. */
bool call_vector_begin(
	struct call_vector *vector, int mem_fd, uint64_t entries, uint64_t count);

/* All bytes from the place on. False as above. */
bool call_vector_total(const struct call_vector *vector, int mem_fd, uint64_t *total);

/* BYTES further. False as above, or if there are not so many, or none behind them. */
bool call_vector_advance(struct call_vector *vector, int mem_fd, uint64_t bytes);

/* The array of a struct msghdr at ADDRESS, as for call_vector_begin; and whether the
   caller has CONTROL data in it. */
bool call_vector_of_message(
	int mem_fd, uint64_t address, uint64_t *entries, uint64_t *count, bool *control);

#endif
