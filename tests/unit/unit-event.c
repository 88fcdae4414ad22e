/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What -e means, and how the places of a function come from the reader to the tracer. */

#include "tests/lib/unit.h"

#include "ptrace/perf/perf-record.h"
#include "src/facts/event.h"

#include <linux/perf_event.h>
#include <string.h>

static void test_what_is_given(void **state)
{
	(void)state;
	static const struct {
		const char *text, *name;
		enum event_kind kind;
		uint64_t period;
		const char *place;
		uint32_t argument;
	} given[] = {
		{"page-faults", "page-faults", EVENT_PAGE_FAULTS, 0},
		{"cycles:1000000", "cycles", EVENT_CYCLES, 1000003},
		{"context-switches:1", "context-switches", EVENT_CONTEXT_SWITCHES, 1},
		{"malloc:10", "malloc", EVENT_FUNCTION, 11},
		{"malloc:2", "malloc", EVENT_FUNCTION, 3},
		{"malloc", "malloc", EVENT_FUNCTION, 0},
		{"main.(*T).run:", "main.(*T).run:", EVENT_FUNCTION, 0},
		{"a::b", "a::b", EVENT_FUNCTION, 0, "a::b", 0},
		{"malloc.arg0:100", "malloc.arg0", EVENT_FUNCTION, 101, "malloc", 1},
		{"a.part.0.arg5", "a.part.0.arg5", EVENT_FUNCTION, 0, "a.part.0", 6},
		{"a.arg6", "a.arg6", EVENT_FUNCTION, 0, "a.arg6", 0},
		{"a.arg", "a.arg", EVENT_FUNCTION, 0, "a.arg", 0},
		{".arg0", ".arg0", EVENT_FUNCTION, 0, ".arg0", 0},
		{"write@total:1", "write@total", EVENT_WRITE, 1, "total", 0},
		{"write@0x7f12a0", "write@0x7f12a0", EVENT_WRITE, 0, "0x7f12a0", 0},
		{"write@", "write@", EVENT_FUNCTION, 0, "write@", 0},
		{"write", "write", EVENT_FUNCTION, 0, "write", 0},
	};
	struct event event;
	struct error err;
	for (size_t i = 0; i < sizeof(given) / sizeof(*given); i++) {
		assert_true(event_parse(given[i].text, &event, &err));
		assert_string_equal(event.name, given[i].name);
		assert_int_equal(event.kind, given[i].kind);
		assert_int_equal(event.period, given[i].period);
		if (!given[i].place)
			continue;
		assert_string_equal(event.place, given[i].place);
		assert_int_equal(event.argument, given[i].argument);
	}
	assert_false(event_parse("", &event, &err));
	assert_false(event_parse(":7", &event, &err));
	assert_false(event_parse("malloc:0", &event, &err));
	assert_false(event_parse("malloc:99999999999999999999", &event, &err));
}

static void test_no_more_places_than_there_is_room_for(void **state)
{
	(void)state;
	struct event_box box = {.number = 0};
	struct event_places places = {.count = 1, .places = {{.address = 7}}}, taken;
	uint32_t number = 0;
	assert_false(event_take(&box, &number, &taken));
	event_put(&box, &places);
	assert_true(event_take(&box, &number, &taken));
	assert_int_equal(taken.places[0].address, 7);
	assert_false(event_take(&box, &number, &taken));
	places.count = 1000; /* by a reader that somebody has taken over */
	event_put(&box, &places);
	assert_true(event_take(&box, &number, &taken));
	assert_int_equal(taken.count, 0);
	box.number++; /* it is being written */
	assert_false(event_take(&box, &number, &taken));
}

static void test_pauses_of_the_kernel_are_read(void **state)
{
	(void)state;
	struct {
		struct perf_event_header header;
		uint64_t time_ns, id, stream_id;
		uint32_t pid, tid;
		uint64_t identity_ns;
	} throttle = {.header = {.type = PERF_RECORD_THROTTLE, .size = sizeof(throttle)},
		.pid = 5,
		.tid = 6};
	struct perf_record record;
	perf_record_read(&throttle, sizeof(throttle), &record);
	assert_int_equal(record.kind, PERF_THROTTLED);
	assert_int_equal(record.pid, 5);
	perf_record_read(&throttle, sizeof(throttle.header), &record);
	assert_int_equal(record.kind, PERF_OTHER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_given),
		cmocka_unit_test(test_no_more_places_than_there_is_room_for),
		cmocka_unit_test(test_pauses_of_the_kernel_are_read),
	};
	return unit_run(tests);
}
