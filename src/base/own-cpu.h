/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own-cpu: the CPU time that cproftop itself uses, all its processes together.
 *
 * That is the kernel's clock of this process, and what our children report: the time of a
 * child that still runs is in no clock that we can read. Any thread.
 */
#ifndef CPROFTOP_OWN_CPU_H
#define CPROFTOP_OWN_CPU_H

#include <stdint.h>

uint64_t own_cpu_ns(void);

/* Add NS that a child reports to have used. */
void own_cpu_add(uint64_t ns);

#endif
