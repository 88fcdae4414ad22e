/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own-cpu: the CPU time that cproftop itself uses, all its processes together.
 *
 * It is the CPU clock of the first process plus what the other processes have reported
 * with own_cpu_add. They report it themselves, because a parent cannot read the CPU time
 * of a child that still runs from its own clocks. The reported sum lies in memory that
 * all our processes share. Any thread of any of our processes.
 */
#ifndef CPROFTOP_OWN_CPU_H
#define CPROFTOP_OWN_CPU_H

#include <stdint.h>

/* Called by the first process before it forks others. A second call does nothing. */
void own_cpu_share(void);

uint64_t own_cpu_ns(void);

/* Report that this process, which is not the first, has used NS more. */
void own_cpu_add(uint64_t ns);

#endif
