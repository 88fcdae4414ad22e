/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared: memory that this process shares with all that are forked later. Any thread.
 */
#ifndef CPROFTOP_PTRACE_SHARED_H
#define CPROFTOP_PTRACE_SHARED_H

#include <stddef.h>

/* BYTES of zeros; NULL, with errno, if there is no room. */
void *shared_map(size_t bytes);

/* This process has it no longer. NULL is fine. */
void shared_unmap(void *memory, size_t bytes);

#endif
