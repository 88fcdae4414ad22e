/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The processed format of the Firefox Profiler. tests/e2e/e2e-readers reads our own files. */

#include "tests/lib/imported.h"
#include "tests/lib/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define META                                                                         \
	"{\"meta\":{\"preprocessedProfileVersion\":60,\"interval\":1,\"startTime\":" \
	"1700000000000.5,\"product\":\"shop\",\"sampleUnits\":{\"threadCPUDelta\":"  \
	"\"\302\265s\"}},\"libs\":[{\"name\":\"libx.so\",\"path\":\"/usr/lib/"       \
	"libx.so\"}],"
/* main calls work, in a library, which calls what has no name there. */
#define STACKS                                                                   \
	"\"stackTable\":{\"prefix\":[null,0,1],\"frame\":[0,1,2],\"length\":3}," \
	"\"frameTable\":{\"func\":[0,1,2],\"line\":[7,null,null]},"              \
	"\"funcTable\":{\"name\":[0,1,2],\"resource\":[-1,0,0],"                 \
	"\"lineNumber\":[5,null,null],"
#define STRINGS                                                         \
	"\"resourceTable\":{\"lib\":[0],\"name\":[3]},\"stringArray\":" \
	"[\"main\",\"work\",\"0x1f0\",\"libx.so\",\"/srv/a.c\"]"
#define NEW_TABLES \
	STACKS "\"source\":[0,null,null]},\"sources\":{\"filename\":[4]}," STRINGS
#define OLD_TABLES STACKS "\"fileName\":[4,null,null]}," STRINGS
#define THREAD(name, more) \
	"{\"name\":\"" name "\",\"pid\":\"4\",\"tid\":\"5.1\"," more "}"
#define SHARED(threads) META "\"shared\":{" NEW_TABLES "},\"threads\":[" threads "]}"
#define SAMPLES(more)	"\"samples\":{" more "}"
#define SAMPLY                                                                          \
	SAMPLES("\"stack\":[0,2,null,2],\"timeDeltas\":[1.5,1,1,1],\"weight\":"         \
		"[1,1,1,3],\"weightType\":\"samples\",\"threadCPUDelta\":[0,1000,null," \
		"500]")

static void test_cpu_time_is_what_passed_between_samples(void **state)
{
	(void)state;
	static const char text[] = SHARED(THREAD("io", SAMPLY));
	imported_is_folded(text, "io;main;work;[libx.so+0x1f0] 1500000\n");
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, text, strlen(text));
	const struct origin *origin = recording.origin;
	assert_int_equal(origin->types.len, 2);
	assert_int_equal(origin->time_ns, 1700000000000500000);
	assert_int_equal(origin->period, 1000000);
	assert_string_equal(origin->title, "shop");
	struct report *report = imported_report(&recording);
	assert_int_equal(origin->moments.len, 4);
	assert_int_equal(origin->moments.data[3].time_ns, ORIGIN_START_NS + 4500000);
	report_destroy(report);
	const struct report_request samples = {.sample_type = 0};
	report = recording_report(&recording, &samples);
	assert_int_equal(report->total.cpu_ns, 6);
	assert_int_equal(
		profile_thread(recording.profile, report->threads[0].thread)->tid, 5);
	const struct function *function = NULL;
	for (size_t i = 0; i < report->n_functions; i++) {
		function = profile_function(
			recording.profile, report->functions[i].function);
		if (strcmp(function->name, "main") == 0)
			break;
	}
	assert_string_equal(function->file, "/srv/a.c");
	assert_int_equal(function->start_line, 5);
	report_destroy(report);
	recording_finish(&recording);
}

static void test_each_thread_may_have_its_tables(void **state)
{
	(void)state;
	imported_is_folded(META
		"\"threads\":[" THREAD("io", OLD_TABLES "," SAMPLY) "," THREAD(
			"ui", OLD_TABLES "," SAMPLES("\"stack\":[1],\"time\":[2],"
						     "\"threadCPUDelta\":[7]")) "]}",
		"io;main;work;[libx.so+0x1f0] 1500000\nui;main;work 7000\n");
}

