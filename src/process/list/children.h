/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * children: the child processes of a process, as the kernel lists them.
 *
 * /proc/PID/task/TID/children (proc(5), CONFIG_PROC_CHILDREN) names the children that
 * each thread forked and that nobody has waited for yet. The list is a hint: a child that
 * is forked or ends while it is read may be missing. Any thread.
 */
#ifndef CPROFTOP_CHILDREN_H
#define CPROFTOP_CHILDREN_H

#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct children {
	VEC(pid_t) list;
};

/* Add the children of PID to CHILDREN, as they are listed for the thread that created each;
   a zeroed one is empty. Only the first THREADS_MOST threads are asked; 0: all. False if
   the kernel has no such list, or if there is no such process. */
bool children_read(struct children *children, pid_t pid, unsigned threads_most);

/* The CPU time, user and system, of all children that PID has waited for, and of those
   that they had: cutime and cstime of /proc/PID/stat (proc(5)), which are in clock ticks.
   0 if there is no such process. */
uint64_t children_reaped_ns(pid_t pid);

/* The CPU time of PID itself so far, likewise. */
uint64_t children_own_ns(pid_t pid);

/* When PID began, in clock ticks since the system did (starttime): with this, a number is of one
   process only. 0 if there is none. */
uint64_t children_started(pid_t pid);

/* Does this kernel have lists of children? */
bool children_are_told(void);

#endif
