/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tests of views and exporters use the fixture, so its figures must add up. */

#include "src/count/health.h"
#include "tests/lib/fixture.h"
#include "tests/lib/unit.h"

#include <string.h>

static const struct report_function *find(const struct report *report, const char *name)
{
	for (size_t i = 0; i < report->n_functions; i++) {
		uint32_t id = report->functions[i].function;
		if (strcmp(profile_function(report->profile, id)->name, name) == 0)
			return &report->functions[i];
	}
	return NULL;
}

static void test_every_sum_is_the_same_sum(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, false);
	struct report *report = fixture_report(&fixture, NULL);
	uint64_t self = 0, stacks = 0, nodes = 0, threads = 0, ends = 0, slices = 0;
	for (size_t i = 0; i < report->n_functions; i++)
		self += report->functions[i].self.cpu_ns;
	for (size_t i = 0; i < report->n_stacks; i++)
		stacks += report->stacks[i].weight.cpu_ns;
	for (size_t i = 0; i < report->n_nodes; i++)
		nodes += report->nodes[i].self.cpu_ns;
	for (size_t i = 0; i < report->n_threads; i++)
		threads += report->threads[i].weight.cpu_ns;
	for (size_t i = 0; i < REPORT_TIMELINE; i++)
		slices += report->timeline[i].sampled_cpu_ns;
	for (size_t i = 0; i < UNWIND_END_COUNT; i++)
		ends += report->ends[i];
	assert_int_equal(report->total.samples, 1389);
	assert_int_equal(fixture.samples.len, 1389);
	assert_int_equal(report->total.cpu_ns, 12761600000);
	assert_int_equal(report->total.wall_ns, 0);
	assert_int_equal(report->nodes[0].total.cpu_ns, report->total.cpu_ns);
	assert_int_equal(self, report->total.cpu_ns);
	assert_int_equal(stacks, report->total.cpu_ns);
	assert_int_equal(nodes, report->total.cpu_ns);
	assert_int_equal(threads, report->total.cpu_ns);
	assert_int_equal(slices, report->total.cpu_ns);
	assert_int_equal(ends, report->total.samples);
	report_destroy(report);
	fixture_finish(&fixture);
}

static void test_recursion_and_broken_stacks_are_counted_once(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, false);
	struct report *report = fixture_report(&fixture, NULL);
	const struct report_function *fib = find(report, "fibonacci");
	assert_non_null(fib);
	assert_int_equal(fib->total.samples, 90);
	assert_int_equal(fib->self.samples, 90);
	const struct report_function *broken = find(report, "[truncated stack]");
	assert_non_null(broken);
	assert_int_equal(broken->total.samples, 10);
	assert_int_equal(broken->self.samples, 0);
	assert_int_equal(find(report, "[bad memory]")->self.samples, 2);
	assert_null(find(report, "[stack cycle]"));
	assert_int_equal(report->ends[UNWIND_TRUNCATED], 10);
	report_destroy(report);
	fixture_finish(&fixture);
}

static void test_health_names_the_files(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, false);
	struct report *report = fixture_report(&fixture, NULL);
	struct health health;
	health_of(report, &health);
	assert_int_equal(health_broken(&health), 20);
	assert_int_equal(health.ends[UNWIND_ROOT], 1369);
	assert_int_equal(health.n_rows, 3);
	assert_string_equal(health.rows[0].module, "libc.so.6");
	assert_int_equal(health.rows[0].end, UNWIND_TRUNCATED);
	assert_int_equal(health.rows[0].samples, 10);
	assert_string_equal(health.rows[1].module, "libc.so.6");
	assert_int_equal(health.rows[1].end, UNWIND_NO_CFI);
	assert_string_equal(health.rows[2].module, ""); /* no frame was seen at all */
	health_add(&health, &health);
	assert_int_equal(health.rows[0].samples, 20);
	assert_int_equal(health_broken(&health), 40);
	for (size_t i = 0; i < health.n_rows; i++) {
		assert_true(health_reason(&health.rows[i])[0]);
		assert_true(health_remedy(&health.rows[i])[0]);
	}
	report_destroy(report);
	fixture_finish(&fixture);
}

/* What helps against stacks that broke in generated code depends on what made it. */
static void test_remedies_for_generated_code(void **state)
{
	(void)state;
	struct health_row row = {
		.module = "memfd:vmem", .end = UNWIND_NO_CFI, .is_generated = true};
	static const struct {
		const char *runtime, *part;
	} cases[] = {
		{"beam.smp", "ERL_FLAGS=\"+JPperf true\""},
		{"java", "-XX:+PreserveFramePointer"},
		{"luajit-2.1", "-joff"},
		{"pypy3", "--jit off"},
		{"guile", "GUILE_JIT_THRESHOLD=-1"},
		{"", "keep frame pointers"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		snprintf(row.runtime, sizeof(row.runtime), "%s", cases[i].runtime);
		assert_non_null(strstr(health_remedy(&row), cases[i].part));
	}
	assert_non_null(strstr(health_reason(&row), "generated code"));
	row.is_generated = false;
	assert_null(strstr(health_remedy(&row), "keep frame pointers"));
}

static void test_a_range_counts_only_its_samples(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, true);
	struct report_request request = {
		.window_ns = 1000000000,
		.until_ns = FIXTURE_START_NS + 1000000000,
		.tids = {4712},
		.n_tids = 1,
	};
	struct report *report = fixture_report(&fixture, &request);
	assert_int_equal(report->total.samples, 60);
	assert_int_equal(report->total.wall_ns, 2000000000);
	/* The others of that second are listed, with nothing that counts. */
	assert_int_equal(report->n_threads, 4);
	for (size_t i = 0; i < report->n_threads; i++)
		assert_int_equal(report->threads[i].is_outside,
			report->threads[i].weight.samples == 0);
	assert_int_equal(report->start_wall_ns, FIXTURE_START_WALL_NS);
	assert_true(report->everything.samples > report->total.samples);
	report_destroy(report);
	fixture_finish(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_sum_is_the_same_sum),
		cmocka_unit_test(test_recursion_and_broken_stacks_are_counted_once),
		cmocka_unit_test(test_health_names_the_files),
		cmocka_unit_test(test_remedies_for_generated_code),
		cmocka_unit_test(test_a_range_counts_only_its_samples),
	};
	return unit_run(tests);
}
