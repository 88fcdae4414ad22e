/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/own-cpu.h"

#include "src/base/clock.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

struct shared {
	_Atomic uint64_t others_ns;
	clockid_t first; /* the clock of the first process, for the others */
	pid_t first_pid;
};

static struct shared *shared;

void own_cpu_share(void)
{
	if (shared)
		return;
	void *memory = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return;
	shared = memory;
	shared->first_pid = getpid();
	clock_getcpuclockid(shared->first_pid, &shared->first);
}

uint64_t own_cpu_ns(void)
{
	if (!shared || getpid() == shared->first_pid)
		return clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) +
		       (shared ? shared->others_ns : 0);
	return clock_read_ns(shared->first) + shared->others_ns;
}

void own_cpu_add(uint64_t ns)
{
	if (shared)
		atomic_fetch_add_explicit(&shared->others_ns, ns, memory_order_relaxed);
}