#define WEIGHED(times, weights, type)                                          \
	SHARED(THREAD("all", SAMPLES("\"stack\":[0,1],\"time\":" times         \
				     ",\"weight\":" weights ",\"weightType\":" \
				     "\"" type "\"")))

static void test_weights_are_time_bytes_or_samples(void **state)
{
	(void)state;
	imported_is_folded(WEIGHED("[1,2]", "[0.25,2]", "tracing-ms"),
		"all;main 250000\nall;main;work 2000000\n");
	imported_is_folded(
		WEIGHED("[1,2]", "[4,8]", "bytes"), "all;main 4\nall;main;work 8\n");
	imported_is_folded(
		WEIGHED("[1,2]", "null", "samples"), "all;main 1\nall;main;work 1\n");
}

/* Files that do not know when have one stack after the other. */
static void test_no_times_are_made_up(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		size_t moments;
	} cases[] = {
		{WEIGHED("[0,0.25]", "[0.25,2]", "tracing-ms"), 0},
		{WEIGHED("[0,0.26]", "[0.25,2]", "tracing-ms"), 2},
	};
	for (size_t i = 0; i < 2; i++) {
		struct recording recording;
		recording_init(&recording);
		imported_read(&recording, cases[i].text, strlen(cases[i].text));
		report_destroy(imported_report(&recording));
		assert_int_equal(recording.origin->moments.len, cases[i].moments);
		recording_finish(&recording);
	}
}

static void test_damage_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"{\"meta\":{\"version\":24},\"threads\":[]}",
			"is not as the Firefox Profiler"},
		{META "\"threads\":7}", "has no list 'threads'"},
		{META "\"threads\":[7]}", "thread 0: has no object 'samples'"},
		{META "\"threads\":[" THREAD("a", SAMPLES("")) "]}",
			"has no list 'stack'"},
		{META "\"shared\":{\"stackTable\":{}},\"threads\":[]}",
			"shared: has no list 'stringArray'"},
		{META "\"threads\":[" THREAD("a",
			 "\"stringArray\":[],\"stackTable\":{},\"funcTable\":{"
			 "\"name\":"
			 "[0]}," SAMPLY) "]}",
			"funcTable: row 0: refers to a string that is none of 0"},
		{META "\"threads\":[" THREAD("a",
			 "\"stringArray\":[\"f\"],\"stackTable\":{\"frame\":[0],"
			 "\"prefix\":[0]},\"funcTable\":{\"name\":[0]},"
			 "\"frameTable\":"
			 "{\"func\":[0]}," SAMPLY) "]}",
			"stackTable: row 0: refers to a stack before it that is "
			"none of 0"},
		{META "\"threads\":[" THREAD("a",
			 "\"stringArray\":[\"f\"],\"stackTable\":{},"
			 "\"funcTable\":"
			 "{\"name\":[0]},\"frameTable\":{\"func\":[null]}"
			 "," SAMPLY) "]}",
			"frameTable: row 0: has no function"},
		{SHARED(THREAD("a", SAMPLES("\"stack\":[3]"))),
			"thread 0: sample 0: refers to a stack that is none of "
			"3"},
		{WEIGHED("[0,0]", "[0,1]", "feet"), "its weights are neither"},
		{WEIGHED("[0,0]", "[-1,1]", "bytes"), "sample 0: weighs less than 0"},
		{WEIGHED("[0,0]", "[1,1e300]", "bytes"), "all more than 2^61"},
		{WEIGHED("[1e300,0]", "[1,1]", "bytes"), "beyond all dates"},
		{SHARED(THREAD("a", SAMPLES("\"stack\":[0],\"weightType\":"
					    "\"bytes\"")) "," THREAD("a",
			 SAMPLES("\"stack\":[0]"))),
			"weights of several kinds"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		imported_refused(cases[i].text, strlen(cases[i].text), cases[i].why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_time_is_what_passed_between_samples),
		cmocka_unit_test(test_each_thread_may_have_its_tables),
		cmocka_unit_test(test_weights_are_time_bytes_or_samples),
		cmocka_unit_test(test_no_times_are_made_up),
		cmocka_unit_test(test_damage_is_refused),
	};
	return unit_run(tests);
}
