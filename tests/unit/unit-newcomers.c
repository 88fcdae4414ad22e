/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that live for less than a period: when a sampler looks for them. */

#include "tests/lib/unit.h"

#include "ptrace/threads/newcomers.h"
#include "src/base/clock.h"

static void test_time_that_nobody_known_has_used(void **state)
{
	(void)state;
	struct newcomers newcomers = {0};
	uint64_t cpu_ns = 5 * NS_PER_SEC, used_ns = 3 * NS_PER_SEC;
	newcomers_are_likely(&newcomers, cpu_ns, used_ns); /* the past is not known */
	assert_false(newcomers_are_likely(&newcomers, cpu_ns, used_ns));
	/* Known threads have used it all, and nearly all of it. */
	cpu_ns += NS_PER_MS;
	used_ns += NS_PER_MS;
	assert_false(newcomers_are_likely(&newcomers, cpu_ns, used_ns));
	cpu_ns += NS_PER_MS;
	used_ns += NS_PER_MS - 20 * NS_PER_US;
	assert_false(newcomers_are_likely(&newcomers, cpu_ns, used_ns));
	/* Known threads have used half of it. */
	cpu_ns += NS_PER_MS;
	used_ns += NS_PER_MS / 2;
	assert_true(newcomers_are_likely(&newcomers, cpu_ns, used_ns));
	/* That is not asked again. */
	assert_false(newcomers_are_likely(&newcomers, cpu_ns, used_ns));
	/* A thread that has become known explains more than the clock. */
	used_ns += NS_PER_MS;
	assert_false(newcomers_are_likely(&newcomers, cpu_ns, used_ns));
}

/* Listings of TOOK_NS, as often as they are allowed in a second. */
static uint64_t time_of_listings(uint64_t took_ns, bool found_any)
{
	struct newcomers newcomers = {0};
	uint64_t now_ns = NS_PER_SEC, spent_ns = 0;
	while (now_ns < 2 * NS_PER_SEC) {
		if (newcomers_may_list(&newcomers, now_ns)) {
			newcomers_listed(&newcomers, now_ns, now_ns + took_ns, found_any);
			spent_ns += took_ns;
			now_ns += took_ns;
		}
		now_ns += 100 * NS_PER_US;
	}
	return spent_ns;
}

static void test_listing_takes_little_time(void **state)
{
	(void)state;
	for (uint64_t took_ns = 10 * NS_PER_US; took_ns <= NS_PER_MS; took_ns *= 10) {
		uint64_t spent_ns = time_of_listings(took_ns, true);
		assert_true(spent_ns > 0 && spent_ns <= NS_PER_SEC / 20 + took_ns);
		spent_ns = time_of_listings(took_ns, false);
		assert_true(spent_ns > 0 && spent_ns <= NS_PER_SEC / 50 + took_ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_that_nobody_known_has_used),
		cmocka_unit_test(test_listing_takes_little_time),
	};
	return unit_run(tests);
}
