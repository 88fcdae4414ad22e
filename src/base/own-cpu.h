/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own-cpu: the CPU time that cproftop itself uses, all its processes together.
 *
 * The kernel's clock of the first process, and what its children say that they have used:
 * one that lives on is in no clock that its parent could read. What they say lies in
 * memory that all share. Any thread of any of our processes.
 */
#ifndef CPROFTOP_OWN_CPU_H
#define CPROFTOP_OWN_CPU_H

#include <stdint.h>

/* To be called by the first process before it forks others; again does nothing. */
void own_cpu_share(void);

uint64_t own_cpu_ns(void);

/* A process that is not the first has used NS more. */
void own_cpu_add(uint64_t ns);

#endif
