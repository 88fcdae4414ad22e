/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When tracers have died too often, by a clock of our own. */

#include "tests/lib/unit.h"

#include "ptrace/link/deaths.h"
#include "src/base/clock.h"

enum {
	START_S = 1000
};

/* How many of N deaths, EVERY_MS apart and with SAMPLES taken before each, are put up with. */
static unsigned stood(unsigned n, uint64_t every_ms, uint64_t samples)
{
	struct deaths deaths = {0};
	uint64_t now_ns = START_S * NS_PER_SEC;
	for (unsigned i = 0; i < n; i++) {
		now_ns += every_ms * NS_PER_MS;
		if (deaths_too_many(&deaths, now_ns, 17 + i * samples))
			return i;
	}
	return n;
}

static void test_at_once(void **state)
{
	(void)state;
	assert_int_equal(stood(1000, 1, 0), DEATHS_A_SECOND);
	/* Too many, though each took samples. */
	assert_int_equal(stood(1000, 1, 5), DEATHS_A_SECOND);
	assert_int_equal(stood(1000, 20, 5), DEATHS_A_SECOND);
}

static void test_slowly_and_in_vain(void **state)
{
	(void)state;
	for (uint64_t every_ms = 26; every_ms <= DEATHS_LIVED_S * 1000; every_ms *= 2)
		assert_int_equal(stood(1000, every_ms, 0), DEATHS_IN_VAIN);
}

static void test_slowly_but_with_samples(void **state)
{
	(void)state;
	assert_int_equal(stood(1000, 26, 1), 1000);
	assert_int_equal(stood(1000, 300, 1), 1000);
}

static void test_nothing_to_sample(void **state)
{
	(void)state;
	assert_int_equal(stood(1000, DEATHS_LIVED_S * 1000 + 1, 0), 1000);
}

/* A sample now and then is enough. */
static void test_one_that_works_between(void **state)
{
	(void)state;
	struct deaths deaths = {0};
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t now_ns = START_S * NS_PER_SEC + i * 100 * NS_PER_MS;
		assert_false(deaths_too_many(&deaths, now_ns, i / DEATHS_IN_VAIN));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_at_once),
		cmocka_unit_test(test_slowly_and_in_vain),
		cmocka_unit_test(test_slowly_but_with_samples),
		cmocka_unit_test(test_nothing_to_sample),
		cmocka_unit_test(test_one_that_works_between),
	};
	return unit_run(tests);
}
