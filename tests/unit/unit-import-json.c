/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Our own JSON, from somebody who means no good. tests/e2e/e2e-json has what is well-formed. */

#include "tests/lib/imported.h"
#include "tests/lib/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BEGIN                                                      \
	"{\"format\":\"cproftop\",\"version\":1,\"type\":\"cpu\"," \
	"\"unit\":\"nanoseconds\","
#define TABLES                                              \
	"\"functions\":[{\"name\":\"a\",\"module\":\"x\"}," \
	"{\"name\":\"b\",\"module\":\"\"}],"                \
	"\"threads\":[{\"name\":\"io\",\"tid\":7}],"
#define STACK(value, functions)                        \
	"{\"thread\":0,\"samples\":3,\"value\":" value \
	",\"state\":\"blocked\",\"functions\":" functions ",\"lines\":[1,2]}"
#define TIMES(stacks, ns, weights) \
	",\"times\":{\"stack\":" stacks ",\"ns\":" ns ",\"weight\":" weights "}"

static void is_refused(const char *text, const char *why)
{
	struct recording recording;
	struct error err = {""};
	recording_init(&recording);
	assert_false(imported_try(&recording, text, strlen(text), &err));
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
	recording_finish(&recording);
}

static void a_stack_has_its_thread_and_frames(void **state)
{
	(void)state;
	static const char text[] = BEGIN TABLES
		"\"stacks\":[" STACK("10", "[0,1]") "," STACK("5", "[0]") "]}";
	struct file file = imported_as("folded", text, strlen(text));
	assert_string_equal(file.bytes, "io;a 5\nio;a;b 10\n");
	free(file.bytes);
}

/* 10 ns and 3 samples at three instants, of which one weighs nothing. */
static void moments_share_what_their_stack_has(void **state)
{
	(void)state;
	static const char text[] =
		BEGIN TABLES "\"stacks\":[" STACK("10", "[0]") "]" TIMES("[0,0,0]",
			"[1000,2000,5000]", "[1,0,2]") ",\"duration_ns\":9000}";
	struct recording recording;
	recording_init(&recording);
	imported_read(&recording, text, strlen(text));
	recording_settle_times(&recording);
	const struct origin *origin = recording.origin;
	assert_int_equal(origin->moments.len, 3);
	static const int64_t values[] = {1, 3, 1, 0, 1, 7};
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(origin->moment_values.data[i], values[i]);
	assert_int_equal(origin->moments.data[2].time_ns, ORIGIN_START_NS + 5000);
	recording_finish(&recording);
}

static void what_leads_nowhere_is_refused(void **state)
{
	(void)state;
	is_refused("{\"format\":\"cproftop\",\"version\":2}", "has version 2");
	is_refused("{\"format\":\"cproftop\"}", "has version 0");
	is_refused(BEGIN "\"functions\":[]}", "no list 'stacks'");
	is_refused(BEGIN TABLES "\"stacks\":[" STACK("1", "[2]") "]}",
		"stacks 0: refers to a function that is none of 2");
	is_refused(BEGIN TABLES "\"stacks\":[" STACK("1", "[-1]") "]}",
		"refers to a function");
	is_refused(
		BEGIN TABLES "\"stacks\":[{\"thread\":1}]}", "its thread is none of 1");
	is_refused(BEGIN TABLES "\"stacks\":[5]}", "its thread is none of 1");
	is_refused(BEGIN TABLES
		"\"stacks\":[" STACK("1", "[0]") "]" TIMES("[1]", "[1]", "[1]") "}",
		"times: refers to a stack that is none of 1");
	is_refused(BEGIN TABLES
		"\"stacks\":[" STACK("1", "[0]") "]" TIMES("[0]", "[]", "[1]") "}",
		"lists of different lengths");
	is_refused(BEGIN TABLES "\"stacks\":[" STACK("1", "[0]") "]" TIMES(
			   "[0]", "[9223372036854775807]", "[1]") ",\"start_ns\":1}",
		"beyond all dates");
	is_refused(BEGIN TABLES "\"stacks\":[" STACK(
			   "9223372036854775807", "[0]") "," STACK("9", "[1]") "]}",
		"more than can be counted");
	is_refused(BEGIN "\"comments\":[5]," TABLES "\"stacks\":[]}", "is no text");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stack_has_its_thread_and_frames),
		cmocka_unit_test(moments_share_what_their_stack_has),
		cmocka_unit_test(what_leads_nowhere_is_refused),
	};
	return unit_run(tests);
}
