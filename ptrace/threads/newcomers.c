/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/threads/newcomers.h"

enum {
	SHARE = 20,
	SHARE_NONE = 50,
	/* What threads use between the readings of their accounts and of the clock. */
	UNKNOWN_NS = 50 * 1000,
};

bool newcomers_may_list(const struct newcomers *newcomers, uint64_t now_ns)
{
	unsigned share = newcomers->found_any ? SHARE : SHARE_NONE;
	return now_ns - newcomers->asked_ns >= share * newcomers->took_ns;
}

bool newcomers_are_likely(struct newcomers *newcomers, uint64_t cpu_ns, uint64_t used_ns)
{
	int64_t passed_ns = (int64_t)(cpu_ns - newcomers->cpu_ns);
	int64_t known_ns = (int64_t)(used_ns - newcomers->used_ns);
	newcomers->cpu_ns = cpu_ns;
	newcomers->used_ns = used_ns;
	return passed_ns - known_ns > UNKNOWN_NS;
}

void newcomers_listed(
	struct newcomers *newcomers, uint64_t began_ns, uint64_t now_ns, bool found_any)
{
	newcomers->asked_ns = now_ns;
	newcomers->took_ns = now_ns - began_ns;
	newcomers->found_any = found_any;
}
