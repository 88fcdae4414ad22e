/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * analyst-process: a process whose records are to be read.
 */
#ifndef CPROFTOP_ANALYST_PROCESS_H
#define CPROFTOP_ANALYST_PROCESS_H

#include "src/facts/ring.h"

#include <stdbool.h>
#include <sys/types.h>

struct analyst_process {
	pid_t pid;
	struct ring *ring; /* borrowed; the reader takes its records */
	int proc_fd;	   /* an open /proc/PID; borrowed for the call */
	/* The tracer has met it, and told its mappings: it may have ended, then PROC_FD is -1. */
	bool is_met;
};

#endif
