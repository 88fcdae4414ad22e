/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nameless and remedy: which code has no name, and what the records of the machine say
   about it. */

#include "tests/lib/compiled.h"
#include "tests/lib/fixture.h"

#include "src/count/nameless.h"
#include "src/count/remedy.h"

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

static void assert_remedy(
	const struct nameless_row *row, const char *root, const char *expected)
{
	char text[REMEDY_MAX];
	remedy_for(row, root, text, sizeof(text));
	if (!strstr(text, expected))
		fail_msg("%s, not %s", text, expected);
}

static void test_runtimes_are_told_to_write_names(void **state)
{
	(void)state;
	struct nameless_row row = {.module = "[anon]", .path = "[anon]"};
	assert_remedy(&row, "", "only what makes it can name it");
	snprintf(row.runtime, sizeof(row.runtime), "node");
	assert_remedy(&row, "", "--perf-basic-prof");
	row.has_names = true;
	assert_remedy(&row, "", "its perf map does not have it");
	snprintf(row.runtime, sizeof(row.runtime), "libjvm.so");
	assert_remedy(&row, "", "--perf-map, or jcmd PID Compiler.perfmap");
	struct nameless_row memory = {.module = "memfd:vmem",
		.path = "/memfd:vmem (deleted)",
		.runtime = "beam.smp"};
	assert_true(nameless_is_generated(&memory));
	assert_remedy(&memory, "", "+JPperf true");
}

/* A file of a package, as its build id proves. */
static void test_packages_by_what_dpkg_has_written(void **state)
{
	(void)state;
	struct compiled compiled = compiled_begin();
	compiled_write(&compiled, "f.c", "int f(void) { return 1; }\n");
	if (!compiled_run(&compiled,
		    "$CC -shared -fPIC -Wl,--build-id=sha1 -o full f.c && "
		    "strip -o stripped full && "
		    "mkdir -p etc var/lib/dpkg/info && "
		    "echo 'ID=ubuntu' >etc/os-release && "
		    "printf '/.\\n/usr/lib/libg.so\\n' >var/lib/dpkg/info/g.list && "
		    "printf '/.\\n%%s\\n' $PWD/stripped "
		    ">var/lib/dpkg/info/libf1:amd64.list")) {
		compiled_end(&compiled);
		skip();
	}
	struct elf_image *image = compiled_image(&compiled, "stripped");
	struct nameless_row row = {.module = "stripped"};
	snprintf(row.path, sizeof(row.path), "%s/stripped", compiled.dir);
	snprintf(row.build_id, sizeof(row.build_id), "%s", elf_image_build_id(image));
	elf_image_destroy(image);
	assert_remedy(&row, compiled.dir,
		"apt install libf1-dbgsym (add the archive ddebs.ubuntu.com), or "
		"--debuginfod with");
	compiled_write(&compiled, "ddebs.ubuntu.com_dists_jammy_main_Packages", "");
	assert_true(compiled_run(
		&compiled, "mkdir -p var/lib/apt/lists && mv ddebs* var/lib/apt/lists"));
	assert_remedy(
		&row, compiled.dir, "apt install libf1-dbgsym, or --debuginfod with");
	assert_remedy(
		&row, compiled.dir, "DEBUGINFOD_URLS=https://debuginfod.ubuntu.com");
	/* That one has symbols. */
	struct nameless_row full = row;
	snprintf(full.path, sizeof(full.path), "%s/full", compiled.dir);
	assert_remedy(&full, compiled.dir, "its symbols are there");
	/* The target has mapped another file than the one that is ours. */
	row.build_id[0] = row.build_id[0] == '0' ? '1' : '0';
	char text[REMEDY_MAX];
	remedy_for(&row, compiled.dir, text, sizeof(text));
	assert_null(strstr(text, "apt install"));
	assert_non_null(strstr(text, "--debuginfod"));
	row.build_id[0] = '\0';
	assert_remedy(&row, compiled.dir, "it was stripped");
	snprintf(row.path, sizeof(row.path), "/x (deleted)");
	assert_remedy(&row, compiled.dir, "restart the program");
	compiled_end(&compiled);
}

static void test_packages_whose_symbols_are_elsewhere(void **state)
{
	(void)state;
	static const char *const lists[][2] = {
		{"libc6:amd64", "apt install libc6-dbg,"},
		{"python3.11-minimal", "apt install python3.11-dbg,"},
		{"libpython3.11", "apt install python3.11-dbg,"},
	};
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		struct compiled compiled = compiled_begin();
		compiled_write(&compiled, "f.c", "int f(void) { return 1; }\n");
		if (!compiled_run(&compiled,
			    "$CC -shared -fPIC -s -Wl,--build-id=sha1 -o f.so f.c && "
			    "mkdir -p var/lib/dpkg/info && "
			    "echo \"$PWD/f.so\" >'var/lib/dpkg/info/%s.list'",
			    lists[i][0])) {
			compiled_end(&compiled);
			skip();
		}
		struct elf_image *image = compiled_image(&compiled, "f.so");
		struct nameless_row row = {.module = "f.so"};
		snprintf(row.path, sizeof(row.path), "%s/f.so", compiled.dir);
		snprintf(row.build_id, sizeof(row.build_id), "%s",
			elf_image_build_id(image));
		elf_image_destroy(image);
		assert_remedy(&row, compiled.dir, lists[i][1]);
		assert_remedy(&row, compiled.dir, "https://debuginfod.elfutils.org");
		compiled_end(&compiled);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaves_without_a_name_are_counted),
		cmocka_unit_test(test_what_is_nameless),
		cmocka_unit_test(test_runtimes_are_told_to_write_names),
		cmocka_unit_test(test_packages_by_what_dpkg_has_written),
		cmocka_unit_test(test_packages_whose_symbols_are_elsewhere),
	};
	return unit_run(tests);
}
