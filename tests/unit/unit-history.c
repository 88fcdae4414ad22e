/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An hour of samples stays within the bounds, and what is kept stays correct. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/count/report-build.h"
#include "src/keep/evened.h"
#include "src/keep/retention.h"

#include <stdlib.h>
#include <string.h>

enum {
	DEPTH = 24,
	TRUNK = 12, /* frames that all stacks begin with */
	ARRIVALS = 200,
};

/* A sample at TIME_NS with a stack of its own, by NUMBER. */
static void add_sample(
	struct history *history, pid_t tid, uint64_t time_ns, uint32_t number)
{
	uint32_t locations[DEPTH + 1];
	for (uint32_t i = 0; i < DEPTH; i++) /* leaf first */
		locations[i] = i < DEPTH - TRUNK ? 1000 + number * DEPTH + i : i;
	struct sample sample = {.time_ns = time_ns, .cpu_ns = 1, .count = 1};
	history_add(history, tid, locations, DEPTH, UNWIND_ROOT, &sample);
}

/* Every sample kept is of the thread and has the stack that it was added with, and none
   between the oldest and the newest is missing. */
static void assert_true_to(const struct history *history, uint32_t newest)
{
	const struct sample_log *samples = &history->samples;
	for (size_t i = 0; i < samples->len; i++) {
		const struct sample *sample = sample_log_at(samples, i);
		uint32_t number = newest - (uint32_t)(samples->len - 1 - i);
		uint32_t node = sample->stack;
		for (uint32_t at = 0; at < DEPTH - TRUNK; at++) {
			assert_int_equal(stacktab_node(history->stacktab, node)->location,
				1000 + number * DEPTH + at);
			node = stacktab_node(history->stacktab, node)->parent;
		}
		assert_int_equal(stacktab_end(history->stacktab, node), UNWIND_ROOT);
		assert_int_equal(
			profile_thread(history->profile, sample->thread)->tid, 7);
	}
}

/* SECONDS of 200 samples a second, each with a stack of its own; the highest number of
   nodes that there were after a trim. */
static uint32_t live_through(
	struct history *history, uint32_t seconds, size_t max_bytes, uint32_t *most_len)
{
	uint32_t most_nodes = 0;
	*most_len = 0;
	for (uint32_t number = 0; number < seconds * ARRIVALS; number++) {
		uint64_t time_ns = (uint64_t)number * NS_PER_SEC / ARRIVALS;
		add_sample(history, 7, time_ns, number);
		assert_true(sample_log_bytes(&history->samples) <= max_bytes);
		if (number % ARRIVALS != ARRIVALS - 1)
			continue;
		history_mark(history, time_ns, number);
		retention_trim(history, time_ns);
		uint32_t nodes = stacktab_nodes(history->stacktab);
		most_nodes = nodes > most_nodes ? nodes : most_nodes;
		if (history->samples.len > *most_len)
			*most_len = (uint32_t)history->samples.len;
	}
	return most_nodes;
}

static void test_an_hour_is_bounded_by_age(void **state)
{
	(void)state;
	struct history history;
	size_t max_bytes = 64 * 1024 * 1024;
	uint32_t seconds = 3600, most_len;
	history_init(&history, false, 60 * NS_PER_SEC, max_bytes);
	history_name_thread(&history, 7, "busy");
	uint32_t most_nodes = live_through(&history, seconds, max_bytes, &most_len);
	assert_in_range(most_len, 60 * ARRIVALS, 60 * ARRIVALS + 1);
	assert_int_equal(history.samples.len, most_len);
	/* 720,000 stacks came, 8.6 million nodes; a minute of them is live. */
	assert_true(most_nodes <= history.limits.stacktab_limit);
	assert_true(stacktab_nodes(history.stacktab) > most_len);
	assert_true(history.marks.len < 2100);
	assert_true_to(&history, seconds * ARRIVALS - 1);
	history_finish(&history);
}

static void test_an_hour_is_bounded_by_bytes(void **state)
{
	(void)state;
	struct history history;
	size_t max_bytes = 1024 * 1024;
	uint32_t seconds = 3600, most_len;
	history_init(&history, false, 600 * NS_PER_SEC, max_bytes);
	history_name_thread(&history, 7, "busy");
	uint32_t most_nodes = live_through(&history, seconds, max_bytes, &most_len);
	/* The stacks are the dearer part here: they take their share, samples follow. */
	assert_true(most_nodes <= history.limits.stacktab_most);
	assert_true(history.samples.len > 100);
	assert_true(history.samples.expired > 600000);
	assert_true(history_memory(&history) < 3 * max_bytes);
	assert_true_to(&history, seconds * ARRIVALS - 1);
	history_finish(&history);
}

