/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own-cpu: the CPU time that cproftop itself uses, all its processes together.
 *
 * It is the CPU clock of the first process, what the processes that it has forked have reported
 * with own_cpu_add, and the clocks of those that it follows. The sum of what was reported lies
 * in memory that the forked ones share. Any thread of any of these processes.
 */
#ifndef CPROFTOP_OWN_CPU_H
#define CPROFTOP_OWN_CPU_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* Called by the first process before it forks others. A second call does nothing. */
void own_cpu_share(void);

uint64_t own_cpu_ns(void);

/* Report that this process, which is not the first, has used NS more. */
void own_cpu_add(uint64_t ns);

/* In the first process: PID, a child, has been executed, and cannot report; it has ended, and USED
   so much. At most a few at a time are followed. */
void own_cpu_follow(pid_t pid);
void own_cpu_leave(pid_t pid, const struct rusage *used);

/* In the first process: look at the clocks of all that it follows, now and then, for the others. */
void own_cpu_look(void);

#endif
