/* SPDX-License-Identifier: GPL-2.0-or-later */
/* .cpuprofile of V8. tests/e2e/e2e-readers asks speedscope and node. */

#include "tests/lib/imported.h"
#include "tests/lib/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME(name, url, line)                                        \
	"\"callFrame\":{\"functionName\":\"" name "\",\"url\":\"" url \
	"\",\"lineNumber\":" line "}"
#define NODE(id, name, more) "{\"id\":" id "," FRAME(name, "", "-1") more "}"
/* A root with a, which calls b, and (idle). */
#define NODES                                                                       \
	"{\"nodes\":[" NODE("1", "(root)", ",\"children\":[2,4]") "," NODE(         \
		"2", "a", ",\"children\":[3]") "," NODE("3", "b", "") "," NODE("4", \
		"(idle)", "") "]"
#define TIMES(start, end)	 ",\"startTime\":" start ",\"endTime\":" end
#define SAMPLES(samples, deltas) ",\"samples\":" samples ",\"timeDeltas\":" deltas "}"

static struct report *report_of(
	struct recording *recording, const char *text, const char *type)
{
	struct report_request request = {.window_ns = 0};
	recording_init(recording);
	imported_read(recording, text, strlen(text));
	assert_true(origin_find_type(recording->origin, type, &request.sample_type));
	return recording_report(recording, &request);
}

/* A sample lasts until the next one, the last one until the end. */
static void test_times_are_those_between_samples(void **state)
{
	(void)state;
	static const char text[] =
		NODES TIMES("1000", "1400") SAMPLES("[3,4,2,3]", "[50,100,100,100]");
	imported_is_folded(text, "a 100000\na;b 150000\n");
	struct recording recording;
	struct report *report = report_of(&recording, text, "wall");
	assert_int_equal(report->total.cpu_ns, 350000);
	report_destroy(report);
	recording_finish(&recording);
	report = report_of(&recording, text, "samples");
	assert_int_equal(report->total.cpu_ns, 4);
	report_destroy(report);
	assert_int_equal(recording.origin->duration_ns, 400000);
	assert_int_equal(recording.origin->time_ns, 0); /* since the boot */
	assert_int_equal(recording.origin->moments.len, 4);
	recording_finish(&recording);
}

/* Not the pause before somebody ended it; and V8 takes some samples out of order. */
static void test_no_time_is_made_up(void **state)
{
	(void)state;
	imported_is_folded(NODES TIMES("0", "9000000") SAMPLES("[2,3,2]", "[0,10,10]"),
		"a 20000\na;b 10000\n");
	imported_is_folded(NODES TIMES("0", "30") SAMPLES("[2,3,2,3]", "[0,20,-10,20]"),
		"a 30000\n");
	imported_is_folded(NODES TIMES("0", "0") SAMPLES("[]", "[]"), "");
}

static void test_hits_stand_for_samples_that_are_not_there(void **state)
{
	(void)state;
	imported_is_folded("{\"nodes\":[" NODE("1", "a", ",\"hitCount\":1") "," NODE(
				   "2", "(idle)", ",\"hitCount\":1") "," NODE("3", "b",
				   ",\"hitCount\":2") "]" TIMES("0", "4000") "}",
		"a 1000000\nb 2000000\n");
}

static void test_a_function_has_its_place(void **state)
{
	(void)state;
	static const char text[] =
		"{\"nodes\":[{\"id\":7," FRAME("", "file:///srv/my%20app/a%zz.js",
			"11") ",\"positionTicks\":[{\"line\":13,\"ticks\":1},{\"line\":"
			      "14,\"ticks\":3}]}]" TIMES("0", "40")
				      SAMPLES("[7,7,7,7]", "[0,10,10,10]");
	struct recording recording;
	struct report *report = report_of(&recording, text, "cpu");
	assert_int_equal(report->n_functions, 1);
	const struct function *function =
		profile_function(recording.profile, report->functions[0].function);
	assert_string_equal(function->name, "(anonymous)");
	assert_string_equal(function->file, "/srv/my app/a%zz.js");
	assert_int_equal(function->start_line, 12);
	/* A sample in four is on line 13. */
	uint64_t on_13 = 0, on_14 = 0;
	for (size_t i = 0; i < report->n_stacks; i++) {
		uint32_t id = stacktab_node(report->stacktab, report->stacks[i].stack)
				      ->location;
		uint32_t line = profile_location(recording.profile, id)->lines[0].line;
		on_13 += line == 13 ? report->stacks[i].weight.cpu_ns : 0;
		on_14 += line == 14 ? report->stacks[i].weight.cpu_ns : 0;
	}
	assert_int_equal(on_13, 10000);
	assert_int_equal(on_14, 30000);
	report_destroy(report);
	recording_finish(&recording);
}

