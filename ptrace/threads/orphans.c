/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/orphans.h"

#include "src/base/clock.h"

#include <stdbool.h>

enum {
	TURN_MS = 500, /* so they are forgotten after 500 to 1000 ms */
};

static void turn(struct orphans *orphans, uint64_t now_ns)
{
	uint64_t passed_ns = now_ns - orphans->since_ns;
	if (passed_ns < TURN_MS * NS_PER_MS)
		return;
	bool is_old = passed_ns >= 2 * TURN_MS * NS_PER_MS;
	orphans->older_ns = is_old ? 0 : orphans->recent_ns;
	orphans->recent_ns = 0;
	orphans->since_ns = now_ns;
}

void orphans_add(struct orphans *orphans, uint64_t cpu_ns, uint64_t now_ns)
{
	turn(orphans, now_ns);
	orphans->recent_ns += cpu_ns;
}

uint64_t orphans_take(struct orphans *orphans, uint64_t now_ns)
{
	turn(orphans, now_ns);
	uint64_t all_ns = orphans->recent_ns + orphans->older_ns;
	orphans->recent_ns = orphans->older_ns = 0;
	return all_ns;
}
