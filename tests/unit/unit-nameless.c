/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nameless: which code has no name, and what helps. */

#include "tests/lib/fixture.h"
#include "tests/lib/unit.h"

#include "src/count/nameless.h"

#include <stdio.h>
#include <string.h>

static void test_leaves_without_a_name_are_counted(void **state)
{
	(void)state;
	struct fixture fixture;
	fixture_init(&fixture, false);
	struct report *report = fixture_report(&fixture, NULL);
	struct nameless nameless;
	nameless_of(report, &nameless);
	assert_int_equal(nameless.of, 1389);
	assert_int_equal(nameless.samples, 8);
	assert_int_equal(nameless.n_rows, 1);
	assert_string_equal(nameless.rows[0].module, "libc.so.6");
	assert_string_equal(nameless.rows[0].path, "/usr/lib/x86_64-linux-gnu/libc.so.6");
	assert_int_equal(nameless.rows[0].samples, 8);
	assert_false(nameless_is_generated(&nameless.rows[0]));
	assert_false(nameless_matters(&nameless, &nameless.rows[0])); /* 0.6 % */
	struct nameless sum = nameless;
	nameless_add(&sum, &nameless);
	assert_int_equal(sum.rows[0].samples, 16);
	assert_int_equal(sum.samples, 16);
	report_destroy(report);
	fixture_finish(&fixture);
}

static void test_what_is_nameless(void **state)
{
	(void)state;
	static const struct {
		const char *name, *module;
		bool is_synthetic, is_nameless;
	} cases[] = {
		{"[anon]", "[anon]", false, true},
		{"[memfd:vmem]", "memfd:vmem", false, true},
		{"[cc1plus+0x7f4d20]", "cc1plus", false, true},
		{"[[vdso]+0x10]", "[vdso]", false, true},
		{"main", "cc1plus", false, false},
		{"[cc1plus]", "cc1", false, false},
		{"[no CFI]", "", true, false},
		{"[x]::f", "[x]", false, false},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct function function = {
			.name = cases[i].name,
			.module = cases[i].module,
			.is_synthetic = cases[i].is_synthetic,
		};
		assert_int_equal(function_is_nameless(&function), cases[i].is_nameless);
	}
}

/* --- what helps -------------------------------------------------------------------- */

static void assert_remedy(const struct nameless_row *row, const char *expected)
{
	if (!strstr(nameless_remedy(row), expected))
		fail_msg("%s, not %s", nameless_remedy(row), expected);
}

static void test_runtimes_are_told_to_write_names(void **state)
{
	(void)state;
	struct nameless_row row = {.module = "[anon]", .path = "[anon]"};
	assert_remedy(&row, "only what makes it can name it");
	snprintf(row.runtime, sizeof(row.runtime), "node");
	assert_remedy(&row, "--perf-basic-prof");
	row.has_names = true;
	assert_remedy(&row, "its perf map does not have it");
	snprintf(row.runtime, sizeof(row.runtime), "libjvm.so");
	assert_remedy(&row, "jcmd PID Compiler.perfmap");
	struct nameless_row memory = {.module = "memfd:vmem",
		.path = "/memfd:vmem (deleted)",
		.runtime = "beam.smp"};
	assert_true(nameless_is_generated(&memory));
	assert_remedy(&memory, "+JPperf true");
}

static void test_files_without_symbols(void **state)
{
	(void)state;
	struct nameless_row row = {
		.module = "libx.so", .path = "/libx.so", .build_id = "1234"};
	assert_remedy(&row, "-dbgsym package of its package, or --debuginfod");
	snprintf(row.module, sizeof(row.module), "libc.so.6");
	assert_remedy(&row, "apt install libc6-dbg, or --debuginfod");
	row.build_id[0] = '\0';
	assert_remedy(&row, "it was stripped");
	snprintf(row.path, sizeof(row.path), "/x (deleted)");
	assert_remedy(&row, "restart the program");
	snprintf(row.path, sizeof(row.path), "[vdso]");
	assert_remedy(&row, "the kernel's own");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaves_without_a_name_are_counted),
		cmocka_unit_test(test_what_is_nameless),
		cmocka_unit_test(test_runtimes_are_told_to_write_names),
		cmocka_unit_test(test_files_without_symbols),
	};
	return unit_run(tests);
}
