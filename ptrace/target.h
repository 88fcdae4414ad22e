/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target: one process: its descriptors in /proc and its description. It is not attached
 * to.
 *
 * Holds directory descriptors in /proc, so that a PID that the kernel uses again cannot
 * lead to another process. The memory descriptor belongs to the address space it was
 * opened on: after an exec a read of it gives 0 bytes. That is how exec is noticed,
 * without an extra stop.
 */
#ifndef CPROFTOP_PTRACE_TARGET_H
#define CPROFTOP_PTRACE_TARGET_H

#include "src/base/error.h"

#include <stdbool.h>
#include <sys/types.h>
#include <time.h>

struct target {
	pid_t pid;
	int proc_fd;	     /* /proc/PID */
	int task_dir_fd;     /* /proc/PID/task */
	int mem_fd;	     /* /proc/PID/mem, or that of a live thread */
	clockid_t cpu_clock; /* the CPU time of all its threads, ended ones included */
	char *command; /* arguments joined by spaces, cleaned, at most 4 KiB; owned */
	char *path;    /* of the executable, cleaned, "" if not readable; owned */
};

/* Open process PID. On failure nothing stays open, and ERR says why (ptrace/explain.h).
   Never blocks. Any thread. */
bool target_open(struct target *target, pid_t pid, struct error *err);
/* Read command and path again, after an exec. */
void target_describe(struct target *target);

void target_close(struct target *target); /* may be zeroed or closed already */

/* Open the memory again, after an exec, through any live thread. False, with errno, if
   the process has ended or it is not permitted. */
bool target_open_memory(struct target *target);

/* The thread that traces the process (TracerPid); 0: none, or one of ours. */
pid_t target_tracer(const struct target *target);

#endif