static void test_samples_alike_fill_the_bytes_to_the_limit(void **state)
{
	(void)state;
	struct history history;
	size_t max_bytes = 100 * 1000, fit = max_bytes / sizeof(struct sample);
	history_init(&history, false, 600 * NS_PER_SEC, max_bytes);
	uint32_t locations[2] = {1, 2};
	for (uint32_t i = 0; i < 3 * fit; i++) {
		struct sample sample = {.time_ns = i, .count = 1};
		history_add(&history, 7, locations, 1, UNWIND_ROOT, &sample);
		assert_true(sample_log_bytes(&history.samples) <= max_bytes);
		assert_int_equal(history.samples.len, i < fit ? i + 1 : fit);
		assert_int_equal(sample_log_at(&history.samples, 0)->time_ns,
			i < fit ? 0 : i + 1 - fit);
		assert_int_equal(
			sample_log_at(&history.samples, history.samples.len - 1)->time_ns,
			i);
	}
	history_finish(&history);
}

static void test_a_report_keeps_the_stacks_it_has(void **state)
{
	(void)state;
	struct history history;
	uint32_t most_len;
	history_init(&history, false, 600 * NS_PER_SEC, 1024 * 1024);
	add_sample(&history, 7, 0, 0);
	uint32_t stack = sample_log_at(&history.samples, 0)->stack;
	struct stacktab *held = stacktab_ref(history.stacktab);
	live_through(&history, 60, 1024 * 1024, &most_len);
	assert_ptr_not_equal(history.stacktab, held);
	assert_int_equal(stacktab_node(held, stack)->location, 1000);
	stacktab_unref(held);
	history_finish(&history);
}

static void test_threads_that_ended_are_forgotten(void **state)
{
	(void)state;
	struct history history;
	history_init(&history, false, NS_PER_SEC, 1024 * 1024);
	history_name_thread(&history, 7, "steady");
	for (pid_t tid = 100; tid < 50100; tid++) {
		uint64_t time_ns = (uint64_t)tid * NS_PER_MS;
		history_name_thread(&history, tid, "brief");
		add_sample(&history, 7, time_ns, (uint32_t)tid);
		history_thread_exit(&history, tid);
		retention_trim(&history, time_ns);
		assert_true(history.threads.len <= 1024);
	}
	/* The living one is still the one it was, and a tid may come again. */
	assert_true_to(&history, 50099);
	const struct sample *last =
		sample_log_at(&history.samples, history.samples.len - 1);
	assert_string_equal(
		profile_thread(history.profile, last->thread)->name, "steady");
	history_name_thread(&history, 100, "again");
	add_sample(&history, 100, 60 * NS_PER_SEC, 0);
	last = sample_log_at(&history.samples, history.samples.len - 1);
	assert_string_equal(profile_thread(history.profile, last->thread)->name, "again");
	history_finish(&history);
}

static void test_cleared_is_empty_and_small(void **state)
{
	(void)state;
	struct history history;
	uint32_t most_len;
	history_init(&history, false, 600 * NS_PER_SEC, 8 * 1024 * 1024);
	live_through(&history, 20, 8 * 1024 * 1024, &most_len);
	retention_clear(&history);
	assert_int_equal(history.samples.len, 0);
	/* A thread's newest stack stays: it may be waiting there. */
	assert_true(stacktab_nodes(history.stacktab) <= UNWIND_END_COUNT + DEPTH);
	assert_int_equal(history.marks.len, 1);
	history_finish(&history);
}

