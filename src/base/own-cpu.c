/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/own-cpu.h"

#include "src/base/clock.h"

#include <stdatomic.h>

static _Atomic uint64_t of_children_ns;

uint64_t own_cpu_ns(void)
{
	return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) +
	       atomic_load_explicit(&of_children_ns, memory_order_relaxed);
}

void own_cpu_add(uint64_t ns)
{
	atomic_fetch_add_explicit(&of_children_ns, ns, memory_order_relaxed);
}
