/* SPDX-License-Identifier: GPL-2.0-or-later */
/* callgrind's files: names and positions that are abbreviated, and stacks made of a call
   graph, whose sums are what the file says. tests/e2e/e2e-readers asks callgrind_annotate. */

#include "tests/lib/imported.h"
#include "tests/lib/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "# callgrind format\nversion: 1\ncmd: ./x\nevents: Ir Dr\n"

/* main, of no file, calls a in another object and file; a's second line is told from the
   first; its third costs nothing of Ir. What is in a header is a's all the same. */
static const char abbreviated[] = "# callgrind format\n"
				  "creator: somebody\n"
				  "positions: instr line\n"
				  "event: Dr : Data reads\n"
				  "events: Ir Dr\n"
				  "summary: 118 7\n"
				  "\n"
				  "ob=(1) /opt/x\n"
				  "fl=(1) ???\n"
				  "fn=(1) main\n"
				  "0x1000 0 8\n"
				  "cob=(2) /lib/liba.so\n"
				  "cfi=(2) /src/a.c\n"
				  "cfn=(2) a(int, char)\n"
				  "calls=3 0x2000 10\n"
				  "+4 * 110 7\n"
				  "\n"
				  "ob=(2)\n"
				  "fl=(2)\n"
				  "fn=(2)\n"
				  "0x2000 10 60 5\n"
				  "+0x10 +2 40\n"
				  "jcnd=2/3 +8 -1\n"
				  "* *\n"
				  "fi=(3) /src/a.h\n"
				  "-8 7 10\n"
				  "fe=(2)\n"
				  "* 12 0 2\n";

static void test_what_is_abbreviated_is_read(void **state)
{
	(void)state;
	imported_is_folded(abbreviated, "main 8\nmain;a(int, char) 110\n");
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, abbreviated, strlen(abbreviated));
	assert_string_equal(recording.origin->types.data[1].type, "Dr");
	assert_string_equal(recording.origin->types.data[1].unit, "count");
	const struct report_request lines = {
		.sample_type = 0, .naming.granularity = NAMING_LINE};
	struct report *report = recording_report(&recording, &lines);
	static const struct {
		const char *name, *module, *file;
		uint64_t self;
	} rows[] = {
		{"a(int, char) a.c:10", "liba.so", "/src/a.c", 60},
		{"a(int, char) a.c:12", "liba.so", "/src/a.c", 40},
		{"a(int, char) a.h:7", "liba.so", "/src/a.h", 10},
		{"main", "x", "", 8},
	};
	assert_int_equal(report->n_functions, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct function *function =
			profile_function(report->profile, report->functions[i].function);
		assert_string_equal(function->name, rows[i].name);
		assert_string_equal(function->module, rows[i].module);
		assert_string_equal(function->file, rows[i].file);
		assert_int_equal(report->functions[i].self.cpu_ns, rows[i].self);
	}
	report_destroy(report);
	recording_finish(&recording);
}

/* What c costs is shared among those who call it as they call it: a 30, b 10. */
static void test_costs_go_to_callers_in_proportion(void **state)
{
	(void)state;
	imported_is_folded(HEAD
		"fn=main\n0 0\ncfn=a\ncalls=1 0\n1 30\ncfn=b\ncalls=1 0\n2 14\n"
		"fn=a\n0 0\ncfn=c\ncalls=1 0\n0 30\n"
		"fn=b\n0 4\ncfn=c\ncalls=1 0\n0 10\n"
		"fn=c\n0 8\ncfn=d\ncalls=1 0\n0 20\ncfn=e\ncalls=1 0\n0 12\n"
		"fn=d\n0 20\nfn=e\n0 12\n",
		"main;a;c 6\nmain;a;c;d 15\nmain;a;c;e 9\n"
		"main;b 4\nmain;b;c 2\nmain;b;c;d 5\nmain;b;c;e 3\n");
}

/* Each event has a call graph of its own: Dr goes another way than Ir. */
static void test_events_are_shared_each_by_itself(void **state)
{
	(void)state;
	static const char text[] =
		HEAD "fn=main\n0 0\ncfn=a\ncalls=1 0\n1 30 1\ncfn=b\ncalls=1 0\n2 10 3\n"
		     "fn=a\n0 0\ncfn=c\ncalls=1 0\n0 30 1\n"
		     "fn=b\n0 0\ncfn=c\ncalls=1 0\n0 10 3\nfn=c\n0 40 4\n";
	imported_is_folded(text, "main;a;c 30\nmain;b;c 10\n");
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, text, strlen(text));
	const struct report_request reads = {.sample_type = 1};
	struct report *report = recording_report(&recording, &reads);
	assert_int_equal(report->n_stacks, 2);
	assert_int_equal(report->stacks[0].weight.cpu_ns, 1);
	assert_int_equal(report->stacks[1].weight.cpu_ns, 3);
	report_destroy(report);
	recording_finish(&recording);
}

