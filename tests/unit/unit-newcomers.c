/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads that live for less than a period: when a sampler looks for them. */

#include "tests/lib/unit.h"

#include "ptrace/threads/newcomers.h"
#include "ptrace/threads/pool.h"
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

static void test_a_pool_is_shared(void **state)
{
	(void)state;
	struct pool pool = {0};
	const uint64_t period_ns = 10 * NS_PER_MS;
	uint64_t now_ns = 7 * NS_PER_SEC;
	assert_true(pool_is_due(&pool, now_ns));
	assert_int_equal(pool_take(&pool, 1, period_ns), 0);
	assert_int_equal(pool_fill(&pool, now_ns, now_ns + NS_PER_US, 30 * NS_PER_MS,
				 5 * NS_PER_MS, period_ns),
		0);
	assert_false(pool_is_due(&pool, now_ns + 90 * NS_PER_US));
	assert_true(pool_is_due(&pool, now_ns + 110 * NS_PER_US));
	assert_int_equal(pool_take(&pool, 1, period_ns), 25 * NS_PER_MS);
	assert_int_equal(pool_take(&pool, 1, period_ns), 0);
	/* Samples and those that count by themselves have had more than there is. */
	pool_fill(&pool, now_ns, now_ns, NS_PER_SEC, 2 * NS_PER_SEC, period_ns);
	assert_int_equal(pool_take(&pool, 1, period_ns), 0);
	/* One sample does not take what was nobody's for long; one of a few that were looked at
	   may. */
	pool_fill(&pool, now_ns, now_ns, NS_PER_SEC, 0, period_ns);
	assert_int_equal(pool_take(&pool, 1, period_ns), 40 * NS_PER_MS);
	assert_int_equal(pool_take(&pool, 10, period_ns), 400 * NS_PER_MS);
	assert_int_equal(pool.left_ns, 560 * NS_PER_MS);
}

/* One thread in 7 is looked at, and as chance has it one period in 10 is found: the counts are of
   the time, and much alike. */
static void test_a_pool_is_counted(void **state)
{
	(void)state;
	struct pool pool = {0};
	const uint64_t period_ns = 10 * NS_PER_MS;
	unsigned sum = 0, largest = 0;
	for (unsigned i = 0; i < 100; i++) {
		uint64_t taken_ns = (i % 2 ? 3 : 17) * period_ns; /* 10 on average */
		unsigned count = pool_count(&pool, 7, taken_ns, period_ns);
		largest = count > largest ? count : largest;
		sum += count;
	}
	assert_in_range(sum, 970, 1000);
	assert_in_range(largest, 7, 14);
	/* If all are looked at, each is one. */
	assert_int_equal(pool_count(&pool, 1, 4 * period_ns, period_ns), 1);
	assert_int_equal(pool_count(&pool, 7, 7 * period_ns, period_ns), 7);
}

static void test_a_pool_is_forgotten(void **state)
{
	(void)state;
	struct pool pool = {0};
	const uint64_t period_ns = 10 * NS_PER_MS;
	uint64_t known_ns = 0, most_ns = 0;
	/* A CPU is used, and nobody sampled. */
	for (uint64_t ms = 0; ms < 20000; ms += 10) {
		uint64_t used_ns = ms * NS_PER_MS, now_ns = 7 * NS_PER_SEC + used_ns;
		known_ns +=
			pool_fill(&pool, now_ns, now_ns, used_ns, known_ns, period_ns);
		most_ns = pool.left_ns > most_ns ? pool.left_ns : most_ns;
		assert_int_equal(known_ns + pool.left_ns, used_ns);
	}
	assert_in_range(most_ns, 2 * NS_PER_SEC, 4 * NS_PER_SEC + period_ns);
	assert_in_range(pool.left_ns, 2 * NS_PER_SEC, most_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_time_that_nobody_known_has_used),
		cmocka_unit_test(test_listing_takes_little_time),
		cmocka_unit_test(test_a_pool_is_shared),
		cmocka_unit_test(test_a_pool_is_counted),
		cmocka_unit_test(test_a_pool_is_forgotten),
	};
	return unit_run(tests);
}
