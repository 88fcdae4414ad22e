/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/link/deaths.h"

#include "src/base/clock.h"

static bool too_fast(struct deaths *deaths, uint64_t now_ns)
{
	if (now_ns - deaths->second_ns > NS_PER_SEC) {
		deaths->second_ns = now_ns;
		deaths->in_second = 0;
	}
	return ++deaths->in_second > DEATHS_A_SECOND;
}

static bool all_in_vain(struct deaths *deaths, uint64_t now_ns, uint64_t samples)
{
	if (samples != deaths->samples ||
		now_ns - deaths->last_ns > DEATHS_LIVED_S * NS_PER_SEC)
		deaths->in_vain = 0;
	deaths->samples = samples;
	deaths->last_ns = now_ns;
	return ++deaths->in_vain > DEATHS_IN_VAIN;
}

bool deaths_too_many(struct deaths *deaths, uint64_t now_ns, uint64_t samples)
{
	bool fast = too_fast(deaths, now_ns);
	return all_in_vain(deaths, now_ns, samples) || fast;
}
