/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shared: memory that this process shares with others of ours.
 *
 * With those that are forked later, or with whoever is given the file that it is: that has no
 * name, and its size can be changed by nobody, so that nobody's reading of it ends in SIGBUS.
 * One thread at a time; errno says why where a function fails.
 */
#ifndef CPROFTOP_SHARED_H
#define CPROFTOP_SHARED_H

#include <stddef.h>

/* BYTES of zeros; NULL, with errno, if there is no room. */
void *shared_map(size_t bytes);

/* The same, and the *FILE that it is. EFBIG: of whoever called us a file may not be so large
   (`ulimit -f`). */
void *shared_file_map(size_t bytes, int *file);

/* This process has it no longer. NULL is fine. */
void shared_unmap(void *memory, size_t bytes);

#endif