/* A second at a time, with samples that come late: each is counted once. */
static void test_cut_by_time_each_sample_is_in_one_part(void **state)
{
	(void)state;
	struct history history;
	history_init(&history, true, 0, 0);
	history_name_thread(&history, 7, "busy");
	uint64_t counted = 0, cpu_ns = 0;
	uint32_t number = 0;
	for (uint64_t second = 1; second <= 20; second++) {
		for (uint32_t i = 0; i < ARRIVALS; i++, number++) {
			uint64_t time_ns = number * (NS_PER_SEC / ARRIVALS);
			/* Out of order, and as late as two parts later. */
			if (i % 10 == 3 && time_ns > 2 * NS_PER_SEC)
				time_ns -= i % 20 == 3 ? NS_PER_MS * 6 : 2 * NS_PER_SEC;
			uint32_t locations[2] = {
				profile_intern_synthetic(history.profile, "code")};
			struct sample sample = {
				.time_ns = time_ns, .cpu_ns = 1, .count = 1};
			history_add(&history, 7, locations, 1, UNWIND_ROOT, &sample);
			history_mark(&history, time_ns, number);
		}
		struct report_request request = {.until_ns = second * NS_PER_SEC};
		struct report_input input = {
			.profile = history.profile,
			.stacktab = history.stacktab,
			.samples = &history.samples,
			.since_ns = history.since_ns,
			.now_ns = second * NS_PER_SEC,
			.marks = history.marks.data,
			.n_marks = history.marks.len,
		};
		struct report *report = report_build(&input, &request);
		counted += report->total.samples;
		cpu_ns += report->total.cpu_ns;
		assert_int_equal(report->start_ns, (second - 1) * NS_PER_SEC);
		assert_int_equal(report->end_ns, second * NS_PER_SEC);
		report_destroy(report);
		retention_forget(&history, request.until_ns);
	}
	assert_int_equal(counted + history.samples.len, number);
	assert_int_equal(cpu_ns + history.samples.len, number);
	assert_int_equal(history.samples.len, 0);
	history_finish(&history);
}

/* Samples that follow one another share their time, thread by thread, and nothing is lost. */
static void test_cpu_time_is_evened_out(void **state)
{
	(void)state;
	enum {
		N = 3 * EVENED_SAMPLES + 5,
		FEW = 3
	};
	struct sample_log log = {0};
	uint64_t sums[2] = {0}, evened[2] = {0};
	for (uint32_t i = 0; i < N; i++) {
		/* the first quarter weighs little, but for one sample */
		struct sample sample = {.time_ns = i + 1, .count = 1};
		sample.cpu_ns = i == 3 ? 1000 : i < EVENED_SAMPLES ? 10 : 777 + i * 13;
		sample_log_add(&log, &sample);
		sums[0] += sample.cpu_ns;
		if (i >= FEW)
			continue;
		sample.thread = 1;
		sample.cpu_ns = 1 + i;
		sample_log_add(&log, &sample);
		sums[1] += sample.cpu_ns;
	}
	/* what stands for several, or has no time, is left as it is */
	sample_log_add(&log, &(struct sample){.time_ns = N, .cpu_ns = 5000, .count = 7});
	sample_log_add(&log, &(struct sample){.time_ns = N, .count = 1});
	uint64_t *cpu_ns = evened_cpu_ns(&log, 0, log.len);
	for (size_t i = 0; i < log.len - 2; i++)
		evened[sample_log_at(&log, i)->thread] += cpu_ns[i];
	assert_int_equal(evened[0], sums[0]);
	assert_int_equal(evened[1], sums[1]);
	/* 1 + 2 + 3 of three samples; 15 * 10 + 1000 of the first sixteen of the other thread */
	assert_int_equal(cpu_ns[1], 2);
	assert_int_equal(cpu_ns[0], 72);
	assert_int_equal(cpu_ns[EVENED_SAMPLES - 1 + FEW], 71);
	/* the last ones are too few for a group of their own */
	assert_in_range(
		cpu_ns[log.len - 3] + 1, cpu_ns[log.len - 10], cpu_ns[log.len - 10] + 1);
	assert_int_equal(cpu_ns[log.len - 2], 5000);
	assert_int_equal(cpu_ns[log.len - 1], 0);
	free(cpu_ns);
	/* a part of the log is evened out by itself */
	cpu_ns = evened_cpu_ns(&log, 6, 1);
	assert_int_equal(cpu_ns[0], 1000);
	free(cpu_ns);
	sample_log_finish(&log);
}

/* Rarely sampled threads share with one another, by their odds, and not with a thread that counts
   by itself, nor with those of another process. */
