/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Triggers: their language, their values, and when they fire, over simulated time. */

#include "tests/lib/unit.h"
#include "tests/lib/world.h"

#include "src/base/clock.h"
#include "src/count/trigger/trigger.h"
#include "src/facts/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trigger parsed(const char *text)
{
	struct trigger trigger;
	struct error err = {""};
	if (!trigger_parse(&trigger, text, &err))
		fail_msg("%s: %s", text, err.text);
	return trigger;
}

static void assert_refused(const char *text, const char *why)
{
	struct trigger trigger;
	struct error err = {""};
	assert_false(trigger_parse(&trigger, text, &err));
	if (!strstr(err.text, why) || strchr(err.text, '\n'))
		fail_msg("%s: '%s' does not say '%s'", text, err.text, why);
}

static void test_the_language(void **state)
{
	(void)state;
	struct trigger t = parsed("total(f) > 30%");
	assert_int_equal(t.kind, TRIGGER_TOTAL);
	assert_string_equal(t.pattern, "f");
	assert_false(t.is_time);
	assert_float_equal(t.limit, 0.3, 1e-9);
	assert_int_equal(t.window_ns, NS_PER_SEC);
	t = parsed("self(^a(b|c)$)>1s");
	assert_int_equal(t.kind, TRIGGER_SELF);
	assert_string_equal(t.pattern, "^a(b|c)$");
	assert_true(t.is_time);
	assert_float_equal(t.limit, 1, 1e-9);
	assert_int_equal(t.window_ns, 30 * NS_PER_SEC);
	t = parsed("  cpu>250 %  in  500ms ");
	assert_int_equal(t.kind, TRIGGER_CPU);
	assert_float_equal(t.limit, 2.5, 1e-9);
	assert_int_equal(t.window_ns, NS_PER_SEC / 2);
	t = parsed("runq > 200ms in 2s");
	assert_int_equal(t.kind, TRIGGER_RUNQ);
	assert_float_equal(t.limit, 0.2, 1e-9);
	t = parsed("blocked( lock) > 50%");
	assert_int_equal(t.kind, TRIGGER_BLOCKED);
	assert_non_null(strstr(t.pattern, "(?: lock)"));
	t = parsed("total(operator>) > 5%");
	assert_string_equal(t.pattern, "operator>");
}

static void test_what_is_wrong_is_told_in_a_line(void **state)
{
	(void)state;
	char longest[2 * REPORT_TEXT_MAX];
	assert_refused("", "compares nothing");
	assert_refused("cpu", "compares nothing");
	assert_refused("cpu < 3%", "compares nothing");
	assert_refused("> 3%", "none of total(REGEX)");
	assert_refused("load > 3%", "'load' is none of");
	assert_refused("cpus > 3%", "'cpus' is none of");
	assert_refused("cpu(f) > 3%", "cpu stands alone, without '(f)'");
	assert_refused("total > 3%", "Write total(REGEX)");
	assert_refused("self() > 3%", "Write self(REGEX)");
	assert_refused("self(a > 3%", "Write self(REGEX)");
	assert_refused("total(a(b) > 3%", "at offset");
	assert_refused("total(!a) > 3%", "no meaning");
	assert_refused("blocked((*UCP)a) > 3%", "'(*UCP)a': ");
	assert_refused("cpu > ", "no number with");
	assert_refused("cpu > 3", "no number with");
	assert_refused("cpu > x%", "no number with");
	assert_refused("cpu > nan%", "out of range");
	assert_refused("cpu > -1%", "out of range");
	assert_refused("cpu > 3% for 3s", "is too much");
	assert_refused("cpu > 3% in 3%", "takes a time");
	assert_refused("cpu > 3% in 1ms", "takes a time");
	assert_refused("cpu > 3% in 301s", "takes a time");
	memset(longest, 'a', sizeof(longest));
	memcpy(longest, "total(", 6);
	memcpy(longest + sizeof(longest) - 6, ") >3%", 6);
	assert_refused(longest, "at most");
	/* one that is just short enough by itself, but not with what blocked puts before it */
	snprintf(
		longest, sizeof(longest), "blocked(%0*d) > 3%%", REPORT_TEXT_MAX - 10, 0);
	assert_refused(longest, "at most");
}

static void test_quotas(void **state)
{
	(void)state;
	struct trigger_quota quota;
	struct error err;
	assert_true(trigger_quota_parse(&quota, "2", &err));
	assert_true(trigger_quota_allows(&quota, 1, UINT64_C(1) << 40));
	assert_false(trigger_quota_allows(&quota, 2, 0));
	assert_true(trigger_quota_parse(&quota, "1.5M", &err));
	assert_true(trigger_quota_allows(&quota, 1000000, 1572863));
	assert_false(trigger_quota_allows(&quota, 0, 1572864));
	const char *const wrong[] = {"", "0", "-3", "1.5", "M", "3T", "3MB", "inf", "x"};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(trigger_quota_parse(&quota, wrong[i], &err));
}

/* --- simulated time -------------------------------------------------------------------- */

