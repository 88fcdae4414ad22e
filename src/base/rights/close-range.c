/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/rights/close-range.h"

#include <sys/resource.h>
#include <unistd.h>

enum {
	/* The most that a process can have, unless root has changed it. */
	HIGHEST = 1 << 20,
};

void close_all(unsigned first, unsigned last)
{
	struct rlimit limit;
	if (first > last || close_range(first, last, 0) == 0)
		return;
	unsigned end = HIGHEST;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_max < end)
		end = (unsigned)limit.rlim_max;
	for (unsigned fd = first; fd < end && fd <= last; fd++)
		close((int)fd);
}
