/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/settling.h"

#include "src/base/clock.h"

#include <stdlib.h>

enum {
	SETTLED_SAMPLES = 8,
};

#define SETTLED_NS (2 * NS_PER_SEC)

void settling_seen(struct settling *settling, uint64_t time_ns)
{
	if (settling->samples++ == 0)
		settling->first_ns = time_ns;
	settling->is_settled = !settling->is_unsteady &&
			       settling->samples >= SETTLED_SAMPLES &&
			       time_ns > settling->first_ns &&
			       time_ns - settling->first_ns >= SETTLED_NS;
}

void settling_disturb(struct settling *settling)
{
	settling->is_unsteady = true;
	settling->is_settled = false;
}

static int compare_addresses(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;
	return (*left > *right) - (*left < *right);
}

void settling_sort(uint64_t *addresses, size_t count)
{
	if (count > 0)
		qsort(addresses, count, sizeof(*addresses), compare_addresses);
}
