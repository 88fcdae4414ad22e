/* SPDX-License-Identifier: GPL-2.0-or-later */
/* speedscope's own format, of both kinds. tests/e2e/e2e-readers asks speedscope. */

#include "tests/lib/imported.h"
#include "tests/lib/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES \
	"{\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b;c\"}]},\"profiles\":["
#define SAMPLED(unit, samples, weights)                           \
	"{\"type\":\"sampled\",\"name\":\"all\",\"unit\":\"" unit \
	"\",\"samples\":" samples ",\"weights\":" weights "}"
#define EVENTED(unit, events)                                        \
	"{\"type\":\"evented\",\"name\":\"io (7)\",\"unit\":\"" unit \
	"\",\"startValue\":0,\"endValue\":9,\"events\":[" events "]}"
#define OPEN(frame, at)	 "{\"type\":\"O\",\"frame\":" frame ",\"at\":" at "}"
#define CLOSE(frame, at) "{\"type\":\"C\",\"frame\":" frame ",\"at\":" at "}"

static void test_sampled_and_evented_profiles_are_read(void **state)
{
	(void)state;
	imported_is_folded(
		FRAMES SAMPLED("none", "[[0],[0,1],[],[0,1]]", "[1,2,4,8]") "]}",
		"a 1\na;b:c 10\n");
	imported_is_folded(FRAMES EVENTED("microseconds",
				   OPEN("0", "100.5") "," OPEN("1", "102") "," CLOSE(
					   "1", "102.25") "," CLOSE("0", "103")) "]}",
		"io;a 2250\nio;a;b:c 250\n");
}

/* Thirds of a byte: each rounded by itself they would be 0. */
static void test_fractions_add_up(void **state)
{
	(void)state;
	imported_is_folded(FRAMES SAMPLED("bytes", "[[0],[0],[0],[0],[0],[0]]",
				   "[0.3333,0.3333,0.3334,0.3333,0.3333,0.3334]") "]}",
		"a 2\n");
}

static void test_each_unit_is_a_type(void **state)
{
	(void)state;
	static const char text[] = FRAMES SAMPLED("bytes", "[[0]]", "[5]") "," SAMPLED(
		"seconds", "[[0]]", "[2]") "," SAMPLED("milliseconds", "[[1]]",
		"[3]") "],\"activeProfileIndex\":1}";
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, text, strlen(text));
	assert_int_equal(recording.origin->types.len, 2);
	struct report *report = imported_report(&recording);
	assert_string_equal(report_value_name(report), "time");
	assert_int_equal(report->total.cpu_ns, 2003000000);
	report_destroy(report);
	const struct report_request bytes = {.sample_type = 0};
	report = recording_report(&recording, &bytes);
	assert_int_equal(report->total.cpu_ns, 5);
	report_destroy(report);
	recording_finish(&recording);
}

static void test_damage_is_refused(void **state)
{
	(void)state;
	static const struct {
		const char *text, *why;
	} cases[] = {
		{"{", "line 1: is no JSON"},
		{"{\"a\":\"\\u0000\"}", "line 1: is no JSON"},
		{"{\"traceEvents\":[]}",
			"is JSON, but none of the profiles that are known: speedscope, "
			"cpuprofile, Firefox Profiler"},
		{"{\"profiles\":7}",
			"no profile of speedscope: it: has no list 'profiles'"},
		{"{\"profiles\":[]}", "has no object 'shared'"},
		{"{\"profiles\":[],\"shared\":{\"frames\":[]}}", "has no profile in it"},
		{"{\"profiles\":[7],\"shared\":{\"frames\":[]}}", "profile 0: its unit"},
		{"{\"profiles\":[],\"shared\":{\"frames\":[{}]}}",
			"frame 0: has no text 'name'"},
		{FRAMES SAMPLED("parsecs", "[]", "[]") "]}",
			"profile 0: its unit is none"},
		{FRAMES SAMPLED("none", "[[0]]", "[]") "]}",
			"has 1 samples and 0 weights"},
		{FRAMES SAMPLED("none", "[[2]]", "[1]") "]}",
			"profile 0: sample 0: refers to a frame that is none of 2"},
		{FRAMES SAMPLED("none", "[[-1]]", "[1]") "]}", "none of 2"},
		{FRAMES SAMPLED("none", "[0]", "[1]") "]}", "is no list of frames"},
		{FRAMES SAMPLED("none", "[[0]]", "[-1]") "]}", "or one below 0"},
		{FRAMES SAMPLED("seconds", "[[0]]", "[1e300]") "]}", "add up to more"},
		{FRAMES EVENTED("none", OPEN("0", "1")) "]}", "1 frames have no end"},
		{FRAMES EVENTED("none", OPEN("0", "1") "," CLOSE("1", "2")) "]}",
			"event 1: ends a frame that is not the last"},
		{FRAMES EVENTED("none", OPEN("0", "1") "," CLOSE("0", "0")) "]}",
			"event 1: is earlier"},
		{FRAMES "{\"type\":\"new\",\"unit\":\"none\"}]}", "neither 'sampled'"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		imported_refused(cases[i].text, strlen(cases[i].text), cases[i].why);
}

/* Ten megabytes that would become a gigabyte. */
static void test_what_would_cost_too_much_is_refused(void **state)
{
	(void)state;
	size_t n = 5 << 20;
	char *text = malloc(2 * n + 1);
	for (size_t i = 0; i < n; i++)
		memcpy(text + 2 * i, "{}", 2);
	text[2 * n] = '\0';
	imported_refused(text, 2 * n, "would need more than 192 MiB of memory");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampled_and_evented_profiles_are_read),
		cmocka_unit_test(test_fractions_add_up),
		cmocka_unit_test(test_each_unit_is_a_type),
		cmocka_unit_test(test_damage_is_refused),
		cmocka_unit_test(test_what_would_cost_too_much_is_refused),
	};
	return unit_run(tests);
}
