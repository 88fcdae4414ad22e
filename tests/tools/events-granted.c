/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * events-granted: what perf_event_open(2) gives whoever runs this, for tests that need it:
 * "kernel" (samples of our own, also in the kernel) or "user"; else 77, and why.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long open_one(unsigned exclude_kernel)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 10000000,
		.exclude_kernel = exclude_kernel,
	};
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

int main(void)
{
	if (open_one(0) >= 0)
		return puts("kernel") < 0;
	if (open_one(1) >= 0)
		return puts("user") < 0;
	printf("perf_event_open: %s\n", strerror(errno));
	return 77;
}
