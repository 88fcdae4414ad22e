/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time marks: as comments and back; of which range a report has them; where the header
   draws them. */

#include "tests/lib/unit.h"
#include "tests/lib/world.h"

#include "src/base/clock.h"
#include "src/count/report-build.h"
#include "src/facts/text/time-mark.h"
#include "src/keep/history.h"

#include <stdlib.h>
#include <string.h>

static const uint64_t WALL_NS = 1795359900 * NS_PER_SEC + 123456789;

static void a_comment_says_when_and_what(void **state)
{
	(void)state;
	struct time_mark mark = time_mark_make(5, "load test begins"),
			 read = {.time_ns = 7};
	char *comment = time_mark_comment(&mark, WALL_NS);
	uint64_t wall_ns = 0;
	assert_string_equal(
		comment, "mark 2026-11-22T15:05:00.123456789Z load test begins");
	assert_true(time_mark_parse(comment, &read, &wall_ns));
	assert_true(wall_ns == WALL_NS);
	assert_string_equal(read.text, "load test begins");
	assert_int_equal(read.time_ns, 7);
	free(comment);
}

static void texts_are_clean_and_short(void **state)
{
	(void)state;
	char text[4 * TIME_MARK_BYTES];
	assert_string_equal(time_mark_make(0, "").text, "mark");
	assert_string_equal(time_mark_make(0, "a\033[2J\n").text, "a\\x1b[2J\\x0a");
	for (size_t i = 0; i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "\303\244", 3); /* cut between characters, not in one */
	struct time_mark mark = time_mark_make(0, text);
	assert_int_equal(strlen(mark.text) % 2, 0);
	assert_true(strlen(mark.text) >= TIME_MARK_BYTES - 2);
}

static void other_comments_are_none(void **state)
{
	(void)state;
	static const char *const comments[] = {
		"",
		"mark",
		"mark ",
		"mark of the beast",
		"mark 2026-11-22T14:45:00.123456789Z",
		"mark 2026-11-22T14:45:00.12345678Z x",
		"mark 2026-11-22T14:45:00.1234567890Z x",
		"mark 2026-13-22T14:45:00.123456789Z x",
		"mark 2026-11-22T14:45:00,123456789Z x",
		"mark 2026-11-22T14:45:00.123456789 x",
		"mark 1969-11-22T14:45:00.123456789Z x",
		"mark 9999-11-22T14:45:00.123456789Z x",
		" mark 2026-11-22T14:45:00.123456789Z x",
	};
	for (size_t i = 0; i < sizeof(comments) / sizeof(comments[0]); i++) {
		struct time_mark mark = {.time_ns = 1};
		uint64_t wall_ns;
		if (time_mark_parse(comments[i], &mark, &wall_ns))
			fail_msg("'%s' is one", comments[i]);
	}
}

/* As many as are kept, and one more. */
static void a_report_has_those_of_its_range(void **state)
{
	(void)state;
	struct history history;
	history_init(&history, true, 0, 0);
	for (uint64_t i = 0; i <= TIME_MARKS_MOST; i++) {
		struct time_mark mark = time_mark_make((i + 1) * NS_PER_SEC, "m");
		history_add_time_mark(&history, &mark);
	}
	assert_int_equal(history.time_marks.len, TIME_MARKS_MOST);
	struct report_input input = {
		.profile = history.profile,
		.naming = history.naming,
		.stacktab = history.stacktab,
		.samples = &history.samples,
		.since_ns = 1,
		.now_ns = 2000 * NS_PER_SEC,
		.now_wall_ns = WALL_NS,
		.time_marks = history.time_marks.data,
		.n_time_marks = history.time_marks.len,
	};
	struct report_request request = {.window_ns = 10 * NS_PER_SEC,
		.until_ns = 20 * NS_PER_SEC,
		.timeline = TIMELINE_TOO};
	struct report *report = report_build(&input, &request);
	assert_int_equal(report->n_time_marks, 10);
	assert_true(report->time_marks[0].time_ns == 10 * NS_PER_SEC);
	assert_true(report->time_marks[9].time_ns == 19 * NS_PER_SEC);

	/* The timeline of all that is kept has the others, too. */
	const struct timeline *kept = report->kept;
	assert_non_null(kept);
	assert_int_equal(kept->n_notes, TIME_MARKS_MOST);
	assert_true(kept->notes[0].time_ns == history.time_marks.data[0].time_ns);
	assert_string_equal(kept->notes[5].text, "m");
	report_destroy(report);
	history_finish(&history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_comment_says_when_and_what),
		cmocka_unit_test(texts_are_clean_and_short),
		cmocka_unit_test(other_comments_are_none),
		cmocka_unit_test(a_report_has_those_of_its_range),
	};
	return unit_run(tests);
}
