/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our pprof files say when the samples were taken: a range of what was read has nearly what
   that range had when it was sampled, all of it exactly, and a file without times among
   several takes them from all. */

#include "tests/lib/imported.h"
#include "tests/lib/unit.h"
#include "tests/lib/written.h"

#include "src/base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct file with_times(bool wall)
{
	struct report_request request = {.moments = true, .wall = wall};
	return write_fixture("pprof", wall, false, &request);
}

/* What a name's total is in REPORT. */
static uint64_t total_of(const struct report *report, const char *name)
{
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct function *function =
			profile_function(report->profile, report->functions[i].function);
		if (strcmp(function->name, name) == 0)
			return report->functions[i].total.cpu_ns;
	}
	return 0;
}

static void assert_near(uint64_t a, uint64_t b, uint64_t most)
{
	if ((a > b ? a - b : b - a) > most)
		fail_msg("%lu and %lu are more than %lu apart", a, b, most);
}

/* SECONDS is how the window ends, counted from the begin. */
static void compare_range(
	struct recording *recording, uint64_t seconds, uint64_t window_s)
{
	const struct report_request sampled = {
		.window_ns = window_s * NS_PER_SEC,
		.until_ns = FIXTURE_START_NS + seconds * NS_PER_SEC,
	};
	const struct report_request read = {
		.window_ns = window_s * NS_PER_SEC,
		.until_ns = ORIGIN_START_NS + seconds * NS_PER_SEC,
		.sample_type = recording_default_type(recording),
	};
	struct fixture fixture;
	fixture_init(&fixture, false);
	struct report *before = fixture_report(&fixture, &sampled);
	struct report *after = recording_report(recording, &read);
	/* A sample at an edge may be a tick away, and weights are rounded. */
	const uint64_t most = 30 * NS_PER_MS;
	assert_true(before->total.cpu_ns > 0);
	assert_near(after->total.cpu_ns, before->total.cpu_ns, most);
	assert_near(after->total.samples, before->total.samples, 3);
	assert_int_equal(after->start_wall_ns, before->start_wall_ns);
	static const char *const names[] = {"main", "is_prime_by_division", "dot"};
	for (size_t i = 0; i < 3; i++)
		assert_near(total_of(after, names[i]), total_of(before, names[i]), most);
	report_destroy(before);
	report_destroy(after);
	fixture_finish(&fixture);
}

static void test_ranges_are_what_they_were(void **state)
{
	(void)state;
	struct file file = with_times(false);
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, file.bytes, file.size);
	for (uint64_t end = 2; end <= 10; end += 2) {
		compare_range(&recording, end, 1);
		compare_range(&recording, end, 2);
	}
	struct report *all = imported_report(&recording);
	assert_int_equal(all->total.cpu_ns, UINT64_C(12761600000));
	report_destroy(all);
	recording_finish(&recording);
	free(file.bytes);
}

/* Ranges that meet lose nothing and have nothing twice, of any type. */
static void test_ranges_add_up(void **state)
{
	(void)state;
	struct file file = with_times(true);
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, file.bytes, file.size);
	assert_int_equal(recording.origin->types.len, 3);
	for (uint32_t type = 0; type < 3; type++) {
		struct report_request request = {.sample_type = type};
		struct report *report = recording_report(&recording, &request);
		uint64_t all = report->total.cpu_ns, sum = 0;
		report_destroy(report);
		for (uint64_t end = 1; end <= 10; end++) {
			request.window_ns = NS_PER_SEC;
			request.until_ns = ORIGIN_START_NS + end * NS_PER_SEC;
			report = recording_report(&recording, &request);
			sum += report->total.cpu_ns;
			report_destroy(report);
		}
		assert_int_equal(sum, all);
		assert_true(all > 0);
	}
	recording_finish(&recording);
	free(file.bytes);
}

/* Read FILE and write it again, all of it or the range. */
static struct file again(const struct file *file, struct report_request request)
{
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, file->bytes, file->size);
	request.sample_type = recording_default_type(&recording);
	struct report *report = recording_report(&recording, &request);
	struct file out = write_report("pprof", report, false);
	report_destroy(report);
	recording_finish(&recording);
	return out;
}

static void assert_same(const struct file *a, const struct file *b)
{
	assert_int_equal(a->size, b->size);
	assert_memory_equal(a->bytes, b->bytes, a->size);
}

static void test_files_come_out_as_they_went_in(void **state)
{
	(void)state;
	for (int wall = 0; wall < 2; wall++) {
		struct file file = with_times(wall);
		struct file first =
			again(&file, (struct report_request){.moments = true});
		struct file second =
			again(&first, (struct report_request){.moments = true});
		assert_same(&first, &second);
		struct file without = again(&file, (struct report_request){0});
		assert_true(without.size < first.size);
		free(file.bytes);
		free(first.bytes);
		free(second.bytes);
		free(without.bytes);
	}
}

