/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exporters over the fixture: which there are, golden texts, files that are whole. */

#include "tests/lib/unit.h"
#include "tests/lib/written.h"

#include "src/write/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_formats_are_found_by_name_and_by_file(void **state)
{
	(void)state;
	static const struct {
		const char *path, *format;
	} cases[] = {{"a.pb.gz", "pprof"}, {"/x.txt/a.pb", "pprof"},
		{"a.folded", "folded"}, {"a.b.collapsed", "folded"}, {"a.txt", "text"},
		{"dir/.txt", NULL}, {"a.svg.gz", NULL}, {"txt", NULL}, {"", NULL},
		{"a.txt/", NULL}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct export_format *format = export_format_by_file(cases[i].path);
		if (cases[i].format)
			assert_string_equal(format->name, cases[i].format);
		else
			assert_null(format);
	}
	assert_null(export_format_by_name("PPROF"));
	assert_string_equal(export_format_by_file("x/flamegraph.svg")->name, "svg");
}

static void assert_suffix(const char *suffix, const struct export_format *format)
{
	char path[64];
	snprintf(path, sizeof(path), "file%s", suffix);
	assert_int_equal(suffix[0], '.');
	assert_ptr_equal(export_format_by_file(path), format);
}

/* Also of a new one: it has all that menus and messages need, and nothing that another one
   has. */
static void test_every_format_is_complete(void **state)
{
	(void)state;
	for (size_t i = 0; export_formats[i]; i++) {
		const struct export_format *format = export_formats[i];
		assert_non_null(format->name);
		assert_non_null(format->suffix);
		assert_non_null(format->description);
		assert_non_null(format->open_with);
		assert_non_null(format->write);
		assert_non_null(strstr(format->open_with, "%s"));
		assert_ptr_equal(export_format_by_name(format->name), format);
		assert_suffix(format->suffix, format);
		for (size_t k = 0; k < sizeof(format->aliases) / sizeof(*format->aliases);
			k++)
			if (format->aliases[k])
				assert_suffix(format->aliases[k], format);
	}
}

/* After a change that is meant:
   build/tests/tools/make-profile FORMAT tests/golden/FILE. */
static void assert_golden(const char *name, struct file file)
{
	char path[4096];
	const char *srcdir = getenv("srcdir");
	snprintf(path, sizeof(path), "%s/tests/golden/%s", srcdir ? srcdir : ".", name);
	FILE *golden = fopen(path, "r");
	assert_non_null(golden);
	char *expected = calloc(1, 100000);
	assert_true(fread(expected, 1, 99999, golden) > 0);
	fclose(golden);
	assert_string_equal(file.bytes, expected);
	free(expected);
	free(file.bytes);
}

/* Not those that are compressed. They have tests of their own. */
static bool is_hard_to_read(const char *name)
{
	return strcmp(name, "pprof") == 0 || strcmp(name, "html") == 0 ||
	       strcmp(name, "firefox") == 0;
}

static void test_formats_read_as_they_always_did(void **state)
{
	(void)state;
	for (size_t i = 0; export_formats[i]; i++) {
		const struct export_format *format = export_formats[i];
		char golden[64];
		snprintf(golden, sizeof(golden), "fixture%s", format->suffix);
		if (!is_hard_to_read(format->name))
			assert_golden(
				golden, write_fixture(format->name, false, false, NULL));
	}
	assert_golden("fixture-wall.txt", write_fixture("text", true, false, NULL));
	assert_golden("fixture-cpu.folded", write_fixture("folded", false, true, NULL));
}

static void test_folded_counts_every_sample(void **state)
{
	(void)state;
	struct file file = write_fixture("folded", false, false, NULL);
	char *rest = file.bytes, *before = NULL;
	unsigned long sum = 0;
	for (char *line; (line = strsep(&rest, "\n")) && *line; before = line) {
		char *count = strrchr(line, ' ');
		*count = '\0';
		sum += strtoul(count + 1, NULL, 10);
		assert_true(!before || strcmp(before, line) < 0);
	}
	assert_int_equal(sum, 1389);
	free(file.bytes);
}

static void test_equal_samples_make_equal_bytes(void **state)
{
	(void)state;
	struct file one = write_fixture("pprof", false, false, NULL);
	struct file two = write_fixture("pprof", false, false, NULL);
	assert_int_equal(one.size, two.size);
	assert_memory_equal(one.bytes, two.bytes, one.size);
	assert_memory_equal(
		one.bytes, "\x1f\x8b\x08\0\0\0\0\0", 8); /* no name, no time */
	free(one.bytes);
	free(two.bytes);
}

static void test_export_to_file_says_how_much_or_why_not(void **state)
{
	(void)state;
	char path[] = "/tmp/cproftop-export-XXXXXX";
	close(mkstemp(path));
	struct fixture fixture;
	struct error err = {""};
	uint64_t bytes = 0;
	fixture_init(&fixture, false);
	struct report *report = fixture_report(&fixture, NULL);
	struct file direct = write_report("folded", report, false);
	const struct export_format *folded = export_format_by_name("folded");
	assert_true(
		export_to_file(folded, report, fixture_facts(false), path, &bytes, &err));
	assert_int_equal(bytes, direct.size);
	FILE *file = fopen(path, "r");
	char *content = calloc(1, direct.size + 1);
	assert_int_equal(fread(content, 1, direct.size + 1, file), direct.size);
	assert_memory_equal(content, direct.bytes, direct.size);
	fclose(file);
	assert_int_equal(unlink(path), 0);
	assert_false(export_to_file(
		folded, report, fixture_facts(false), "/nowhere/x", NULL, &err));
	assert_string_equal(
		err.text, "/nowhere/x: open folder /nowhere: No such file or directory");
	free(content);
	free(direct.bytes);
	report_destroy(report);
	fixture_finish(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats_are_found_by_name_and_by_file),
		cmocka_unit_test(test_every_format_is_complete),
		cmocka_unit_test(test_formats_read_as_they_always_did),
		cmocka_unit_test(test_folded_counts_every_sample),
		cmocka_unit_test(test_equal_samples_make_equal_bytes),
		cmocka_unit_test(test_export_to_file_says_how_much_or_why_not),
	};
	return unit_run(tests);
}