/* What we write starts in a year, not at a boot. */
static void test_a_late_start_is_a_date(void **state)
{
	(void)state;
	static const char text[] =
		NODES TIMES("1700000000000000", "1700000000000010") SAMPLES("[2]", "[0]");
	struct recording recording;
	struct report *report = report_of(&recording, text, "cpu");
	assert_int_equal(recording.origin->time_ns, 1700000000000000000);
	assert_int_equal(report->total.cpu_ns, 10000);
	report_destroy(report);
	recording_finish(&recording);
}

static void test_damage_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"{\"nodes\":7}", "has no number 'startTime'"},
		{"{\"nodes\":7" TIMES("0", "1") "}", "has no list 'nodes'"},
		{"{\"nodes\":[7]" TIMES("0", "1") "}", "node 0: has no number 'id'"},
		{"{\"nodes\":[{\"id\":1}]" TIMES("0", "1") "}",
			"has no object 'callFrame'"},
		{"{\"nodes\":[{\"id\":1,\"callFrame\":{}}]" TIMES("0", "1") "}",
			"has no text 'functionName'"},
		{"{\"nodes\":[" NODE("1", "a", "") "," NODE("1", "b", "") "]" TIMES(
			 "0", "1") "}",
			"node 1: has the 'id' of another one"},
		{"{\"nodes\":[" NODE("1", "a", ",\"children\":[2]") "]" TIMES(
			 "0", "1") "}",
			"node 0: refers to a node that is none of 1"},
		{"{\"nodes\":[" NODE("1", "a", ",\"children\":[2,2]") "," NODE(
			 "2", "b", "") "]" TIMES("0", "1") "}",
			"has a child that has a parent already"},
		{"{\"nodes\":[" NODE("1", "a", ",\"children\":[2]") "," NODE("2", "b",
			 ",\"children\":[1]") "]" TIMES("0", "1") SAMPLES("[1]", "[0]"),
			"sample 0: a stack of more than 65536 frames"},
		{"{\"nodes\":[" NODE("1", "a", ",\"positionTicks\":[{}]") "]" TIMES(
			 "0", "1") "}",
			"has no 'line' or no 'ticks'"},
		{NODES TIMES("2", "1") SAMPLES("[]", "[]"), "ends before it starts"},
		{NODES TIMES("0", "9e15") SAMPLES("[]", "[]"), "beyond all dates"},
		{NODES TIMES("0", "1") SAMPLES("[2]", "[]"), "has 1 samples and 0 times"},
		{NODES TIMES("0", "1") ",\"samples\":[2]}", "has no list 'timeDeltas'"},
		{NODES TIMES("0", "1") SAMPLES("[9]", "[0]"),
			"sample 0: refers to a node that is none of 4"},
		{NODES TIMES("0", "1") SAMPLES("[2,2]", "[0,\"1\"]"),
			"sample 1: has no time"},
		{NODES TIMES("0", "1") SAMPLES("[2,2]", "[9e15,9e15]"),
			"sample 1: its time is beyond all dates"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		imported_refused(cases[i].text, strlen(cases[i].text), cases[i].why);
}

/* A chain of nodes that are all sampled: half the square of them would be 2 billion frames. */
static void test_a_chain_costs_no_more_than_it_may(void **state)
{
	(void)state;
	enum {
		DEPTH = 60000
	};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	fputs("{\"nodes\":[", out);
	for (int i = 1; i <= DEPTH; i++)
		fprintf(out,
			"%s{\"id\":%d,\"callFrame\":{\"functionName\":\"f\"},"
			"\"children\":[%.*d]}",
			i > 1 ? "," : "", i, i < DEPTH, i < DEPTH ? i + 1 : 0);
	fputs("]" TIMES("0", "60000") ",\"samples\":[", out);
	for (int i = 1; i <= DEPTH; i++)
		fprintf(out, "%s%d", i > 1 ? "," : "", i);
	fputs("],\"timeDeltas\":[0", out);
	for (int i = 1; i < DEPTH; i++)
		fputs(",1", out);
	fputs("]}", out);
	fclose(out);
	imported_refused(text, size, "more than 256 million frames together");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times_are_those_between_samples),
		cmocka_unit_test(test_no_time_is_made_up),
		cmocka_unit_test(test_hits_stand_for_samples_that_are_not_there),
		cmocka_unit_test(test_a_function_has_its_place),
		cmocka_unit_test(test_a_late_start_is_a_date),
		cmocka_unit_test(test_damage_is_refused),
		cmocka_unit_test(test_a_chain_costs_no_more_than_it_may),
	};
	return unit_run(tests);
}