/* What is written of a range has the values of that range and no others. */
static void test_a_range_is_written_as_such(void **state)
{
	(void)state;
	struct file file = with_times(false);
	struct file part =
		again(&file, (struct report_request){
				     .moments = true,
				     .window_ns = 2 * NS_PER_SEC,
				     .until_ns = ORIGIN_START_NS + 5 * NS_PER_SEC,
			     });
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, part.bytes, part.size);
	struct report *report = imported_report(&recording);
	assert_true(recording.origin->moments.len > 0);
	assert_true(report->total.cpu_ns > NS_PER_SEC);
	assert_true(report->total.cpu_ns < 4 * NS_PER_SEC);
	uint64_t all = report->total.cpu_ns;
	report_destroy(report);
	const struct report_request same = {
		.window_ns = 2 * NS_PER_SEC,
		.until_ns = ORIGIN_START_NS + 5 * NS_PER_SEC,
		.sample_type = recording_default_type(&recording),
	};
	report = recording_report(&recording, &same);
	assert_int_equal(report->total.cpu_ns, all);
	report_destroy(report);
	recording_finish(&recording);
	free(file.bytes);
	free(part.bytes);
}

/* The numbers at the ends of the lines of folded stacks. */
static uint64_t folded_sum(const struct file *folded)
{
	uint64_t sum = 0;
	FILE *lines = fmemopen(folded->bytes, folded->size, "r");
	char *line = NULL;
	size_t size = 0;
	assert_non_null(lines);
	while (getline(&line, &size, lines) > 0)
		sum += strtoull(strrchr(line, ' '), NULL, 10);
	free(line);
	fclose(lines);
	return sum;
}

/* A person's rules move stacks, and their values of the range with them. */
static void test_a_range_has_its_values_in_all_formats(void **state)
{
	(void)state;
	static const char *const rules[] = {
		"", "function s/^is_prime.*/prime/", "thread s/.*/all/"};
	struct file file = with_times(false);
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
		struct recording recording;
		recording_init(&recording);
		imported_read(&recording, file.bytes, file.size);
		struct report_request request = {
			.window_ns = 2 * NS_PER_SEC,
			.until_ns = ORIGIN_START_NS + 5 * NS_PER_SEC,
			.sample_type = recording_default_type(&recording),
		};
		strcpy(request.naming.edits, rules[i]);
		struct report *range = recording_report(&recording, &request);
		uint64_t total = range->total.cpu_ns;
		assert_true(total > NS_PER_SEC && total < 4 * NS_PER_SEC);

		struct file folded = write_report("folded", range, false);
		assert_int_equal(folded_sum(&folded), total);
		struct file pprof = write_report("pprof", range, false);
		report_destroy(range);
		recording_finish(&recording);

		recording_init(&recording);
		imported_read(&recording, pprof.bytes, pprof.size);
		struct report *again = imported_report(&recording);
		assert_int_equal(again->total.cpu_ns, total);
		report_destroy(again);
		recording_finish(&recording);
		free(folded.bytes);
		free(pprof.bytes);
	}
	free(file.bytes);
}

static void test_one_file_without_times_takes_them_from_all(void **state)
{
	(void)state;
	struct file file = with_times(false);
	struct file without = write_fixture("pprof", false, false, NULL);
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, file.bytes, file.size);
	imported_read(&recording, file.bytes, file.size);
	struct report *report = imported_report(&recording);
	assert_true(recording.origin->moments.len > 0);
	report_destroy(report);
	recording_finish(&recording);

	recording_init(&recording);
	imported_read(&recording, file.bytes, file.size);
	imported_read(&recording, without.bytes, without.size);
	const struct report_request range = {
		.window_ns = NS_PER_SEC,
		.sample_type = recording_default_type(&recording),
	};
	report = recording_report(&recording, &range);
	assert_int_equal(recording.origin->moments.len, 0);
	assert_int_equal(report->total.cpu_ns, 2 * UINT64_C(12761600000));
	report_destroy(report);
	recording_finish(&recording);
	free(file.bytes);
	free(without.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranges_are_what_they_were),
		cmocka_unit_test(test_ranges_add_up),
		cmocka_unit_test(test_files_come_out_as_they_went_in),
		cmocka_unit_test(test_a_range_is_written_as_such),
		cmocka_unit_test(test_a_range_has_its_values_in_all_formats),
		cmocka_unit_test(test_one_file_without_times_takes_them_from_all),
	};
	return unit_run(tests);
}
