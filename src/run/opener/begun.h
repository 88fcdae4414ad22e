/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * begun: the worker (src/base/worker/worker.h) that main has begun for a process without rights.
 *
 * One at a time: another one begins when the last has died. The desk's thread.
 */
#ifndef CPROFTOP_BEGUN_H
#define CPROFTOP_BEGUN_H

#include <sys/types.h>

enum {
	BEGUN_MOST = 1000, /* in all: who asks may have been taken over */
};

/* A zeroed struct is empty and valid. */
struct begun {
	pid_t pid; /* 0: none */
	unsigned count;
};

/* Begin a worker called NAME, and put a socket to it into *FD. Returns 0, or why not: EACCES if there
   is no such kind, or there have been too many. DEBUG_DIRS: folders that it may read. */
int begun_begin(struct begun *begun, const char *name, const char *debug_dirs, int *fd);
void begun_finish(struct begun *begun);

#endif