#define TICK_NS	 (10 * NS_PER_MS) /* a sample of a busy thread */
#define LOOK_NS	 (100 * NS_PER_MS)
#define START_NS (1000 * NS_PER_SEC)

struct play {
	struct world world;
	struct trigger trigger;
	struct trigger_state state;
	struct cpu_mark marks[2];
	unsigned fired;
	uint64_t fired_ns; /* for the first time */
};

static struct play play_create(const char *trigger)
{
	return (struct play){.world = world_create(), .trigger = parsed(trigger)};
}

static double look_at(struct play *play, uint64_t now_ns)
{
	struct report_input input = {
		.profile = play->world.profile,
		.stacktab = play->world.stacktab,
		.samples = &play->world.samples,
		.now_ns = now_ns,
		.now_wall_ns = now_ns,
		.marks = play->marks,
		.n_marks = 2,
	};
	struct report_request request = trigger_request(&play->trigger, now_ns);
	struct report *report = report_build(&input, &request);
	double value = trigger_value(&play->trigger, report);
	report_destroy(report);
	if (trigger_fires(&play->trigger, &play->state, value, now_ns) && !play->fired++)
		play->fired_ns = now_ns;
	return value;
}

static void sample(struct play *play, uint64_t time_ns, const char *stack)
{
	world_sample(&play->world, time_ns, 1, "app", stack, TICK_NS);
}

/* A third of a CPU in other functions, and from SPIKE_NS for two seconds all of one in
   "spike". It must be found within a quarter of a second of when a second of it can be
   over the limit, which is LIMIT of a second after its beginning at the latest. */
static void play_spike(const char *text, double limit, unsigned seed)
{
	struct play play = play_create(text);
	srand(seed);
	uint64_t spike_ns = START_NS + 2 * NS_PER_SEC + (uint64_t)(rand() % 1000000000),
		 look_ns = START_NS + (uint64_t)(rand() % (int)LOOK_NS);
	for (uint64_t now_ns = START_NS; now_ns < START_NS + 8 * NS_PER_SEC;
		now_ns += TICK_NS) {
		uint64_t at_ns = now_ns + (uint64_t)(rand() % (int)TICK_NS);
		if (at_ns >= spike_ns && at_ns < spike_ns + 2 * NS_PER_SEC)
			sample(&play, at_ns, "main;work;spike;leaf");
		else if (rand() % 3 == 0)
			sample(&play, at_ns, "main;work;leaf");
		for (; look_ns < now_ns; look_ns += LOOK_NS)
			look_at(&play, look_ns);
	}
	assert_int_equal(play.fired, 1);
	assert_true(play.fired_ns > spike_ns);
	assert_true(play.fired_ns <=
		    spike_ns + (uint64_t)(limit * NS_PER_SEC) + NS_PER_SEC / 4);
	world_destroy(&play.world);
}

static void test_a_spike_is_caught_a_hundred_times_of_a_hundred(void **state)
{
	(void)state;
	for (unsigned seed = 0; seed < 100; seed++) {
		play_spike("total(^spike$) > 30%", 0.3, seed);
		play_spike("total(spike) > 1s", 1.0, seed);
	}
}

/* Five samples a second, all in one function: 100 % of nearly nothing. */
static void test_an_idle_hour_fires_nothing(void **state)
{
	(void)state;
	struct play share = play_create("total(f) > 30%");
	struct play self = play_create("self(f) > 30%");
	for (uint64_t i = 0; i < 36000; i++) {
		uint64_t now_ns = START_NS + i * LOOK_NS;
		if (i % 2 == 0) {
			sample(&share, now_ns, "main;f");
			sample(&self, now_ns, "main;f");
		}
		sample_log_expire(&share.world.samples, now_ns - 30 * NS_PER_SEC);
		sample_log_expire(&self.world.samples, now_ns - 30 * NS_PER_SEC);
		look_at(&share, now_ns + 1);
		look_at(&self, now_ns + 1);
	}
	assert_int_equal(share.fired + self.fired, 0);
	world_destroy(&share.world);
	world_destroy(&self.world);
}

static void test_self_is_of_the_functions_that_match(void **state)
{
	(void)state;
	struct play play = play_create("self(^f) > 1s in 5s");
	for (uint64_t i = 0; i < 30; i++) {
		uint64_t now_ns = START_NS + i * TICK_NS;
		sample(&play, now_ns,
			i % 3 == 0   ? "main;f1"
			: i % 3 == 1 ? "main;f2;g"
				     : "f3;f2");
	}
	assert_float_equal(look_at(&play, START_NS + NS_PER_SEC), 0.2, 1e-9);
	play.trigger = parsed("self(^f) > 1% in 5s");
	assert_float_equal(look_at(&play, START_NS + NS_PER_SEC), 20.0 / 30, 1e-9);
	play.trigger = parsed("total(^f2$) > 1% in 5s");
	assert_float_equal(look_at(&play, START_NS + NS_PER_SEC), 20.0 / 30, 1e-9);
	play.trigger = parsed("total(^f2$) > 1%");
	assert_float_equal(look_at(&play, START_NS + 10 * NS_PER_SEC), 0, 0);
	world_destroy(&play.world);
}

