/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A reader that somebody has taken over: whatever it writes to what it shares with the tracer, the
   tracer lives and goes on, and the target does not notice. */

#include "tests/lib/live.h"
#include "tests/lib/process.h"
#include "tests/lib/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	AREAS = 32,
	ROUNDS = 50,
	EVERY_US = 10 * 1000,
};

struct area {
	uint64_t *words;
	size_t count;
};

struct areas {
	struct area list[AREAS];
	size_t len;
};

static bool has(const struct areas *areas, const uint64_t *words)
{
	for (size_t i = 0; i < areas->len; i++)
		if (areas->list[i].words == words)
			return true;
	return false;
}

/* All memory that this process shares with others and may write to, but what BEFORE has. */
static struct areas find_shared(const struct areas *before)
{
	struct areas found = {.len = 0};
	char line[512], mode[8];
	unsigned long low, high;
	FILE *file = fopen("/proc/self/maps", "re");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%lx-%lx %7s", &low, &high, mode) != 3 ||
			strcmp(mode, "rw-s") != 0 || has(before, (uint64_t *)low))
			continue;
		assert_true(found.len < AREAS);
		found.list[found.len++] =
			(struct area){(uint64_t *)low, (high - low) / sizeof(uint64_t)};
	}
	fclose(file);
	return found;
}

static uint64_t some_word(unsigned *seed)
{
	static const uint64_t words[] = {0, 1, 2, 63, 64, 1 << 12, 1 << 16, UINT32_MAX,
		1ull << 47, 1ull << 63, UINT64_MAX - 1, UINT64_MAX};
	const size_t count = sizeof(words) / sizeof(*words);
	size_t which = (size_t)rand_r(seed) % (count + 4);
	return which < count ? words[which]
			     : (uint64_t)rand_r(seed) << 32 ^ (uint64_t)rand_r(seed);
}

/* Every word, whichever it is, in an order that has each soon. */
static void scribble(const struct areas *areas, unsigned *seed)
{
	for (size_t i = 0; i < areas->len; i++)
		for (size_t at = 0; at < areas->list[i].count; at++)
			areas->list[i].words[at] = some_word(seed);
}

static void nobody(void *context)
{
	(void)context;
}

static void drain(struct ring *ring)
{
	while (ring && ring_peek(ring))
		ring_release(ring);
}

/* Zeros are an empty ring, which has room for the last record. */
static void end(
	struct live *live, const struct areas *shared, struct ring *const spare[3])
{
	tracer_set_frequency(live->tracer, 0);
	for (size_t i = 0; i < shared->len; i++)
		memset(shared->list[i].words, 0,
			shared->list[i].count * sizeof(uint64_t));
	usleep(EVERY_US);
	for (size_t i = 0; i < 3; i++)
		drain(spare[i]);
	tracer_destroy(live->tracer);
	target_close(&live->target);
}

static void begin(struct live *live, struct areas *shared, pid_t child)
{
	struct areas before = find_shared(&(struct areas){.len = 0});
	struct tracer_options options = live_options();
	struct error err = {""};
	assert_true(target_open(&live->target, child, &err));
	live->ring = ring_create(LIVE_SLOTS, LIVE_STACK_BYTES);
	live->meter = ring_meter(live->ring);
	*shared = find_shared(&before);
	live->tracer = tracer_create(&options, 2000, false, nobody, NULL, &err);
	assert_non_null(live->tracer);
	assert_true(tracer_add(live->tracer, &live->target, live->ring, &err));
	assert_true(shared->len >= 1); /* the ring */
}

static void test_what_is_shared_is_not_believed(void **state)
{
	(void)state;
	unsigned seed = 1;
	struct areas shared;
	struct live live = {0};
	struct error err = {""};
	pid_t child = start_witness();
	struct ring *spare = ring_create(LIVE_SLOTS, LIVE_STACK_BYTES);
	begin(&live, &shared, child);
	pid_t tracer = process_await_child(getpid(), "cproftop-traces", 0);
	for (int i = 0; i < ROUNDS; i++) {
		scribble(&shared, &seed);
		tracer_set_frequency(live.tracer, i % 2 ? 2000 : 500);
		tracer_set_wall(live.tracer, i % 8 == 0);
		usleep(EVERY_US);
		assert_int_equal(process_child(getpid(), "cproftop-traces", 0), tracer);
	}
	assert_progress();
	/* It serves a ring as before that nobody writes to. */
	tracer_set_frequency(live.tracer, 500);
	tracer_set_wall(live.tracer, false);
	assert_true(tracer_add(live.tracer, &live.target, spare, &err));
	for (int i = 0; i < 20000 && ring_waiting(spare) < LIVE_SLOTS / 2; i++)
		usleep(1000);
	assert_true(ring_waiting(spare) >= LIVE_SLOTS / 2);
	assert_int_equal(process_child(getpid(), "cproftop-traces", 0), tracer);
	assert_progress();
	struct ring *spares[] = {spare, NULL, NULL};
	end(&live, &shared, spares);
	assert_int_equal(process_tracer(child), 0);
	ring_destroy(live.ring);
	ring_destroy(spare);
	end_witness(child);
}

/* An address is no ring because main says so; nor may a ring have two writers. */
static void test_only_rings_are_written_to(void **state)
{
	(void)state;
	struct areas shared;
	struct live live = {0};
	struct error err = {""};
	pid_t child = start_witness();
	begin(&live, &shared, child);
	uint64_t *memory = calloc(1, 1 << 16);
	assert_non_null(memory);
	struct ring *second = ring_create(LIVE_SLOTS, LIVE_STACK_BYTES);
	assert_false(ring_is_made((struct ring *)memory));
	assert_true(ring_is_made(live.ring));
	/* Made when the tracer was there already: it does not know this one. */
	assert_false(tracer_add(live.tracer, &live.target, second, &err));
	live_wait_for(&live, 20);
	ring_destroy(second);
	assert_false(ring_is_made(second));
	free(memory);
	live_stop(&live);
	end_witness(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_shared_is_not_believed),
		cmocka_unit_test(test_only_rings_are_written_to),
	};
	struct rlimit none = {0, 0};
	setrlimit(RLIMIT_CORE, &none);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	return unit_run(tests);
}
