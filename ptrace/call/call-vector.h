/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call-vector: a place in the pieces of memory that a system call was given.
 *
 * readv, sendmsg and others are given an array of struct iovec. If such a call was cut
 * short, the place where it stopped lies in the middle of a piece. The array is read from
 * the thread's memory, through a descriptor of /proc/TID/mem, and never written. For a
 * stopped thread; allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_CALL_CALL_VECTOR_H
#define CPROFTOP_PTRACE_CALL_CALL_VECTOR_H

#include <stdbool.h>
#include <stdint.h>

struct call_vector {
	uint64_t piece, length; /* the rest of the piece that the place is in */
	uint64_t entries;	/* address of the entries of the following pieces */
	uint64_t entries_left;	/* their number */
};

/* Go to the first byte. False if the array cannot be read or is longer than the kernel
   takes. */
bool call_vector_begin(
	struct call_vector *vector, int memory, uint64_t entries, uint64_t count);

/* The number of bytes from the place on. False as for call_vector_begin. */
bool call_vector_total(const struct call_vector *vector, int memory, uint64_t *total);

/* Move the place BYTES further. False as for call_vector_begin, or if no bytes are left
   behind it. */
bool call_vector_advance(struct call_vector *vector, int memory, uint64_t bytes);

/* The array of a struct msghdr at ADDRESS, for call_vector_begin, and whether it has
   CONTROL data. */
bool call_vector_of_message(
	int memory, uint64_t address, uint64_t *entries, uint64_t *count, bool *control);

#endif
