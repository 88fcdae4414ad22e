/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own-cpu: what cproftop costs, all its processes together.
 *
 * The kernel's clock of this process, and what children of ours say that they have used:
 * a child that lives on is in no clock that we could read. Any thread.
 */
#ifndef CPROFTOP_OWN_CPU_H
#define CPROFTOP_OWN_CPU_H

#include <stdint.h>

uint64_t own_cpu_ns(void);

/* A child has used NS more. */
void own_cpu_add(uint64_t ns);

#endif
