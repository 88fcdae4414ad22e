/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as text: what a person reads, and that it never breaks out of its column. */

#include "tests/lib/unit.h"

#include "ui/draw/format.h"

#include <math.h>
#include <string.h>

#define assert_reads(formatted, expected) \
	assert_string_equal((formatted).text, (expected))

static void test_percent(void **state)
{
	(void)state;
	assert_reads(format_percent(0, 0), "-");
	assert_reads(format_percent(0, 7), "0.0%");
	assert_reads(format_percent(1, 1000000), "<0.1%");
	assert_reads(format_percent(1, 1000), "0.1%");
	assert_reads(format_percent(123, 1000), "12.3%");
	assert_reads(format_percent(7, 7), "100.0%");
	assert_reads(format_percent(16, 1), "1600%");
	assert_reads(format_share(9.9996), "1000%");
	assert_reads(format_share(9.9994), "999.9%");
	assert_reads(format_share(NAN), "-");
	assert_reads(format_share(-1), "-");
	assert_reads(format_percent(UINT64_MAX, 1), ">9999%");
}

static void test_seconds(void **state)
{
	(void)state;
	assert_reads(format_seconds(0), "0.00s");
	assert_reads(format_seconds(10101010), "0.01s");
	assert_reads(format_seconds(123450000000), "123.45s");
	assert_reads(format_seconds(999999999999), "1000.0s");
	assert_reads(format_seconds(123456000000000), "123456s");
}

static void test_duration(void **state)
{
	(void)state;
	assert_reads(format_duration(0), "0 ns");
	assert_reads(format_duration(999), "999 ns");
	assert_reads(format_duration(12345), "12.3 us");
	assert_reads(format_duration(999600), "1.00 ms");
	assert_reads(format_duration(999499), "999 us");
	assert_reads(format_duration(30000000000), "30 s");
	assert_reads(format_duration(1500000000), "1.5 s");
	assert_reads(format_duration(60000000000), "1m00s");
	assert_reads(format_duration(125000000000), "2m05s");
	assert_reads(format_duration(36120000000000), "10h02m");
	assert_reads(format_duration(3 * 86400000000000 + 4 * 3600000000000), "3d04h");
}

static void test_count_and_bytes(void **state)
{
	(void)state;
	assert_reads(format_count(0), "0");
	assert_reads(format_count(99999), "99999");
	assert_reads(format_count(100000), "100.0k");
	assert_reads(format_count(999949), "999.9k");
	assert_reads(format_count(999950), "1.0M");
	assert_reads(format_bytes(1023), "1023B");
	assert_reads(format_bytes(1536), "1.5K");
	assert_reads(format_bytes(64 * 1024 * 1024), "64.0M");
	assert_reads(format_bytes(1023 * 1024 + 1023), "1.0M");
}

static void test_rate(void **state)
{
	(void)state;
	assert_reads(format_rate(92.7, 99), "93/99 Hz");
	assert_reads(format_rate(NAN, 99), "0/99 Hz");
	assert_reads(format_rate(9999.6, 10000), "10000/10000 Hz");
}

/* Every order of magnitude, and both sides of every place where a digit is carried. */
static void test_nothing_breaks_out_of_its_column(void **state)
{
	(void)state;
	for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10) {
		for (uint64_t digit = 1; digit <= 10; digit++) {
			for (int below = 0; below < 3; below++) {
				uint64_t n = digit * power - (unsigned)below;
				if (digit * power / digit != power)
					continue;
				assert_in_range(strlen(format_percent(n, 1000).text), 1,
					FORMAT_PERCENT_WIDTH);
				assert_in_range(strlen(format_seconds(n).text), 2,
					FORMAT_SECONDS_WIDTH);
				assert_in_range(strlen(format_duration(n).text), 3,
					FORMAT_DURATION_WIDTH);
				assert_in_range(strlen(format_count(n).text), 1,
					FORMAT_COUNT_WIDTH);
				assert_in_range(strlen(format_bytes(n).text), 2,
					FORMAT_BYTES_WIDTH);
			}
		}
	}
	assert_in_range(strlen(format_seconds(UINT64_MAX).text), 1, FORMAT_SECONDS_WIDTH);
}

/* A shorter time never reads as a longer one: checked on the borders between units. */
static void test_duration_units_follow_each_other(void **state)
{
	(void)state;
	assert_reads(format_duration(59999999999), "60.0 s");
	assert_reads(format_duration(3599999999999), "59m59s");
	assert_reads(format_duration(3600000000000), "1h00m");
	assert_reads(format_duration(86399999999999), "23h59m");
	assert_reads(format_duration(86400000000000), "1d00h");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_percent),
		cmocka_unit_test(test_seconds),
		cmocka_unit_test(test_duration),
		cmocka_unit_test(test_count_and_bytes),
		cmocka_unit_test(test_rate),
		cmocka_unit_test(test_nothing_breaks_out_of_its_column),
		cmocka_unit_test(test_duration_units_follow_each_other),
	};
	return unit_run(tests);
}
