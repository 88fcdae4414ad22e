/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * offspring: how much CPU time the children of a process use, and their children.
 *
 * For a process that itself only waits for them. Times are the kernel's clock ticks, so a
 * share is worth something over a second or more. Reads a file or two for each child, of at
 * most OFFSPRING_MOST. Any thread.
 */
#ifndef CPROFTOP_OFFSPRING_H
#define CPROFTOP_OFFSPRING_H

#include <stdint.h>
#include <sys/types.h>

enum {
	OFFSPRING_MOST = 256
};

struct offspring {
	unsigned living; /* children, and theirs */
	uint64_t cpu_ns; /* of the living, and of those that were waited for */
	/* Since the reading before: 1.0 is one CPU. 0 after the first one. */
	double share;
	uint64_t read_ns; /* monotonic; 0: not read yet */
};

/* Read what PID has now. A zeroed OFFSPRING has not been read. A process that has ended has
   no children, and what it had keeps its time. */
void offspring_read(struct offspring *offspring, pid_t pid, uint64_t now_ns);

#endif