static void test_circles_and_files_that_disagree_keep_self_costs(void **state)
{
	(void)state;
	/* a and b call each other and themselves; b leaves the circle for c. */
	imported_is_folded(HEAD
		"fn=main\n0 1\ncfn=a\ncalls=1 0\n0 100\n"
		"fn=a\n0 20\ncfn=a\ncalls=9 0\n0 77\ncfn=b\ncalls=9 0\n0 180\n"
		"fn=b\n0 30\ncfn=a\ncalls=9 0\n0 90\ncfn=c\ncalls=1 0\n0 50\n"
		"fn=c\n0 50\n",
		"main 1\nmain;a 20\nmain;a;b 30\nmain;a;b;c 50\n");
	/* Calls cost more than what was called, and less. */
	imported_is_folded(HEAD
		"fn=main\n0 1\ncfn=a\ncalls=1 0\n0 50\ncfn=b\ncalls=1 0\n0 4\n"
		"fn=a\n0 20\nfn=b\n0 6\n",
		"b 2\nmain 1\nmain;a 20\nmain;b 4\n");
}

/* 2^30 paths: some thousands of stacks, and the sums are right. */
static void test_many_paths_become_few_stacks(void **state)
{
	(void)state;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	enum {
		LEVELS = 30
	};
	const uint64_t all = UINT64_C(1) << 40;
	fputs(HEAD, out);
	for (unsigned level = 0; level < LEVELS; level++)
		for (char side = 'a'; side <= 'b'; side++) {
			fprintf(out, "fn=%c%u\n0 0\n", side, level);
			for (char next = 'a'; next <= 'b' && level + 1 < LEVELS; next++)
				fprintf(out, "cfn=%c%u\ncalls=1 0\n%d %" PRIu64 "\n",
					next, level + 1, next, all / 4);
		}
	fprintf(out, "fn=a%d\n0 %" PRIu64 "\nfn=b%d\n0 %" PRIu64 "\n", LEVELS - 1,
		all / 2, LEVELS - 1, all / 2);
	fclose(out);
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, text, size);
	struct report *report = imported_report(&recording);
	assert_int_equal(report->total.cpu_ns, all);
	assert_int_equal(report->n_functions, 2 * LEVELS);
	for (size_t i = 0; i < report->n_functions; i++)
		assert_int_equal(report->functions[i].total.cpu_ns, all / 2);
	assert_in_range(report->n_stacks, 1000, 20000);
	report_destroy(report);
	recording_finish(&recording);
	free(text);
}

static void test_parts_are_added_up_by_thread(void **state)
{
	(void)state;
	imported_is_folded(
		"version: 1\npart: 1\nthread: 1\nevents: Ir\nfn=(1) main\n0 5\n"
		"totals: 5\npart: 2\nthread: 2\nevents: Ir\nfn=(1)\n0 7\n",
		"thread 1;main 5\nthread 2;main 7\n");
}

static void test_damage_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"version: 1\n", "names no events"},
		{"version: 1\nfn=a\n", "line 2: stands before the events"},
		{HEAD "0 5\n", "line 5: is of no function"},
		{HEAD "fn=a\n0 1 2 3\n", "line 6: is no line of 2 costs"},
		{HEAD "fn=a\n0 x\n", "line 6: is no line of 2 costs"},
		{HEAD "fn=a\nwhat\n", "line 6: has no position"},
		{HEAD "fn=a\n0 9223372036854775807\n", "line 6: costs that add up"},
		{HEAD "fn=a\n0 99999999999999999999\n", "line 6: is no line"},
		{HEAD "fn=(7)\n", "line 5: has a number that was given no name"},
		{HEAD "fn=a\ncalls=1 0\n0 1\n", "line 6: calls no function"},
		{HEAD "positions: instr line column\n", "line 5: names more than 2"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		imported_refused(cases[i].text, strlen(cases[i].text), cases[i].why);

	/* A chain of calls that no stack may have. */
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	fputs(HEAD, out);
	for (int i = 0; i < 70000; i++)
		fprintf(out, "fn=f%d\n0 0\ncfn=f%d\ncalls=1 0\n0 1\n", i, i + 1);
	fputs("fn=f70000\n0 1\n", out);
	fclose(out);
	imported_refused(text, size, "more than 65536");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_abbreviated_is_read),
		cmocka_unit_test(test_costs_go_to_callers_in_proportion),
		cmocka_unit_test(test_events_are_shared_each_by_itself),
		cmocka_unit_test(test_circles_and_files_that_disagree_keep_self_costs),
		cmocka_unit_test(test_many_paths_become_few_stacks),
		cmocka_unit_test(test_parts_are_added_up_by_thread),
		cmocka_unit_test(test_damage_is_refused),
	};
	return unit_run(tests);
}
