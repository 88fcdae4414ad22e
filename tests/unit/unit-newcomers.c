/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that live for less than a period: when a sampler looks for them, and who stands
   for those that it has missed. */

#include "tests/lib/unit.h"

#include "ptrace/threads/newcomers.h"
#include "ptrace/threads/orphans.h"
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
		assert_true(spent_ns > 0 && spent_ns <= NS_PER_SEC / 200 + took_ns);
	}
}

static void test_orphans_are_taken_once(void **state)
{
	(void)state;
	struct orphans orphans = {0};
	uint64_t now_ns = 7 * NS_PER_SEC;
	assert_int_equal(orphans_take(&orphans, now_ns), 0);
	orphans_add(&orphans, 1000, now_ns);
	orphans_add(&orphans, 200, now_ns + 400 * NS_PER_MS);
	orphans_add(&orphans, 30, now_ns + 700 * NS_PER_MS);
	assert_int_equal(orphans_take(&orphans, now_ns + 800 * NS_PER_MS), 1230);
	assert_int_equal(orphans_take(&orphans, now_ns + 800 * NS_PER_MS), 0);
}

static void test_orphans_are_forgotten(void **state)
{
	(void)state;
	uint64_t now_ns = 7 * NS_PER_SEC;
	for (uint64_t after_ms = 0; after_ms <= 3000; after_ms += 50) {
		struct orphans orphans = {0};
		orphans_add(&orphans, 1000, now_ns);
		uint64_t taken = orphans_take(&orphans, now_ns + after_ms * NS_PER_MS);
		if (after_ms < 500)
			assert_int_equal(taken, 1000);
		else if (after_ms >= 1000)
			assert_int_equal(taken, 0);
		else
			assert_true(taken == 0 || taken == 1000);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_that_nobody_known_has_used),
		cmocka_unit_test(test_listing_takes_little_time),
		cmocka_unit_test(test_orphans_are_taken_once),
		cmocka_unit_test(test_orphans_are_forgotten),
	};
	return unit_run(tests);
}
