/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An endless recording: an hour of new threads, sockets and code, in seconds, with cuts
   as `record --every` makes them. The memory used must stay bounded, and the counts
   correct. */

#include "tests/lib/begins.h"
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/count/report-build.h"
#include "src/facts/renewal.h"
#include "src/keep/retention.h"
#include "src/run/analyst/analyst.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	CUTS = 30,
	THREADS_A_CUT = 20000, /* 600000 in all: 170 a second for an hour */
	MOST_BYTES_MORE = 2 << 20,
};

/* --- what is copied ---------------------------------------------------------------- */

static void test_what_is_needed_moves(void **state)
{
	(void)state;
	struct profile *from = profile_create();
	profile_intern_synthetic(from, "in the way");
	uint32_t mapping = profile_add_mapping(from,
		&(struct mapping){
			.start = 0x1000, .limit = 0x2000, .path = "/a", .module = "a"});
	struct function function = {.name = "f()",
		.system_name = "_f",
		.module = "a",
		.file = "/a.c",
		.start_line = 3};
	struct line lines[2] = {{.line = 7}, {.line = 9}};
	lines[0].function = lines[1].function = profile_intern_function(from, &function);
	uint32_t location = profile_add_location(from, mapping, 0x1234, lines, 2);
	uint32_t synthetic = profile_intern_detailed(from, "[futex]", "0x1");
	uint32_t process = profile_intern_process(from, 12, "sh", "sh -c x");
	uint32_t thread = profile_intern_thread_of(from, process, 13, "worker");

	struct renewal renewal;
	renewal_init(&renewal, from);
	uint32_t moved = renewal_location(&renewal, location);
	assert_int_equal(renewal_location(&renewal, location), moved);
	uint32_t label = renewal_location(&renewal, synthetic);
	uint32_t who = renewal_thread(&renewal, thread);
	struct profile *to = profile_ref(renewal.to);
	renewal_finish(&renewal);
	profile_unref(from);

	const struct location *there = profile_location(to, moved);
	assert_int_equal(there->address, 0x1234);
	assert_int_equal(there->n_lines, 2);
	assert_int_equal(there->lines[1].line, 9);
	assert_string_equal(profile_mapping(to, there->mapping)->path, "/a");
	const struct function *f = profile_function(to, there->lines[0].function);
	assert_string_equal(f->name, "f()");
	assert_string_equal(f->file, "/a.c");
	assert_int_equal(profile_intern_detailed(to, "[futex]", "0x1"), label);
	assert_string_equal(profile_thread(to, who)->name, "worker");
	assert_int_equal(profile_thread(to, who)->tid, 13);
	assert_int_equal(profile_process(to, profile_thread(to, who)->process)->pid, 12);
	profile_unref(to);
}

/* Code that was replaced at an address keeps its name, and is not found there. */
static void test_what_was_at_an_address_stays_past(void **state)
{
	(void)state;
	struct profile *from = profile_create();
	uint32_t mapping = profile_add_mapping(from,
		&(struct mapping){
			.start = 0x1000, .limit = 0x2000, .path = "/a", .module = "a"});
	uint32_t ids[2][2]; /* before and now, at two addresses */
	for (uint32_t i = 0; i < 4; i++) {
		char name[] = {(char)('a' + i), '\0'};
		struct function function = {
			.name = name, .system_name = name, .module = "a", .file = ""};
		struct line line = {.function = profile_intern_function(from, &function)};
		ids[i / 2][i % 2] =
			profile_add_location(from, mapping, 0x1000 + i % 2, &line, 1);
	}
	struct renewal renewal;
	renewal_init(&renewal, from);
	/* Of the second address only what was there before is needed. */
	uint32_t now = renewal_location(&renewal, ids[1][0]);
	uint32_t past = renewal_location(&renewal, ids[0][0]);
	renewal_location(&renewal, ids[0][1]);
	uint32_t there = renewal_mapping(&renewal, mapping);
	assert_int_equal(profile_find_location(renewal.to, there, 0x1000), now);
	assert_int_not_equal(past, now);
	assert_int_equal(profile_find_location(renewal.to, there, 0x1001), PROFILE_NONE);
	uint32_t known = ids[0][0], unknown = ids[1][1];
	assert_true(renewal_knows_location(&renewal, &known));
	assert_int_equal(known, past);
	assert_false(renewal_knows_location(&renewal, &unknown));
	renewal_finish(&renewal);
	profile_unref(from);
}

static void test_a_history_goes_on_in_a_new_profile(void **state)
{
	(void)state;
	struct history history;
	history_init(&history, true, 0, 0);
	history_name_thread(&history, 7, "busy");
	uint32_t locations[3] = {
		profile_intern_synthetic(history.profile, "leaf"),
		profile_intern_synthetic(history.profile, "main"),
	};
	struct sample sample = {.time_ns = 5, .cpu_ns = 3, .count = 1};
	for (int i = 0; i < 1000; i++) {
		char label[32];
		snprintf(label, sizeof(label), "fd %d", i);
		profile_intern_detailed(history.profile, "[read]", label);
	}
	history_add(&history, 7, locations, 2, UNWIND_ROOT, &sample);
	struct renewal renewal;
	renewal_init(&renewal, history.profile);
	retention_renew(&history, &renewal);
	renewal_finish(&renewal);
	assert_int_equal(history.profile->locations->len, 2);
	const struct sample *kept = sample_log_at(&history.samples, 0);
	assert_int_equal(kept->cpu_ns, 3);
	assert_string_equal(profile_thread(history.profile, kept->thread)->name, "busy");
	const struct stack_node *leaf = stacktab_node(history.stacktab, kept->stack);
	const struct location *location =
		profile_location(history.profile, leaf->location);
	assert_string_equal(
		profile_function(history.profile, location->lines[0].function)->name,
		"leaf");
	history_finish(&history);
}