static void test_cpu_is_what_the_kernel_charged(void **state)
{
	(void)state;
	struct play play = play_create("cpu > 90%");
	play.marks[0] = (struct cpu_mark){START_NS, 5 * NS_PER_SEC};
	play.marks[1] = (struct cpu_mark){START_NS + 2 * NS_PER_SEC, 8 * NS_PER_SEC};
	assert_float_equal(look_at(&play, START_NS + 2 * NS_PER_SEC), 1.5, 1e-6);
	assert_int_equal(play.fired, 1);
	/* A recording that began half a second ago cannot have used a second. */
	assert_float_equal(look_at(&play, START_NS + NS_PER_SEC / 2), 0.75, 1e-6);
	world_destroy(&play.world);
}

static void test_blocked_is_only_who_is_blocked(void **state)
{
	(void)state;
	struct play play = play_create("blocked(lock) > 50%");
	static const uint32_t states[] = {
		THREAD_RUNNING, THREAD_RUNNABLE, THREAD_BLOCKED, THREAD_BLOCKED};
	for (size_t i = 0; i < 4; i++) {
		sample(&play, START_NS + i, i < 3 ? "main;take_lock" : "main;read");
		struct sample_log *log = &play.world.samples;
		log->samples[(log->first + i) % log->cap].state = states[i];
		log->samples[(log->first + i) % log->cap].wall_ns = 600 * NS_PER_MS;
	}
	assert_float_equal(look_at(&play, START_NS + NS_PER_MS), 0.6, 1e-9);
	assert_int_equal(play.fired, 1);
	world_destroy(&play.world);
}

/* The value of CONDITION for a thread that is blocked with FUNCTION on its stack. */
static double blocked_in(const char *condition, const char *function)
{
	struct play play = play_create(condition);
	char stack[64];
	snprintf(stack, sizeof(stack), "main;%s", function);
	sample(&play, START_NS, stack);
	struct sample *only = &play.world.samples.samples[play.world.samples.first];
	only->state = THREAD_BLOCKED;
	only->wall_ns = NS_PER_SEC;
	double value = look_at(&play, START_NS + NS_PER_MS);
	world_destroy(&play.world);
	return value;
}

static void test_a_clock_is_no_lock(void **state)
{
	(void)state;
	static const char *const locks[] = {"lock", "___pthread_mutex_lock", "flock",
		"pthread_mutex_clocklock", "Lock", "clock_and_lock"};
	static const char *const others[] = {"clock_nanosleep", "[clock_nanosleep]",
		"pthread_cond_clockwait", "block_on"};
	for (size_t i = 0; i < sizeof(locks) / sizeof(locks[0]); i++)
		assert_float_equal(blocked_in("blocked(lock) > 50%", locks[i]), 1, 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_float_equal(blocked_in("blocked(lock) > 50%", others[i]), 0, 0);
	assert_float_equal(blocked_in("blocked(clock) > 50%", "clock_nanosleep"), 1, 0);
	assert_float_equal(blocked_in("blocked(x|nano) > 50%", "clock_nanosleep"), 1, 0);
	assert_float_equal(blocked_in("blocked(^lock$) > 50%", "lock"), 1, 0);
	assert_float_equal(blocked_in("blocked(^lock$) > 50%", "lock_it"), 0, 0);
}

static void test_it_fires_again_only_after_a_rest(void **state)
{
	(void)state;
	struct trigger trigger = parsed("cpu > 50%");
	struct trigger_state at = {0};
	const uint64_t rest_ns = TRIGGER_REST_S * NS_PER_SEC;
	uint64_t now_ns = START_NS;
	assert_false(trigger_fires(&trigger, &at, 0.5, now_ns));
	assert_true(trigger_fires(&trigger, &at, 0.51, now_ns));
	/* To and fro around the limit for an hour is one event. */
	for (int i = 0; i < 36000; i++) {
		now_ns += LOOK_NS;
		assert_false(trigger_fires(&trigger, &at, i % 50 ? 0.4 : 0.6, now_ns));
	}
	now_ns = at.last_over_ns + rest_ns - 1;
	assert_false(trigger_fires(&trigger, &at, 0.4, now_ns));
	assert_false(trigger_fires(&trigger, &at, 0.6, now_ns));
	assert_false(trigger_fires(&trigger, &at, 0.4, now_ns + rest_ns));
	assert_true(trigger_fires(&trigger, &at, 0.6, now_ns + rest_ns + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_language),
		cmocka_unit_test(test_what_is_wrong_is_told_in_a_line),
		cmocka_unit_test(test_quotas),
		cmocka_unit_test(test_a_spike_is_caught_a_hundred_times_of_a_hundred),
		cmocka_unit_test(test_an_idle_hour_fires_nothing),
		cmocka_unit_test(test_self_is_of_the_functions_that_match),
		cmocka_unit_test(test_cpu_is_what_the_kernel_charged),
		cmocka_unit_test(test_blocked_is_only_who_is_blocked),
		cmocka_unit_test(test_a_clock_is_no_lock),
		cmocka_unit_test(test_it_fires_again_only_after_a_rest),
	};
	return unit_run(tests);
}
