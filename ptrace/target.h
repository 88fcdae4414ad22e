/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * target: one process, found, opened and described; not yet touched.
 *
 * Holds directory descriptors into /proc, so that a PID that is used again cannot turn us
 * to another process. The memory descriptor pins the address space it was opened on: once
 * the process has executed another program a read gives 0 bytes, which is how exec is
 * noticed without asking the kernel for an extra stop.
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
	int mem_fd;	     /* /proc/PID/mem or that of a live thread */
	clockid_t cpu_clock; /* the CPU time of all its threads, also of those gone */
	char *command; /* arguments joined by spaces, cleaned, at most 4 KiB; owned */
	char *path;    /* of the executable, cleaned, "" if not readable; owned */
};

/* Open process PID. On failure nothing is left open and ERR says which of the many
   reasons it is (ptrace/explain.h). Never blocks. Any thread. */
bool target_open(struct target *target, pid_t pid, struct error *err);
/* Read command and path anew, after an exec. */
void target_describe(struct target *target);

void target_close(struct target *target); /* a zeroed or closed target is fine */

/* Open the memory anew, after an exec, through any thread that lives. False, with errno,
   if the process is gone or it is not permitted. */
bool target_open_memory(struct target *target);

/* The thread that traces the process, as the kernel says; 0: nobody, or one of ours. */
pid_t target_tracer(const struct target *target);

#endif