/* --- an hour ----------------------------------------------------------------------- */

static void put(struct analyst *analyst, struct ring *ring, const struct snapshot *record)
{
	struct snapshot *slot;
	while (!(slot = ring_reserve(ring))) {
		analyst_wake(analyst);
		usleep(100);
	}
	memcpy(slot, record, sizeof(*record));
	ring_commit(ring);
}

/* A thread that lived for a moment, under a new name. */
static void put_thread(
	struct analyst *analyst, struct ring *ring, pid_t tid, uint64_t time_ns)
{
	struct snapshot record = {
		.kind = SNAPSHOT_THREAD, .tid = tid, .time_ns = time_ns};
	snprintf(record.name, sizeof(record.name), "t%d", (int)tid);
	put(analyst, ring, &record);
	record.kind = SNAPSHOT_WAIT;
	record.is_wall = true;
	record.runq_ns = 1;
	put(analyst, ring, &record);
	record.runq_ns = 0;
	record.kind = SNAPSHOT_THREAD_EXIT;
	put(analyst, ring, &record);
}

/* The report of a part, as `record --every` asks for it; it has what was put into it. */
static size_t cut(struct analyst *analyst, struct ring *ring, uint64_t time_ns)
{
	struct snapshot survey = {
		.kind = SNAPSHOT_SURVEY, .time_ns = time_ns, .from_ns = time_ns};
	struct snapshot mark = {
		.kind = SNAPSHOT_MARK, .time_ns = time_ns, .from_ns = time_ns};
	put(analyst, ring, &survey);
	put(analyst, ring, &mark);
	struct report_request request = {
		.until_ns = time_ns, .wall = true, .forget = true};
	struct report *report = analyst_report(analyst, &request);
	assert_int_equal(report->total.wall_ns, THREADS_A_CUT);
	size_t bytes = report->memory_bytes;
	report_destroy(report);
	return bytes;
}

/* What the live screen asks for; the one before is on the screen until this one is
   there. */
static size_t look(struct analyst *analyst, struct report **shown)
{
	struct report_request request = {.wall = true};
	struct report *report = analyst_report(analyst, &request);
	if (*shown)
		assert_true(profile_thread((*shown)->profile, 0)->tid > 0);
	report_destroy(*shown);
	*shown = report;
	return report->memory_bytes;
}

/* 600000 threads; what the second half takes is no more than the first. By their means: memory goes
   up and down as the analyst goes on in new profiles, and a peak is seen by chance. */
static void live_through(const struct analyst_options *options)
{
	struct error err = {""};
	struct ring *ring = ring_create(1024, 64);
	struct analyst *analyst = analyst_create(options, &err);
	assert_non_null(analyst);
	int proc_fd = open("/proc/self", O_RDONLY | O_DIRECTORY);
	struct analyst_process self = {.pid = getpid(), .ring = ring, .proc_fd = proc_fd};
	if (!analyst_add(analyst, &self, &err))
		fail_msg("%s", err.text);
	size_t early = 0, late = 0;
	uint64_t time_ns = clock_monotonic_ns();
	struct report *shown = NULL;
	pid_t tid = 1000;
	for (int i = 0; i < CUTS; i++) {
		for (int k = 0; k < THREADS_A_CUT; k++)
			put_thread(analyst, ring, tid++, ++time_ns);
		size_t bytes = options->keep_everything ? cut(analyst, ring, ++time_ns)
							: look(analyst, &shown);
		*(i < CUTS / 2 ? &early : &late) += bytes / (CUTS / 2);
	}
	print_message("# %zu KB in the first half, %zu KB in the second\n", early / 1024,
		late / 1024);
	/* 300000 names more are ten times that. */
	assert_true(late <= early + MOST_BYTES_MORE);
	struct snapshot end = {.kind = SNAPSHOT_END, .time_ns = ++time_ns};
	put(analyst, ring, &end);
	analyst_destroy(analyst);
	report_destroy(shown);
	ring_destroy(ring);
	close(proc_fd);
}

static void test_an_hour_of_threads_recorded_in_parts(void **state)
{
	(void)state;
	live_through(&(struct analyst_options){.keep_everything = true});
}

static void test_an_hour_of_threads_on_the_live_screen(void **state)
{
	(void)state;
	live_through(&(struct analyst_options){
		.history_ns = 600 * NS_PER_SEC, .history_bytes = 2 << 20});
}

int main(int argc, char **argv)
{
	test_begins_processes(argc, argv);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_needed_moves),
		cmocka_unit_test(test_what_was_at_an_address_stays_past),
		cmocka_unit_test(test_a_history_goes_on_in_a_new_profile),
		cmocka_unit_test(test_an_hour_of_threads_recorded_in_parts),
		cmocka_unit_test(test_an_hour_of_threads_on_the_live_screen),
	};
	return unit_run(tests);
}
