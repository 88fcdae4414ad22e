/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared: memory that this process shares with those that are forked later, and that have rights.
 * One thread at a time; errno says why where a function fails.
 */
#ifndef CPROFTOP_SHARED_H
#define CPROFTOP_SHARED_H

#include <stddef.h>

/* BYTES of zeros; NULL, with errno, if there is no room. */
void *shared_map(size_t bytes);

/* This process has it no longer. NULL is fine. */
void shared_unmap(void *memory, size_t bytes);

/* In a child without rights: it has none of all this. */
void shared_leave(void);

#endif