static void test_a_pool_shares_its_time(void **state)
{
	(void)state;
	enum {
		N = 2 * EVENED_SAMPLES
	};
	struct sample_log log = {0};
	uint64_t sums[3] = {0};
	for (uint32_t i = 0; i < N; i++)
		for (uint16_t pool = 0; pool <= 2; pool++)
			sample_log_add(
				&log, &(struct sample){
					      .time_ns = i + 1,
					      .cpu_ns = pool == 0 ? 50 : i % 4 * 100,
					      .thread = pool == 0 ? 7 : i,
					      .count = 1,
					      .pool = pool,
					      .odds = pool == 2 && i % 2 ? 3 : 1,
				      });
	uint64_t *cpu_ns = evened_cpu_ns(&log, 0, log.len);
	for (size_t i = 0; i < log.len; i++) {
		const struct sample *sample = sample_log_at(&log, i);
		sums[sample->pool] += cpu_ns[i];
		uint64_t wanted_ns = sample->pool == 0	 ? 50
				     : sample->pool == 1 ? 150
							 : 75 * sample->odds;
		assert_int_equal(cpu_ns[i], wanted_ns);
	}
	assert_int_equal(sums[0], 50 * N);
	assert_int_equal(sums[1], 150 * N);
	assert_int_equal(sums[2], 150 * N);
	free(cpu_ns);
	sample_log_finish(&log);
}

/* A recording of 64 processes for three hours, with a pause, which all stop ten times a second to
   say what they have used: that must not take the memory of its stacks. */
static void test_marks_of_a_recording_are_few(void **state)
{
	(void)state;
	enum {
		PROCESSES = 64,
		SECONDS = 3 * 3600,
		PAUSE_FROM = 5000,
		PAUSE_TO = 5010,
	};
	struct history history;
	history_init(&history, true, 0, 0);
	uint64_t cpu_ns = 0;
	size_t gaps = 0;
	for (uint64_t tenth = 0; tenth < SECONDS * 10; tenth++) {
		if (tenth >= PAUSE_FROM * 10 && tenth < PAUSE_TO * 10)
			continue;
		for (uint64_t i = 0; i < PROCESSES; i++)
			history_mark(&history,
				tenth * NS_PER_SEC / 10 + i * NS_PER_SEC / 1000,
				cpu_ns += 1000);
		retention_trim(&history, tenth * NS_PER_SEC / 10);
	}
	assert_true(history.marks.len < 128 * 1024);
	assert_false(retention_wants_condensing(&history));
	/* The sum is whole, and the pause is the only gap. */
	const struct cpu_mark *marks = history.marks.data;
	assert_int_equal(marks[history.marks.len - 1].cpu_ns, cpu_ns);
	assert_int_equal(marks[0].cpu_ns, 1000);
	for (size_t i = 1; i < history.marks.len; i++) {
		assert_true(marks[i].time_ns >= marks[i - 1].time_ns);
		assert_true(marks[i].cpu_ns >= marks[i - 1].cpu_ns);
		gaps += marks[i].time_ns - marks[i - 1].time_ns > 2 * NS_PER_SEC;
	}
	assert_int_equal(gaps, 1);
	history_finish(&history);
}

/* When samples that stand for several are forgotten, the others have their times. */
static void test_merged_samples_are_forgotten(void **state)
{
	(void)state;
	struct sample_log log = {0};
	for (uint64_t i = 0; i < 10; i++)
		sample_log_add(&log, &(struct sample){.time_ns = 100 + i, .count = 1});
	sample_log_compact(&log, UINT64_MAX);
	assert_true(log.merged);
	sample_log_add(&log, &(struct sample){.time_ns = 110, .count = 1});
	sample_log_expire(&log, 100);
	assert_true(log.merged);
	sample_log_expire(&log, 110);
	assert_int_equal(log.len, 1);
	assert_false(log.merged);
	sample_log_finish(&log);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_hour_is_bounded_by_age),
		cmocka_unit_test(test_an_hour_is_bounded_by_bytes),
		cmocka_unit_test(test_samples_alike_fill_the_bytes_to_the_limit),
		cmocka_unit_test(test_a_report_keeps_the_stacks_it_has),
		cmocka_unit_test(test_threads_that_ended_are_forgotten),
		cmocka_unit_test(test_cleared_is_empty_and_small),
		cmocka_unit_test(test_cpu_time_is_evened_out),
		cmocka_unit_test(test_a_pool_shares_its_time),
		cmocka_unit_test(test_cut_by_time_each_sample_is_in_one_part),
		cmocka_unit_test(test_marks_of_a_recording_are_few),
		cmocka_unit_test(test_merged_samples_are_forgotten),
	};
	return unit_run(tests);
}
