/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rota: which threads a round looks at, with simulated threads and a simulated clock. */

#include "tests/lib/unit.h"

#include "ptrace/threads/rota.h"
#include "src/base/clock.h"

#include <stdlib.h>

enum {
	THREADS = 200,
	CROWD = 4000, /* more than one round searches */
	PERIOD_NS = 10 * 1000 * 1000,
};

/* What really happens: the accounts of the threads, and their sum. */
struct world {
	struct rota rota;
	struct threads all;
	struct thread threads[CROWD];
	uint64_t cpu_ns[CROWD];
	size_t count;
	uint64_t gone_ns; /* used by threads that are gone */
	uint64_t now_ns;
	size_t looks; /* in the last round */
};

static struct world *world_of(size_t count)
{
	struct world *world = mem_zalloc(sizeof(*world));
	world->now_ns = NS_PER_SEC;
	world->count = count;
	for (size_t i = 0; i < count; i++) {
		struct thread *thread = &world->threads[i];
		thread->files = (struct thread_files){-1, -1, -1, -1};
		thread->is_met = true;
		thread->rest.looked_ns = world->now_ns;
		thread->rest.awake_until_ns = world->now_ns + AWAKE_MS * NS_PER_MS;
		vec_push(&world->all, thread);
		threads_wake(&world->all, thread);
	}
	return world;
}

static struct world *world_create(void)
{
	return world_of(THREADS);
}

static void world_destroy(struct world *world)
{
	vec_free(&world->all);
	vec_free(&world->all.awake);
	free(world);
}

static uint64_t process_clock(const struct world *world)
{
	uint64_t sum_ns = world->gone_ns + 1;
	for (size_t i = 0; i < world->count; i++)
		sum_ns += world->cpu_ns[i];
	return sum_ns;
}

static void look_at(struct world *world, struct thread *thread)
{
	size_t i = (size_t)(thread - world->threads);
	world->looks++;
	if (!thread->is_met) {
		thread->is_met = true;
		world->all.unmet--;
		thread->rest.looked_ns = world->now_ns;
		thread->rest.cpu_ns = world->cpu_ns[i];
		thread->rest.awake_until_ns = world->now_ns + AWAKE_MS * NS_PER_MS;
		if (thread->seen.state == 'R')
			threads_wake(&world->all, thread);
		return;
	}
	thread->seen.account.cpu_ns = world->cpu_ns[i];
	rota_looked(&world->rota, &world->all, thread, world->now_ns);
}

/* One round, as the lookout makes it; AFTER_CLOCK_NS is what thread 0 is charged between
   the reading of the clock and that of its account. */
static void look_round(struct world *world, uint64_t after_clock_ns)
{
	struct threads *threads = &world->all;
	world->now_ns += PERIOD_NS;
	world->looks = 0;
	rota_begin(&world->rota,
		threads->awake.len < threads->len ? process_clock(world) : 0);
	world->cpu_ns[0] += after_clock_ns;
	for (size_t i = 0; i < threads->awake.len; i++)
		look_at(world, threads->awake.data[i]);
	size_t resting = threads->len - threads->awake.len;
	size_t due = rota_due(&world->rota, threads);
	for (size_t left = due; left > 0; left--) {
		struct thread *thread = rota_next(&world->rota, threads, world->now_ns);
		assert_non_null(thread);
		look_at(world, thread);
	}
	if (due == resting)
		rota_complete(&world->rota);
	rota_end(&world->rota, threads, world->now_ns);
}

/* Threads 0 and 1 use all their time. */
static void busy_tick(struct world *world)
{
	world->cpu_ns[0] += PERIOD_NS;
	world->cpu_ns[1] += PERIOD_NS;
	look_round(world, 0);
}

static void let_the_others_rest(struct world *world)
{
	for (int i = 0; i < 2 * AWAKE_MS * (int)NS_PER_MS / PERIOD_NS; i++)
		busy_tick(world);
	assert_int_equal(world->all.awake.len, 2);
}

static void test_who_sleeps_is_looked_at_in_turn(void **state)
{
	(void)state;
	struct world *world = world_create();
	busy_tick(world);
	assert_int_equal(world->looks, THREADS); /* no thread is known yet */
	let_the_others_rest(world);
	for (int i = 0; i < 16; i++) {
		busy_tick(world);
		assert_in_range(world->looks, 2 + 1, 2 + 16);
	}
	for (size_t i = 0; i < THREADS; i++)
		assert_true(world->now_ns - world->threads[i].rest.looked_ns <
			    16 * PERIOD_NS);
	world_destroy(world);
}

static void test_who_wakes_is_seen_in_the_same_tick(void **state)
{
	(void)state;
	struct world *world = world_create();
	let_the_others_rest(world);
	for (size_t i = 2; i < THREADS; i += 13) {
		world->cpu_ns[i] += 4 * NS_PER_MS; /* a clock tick of the kernel */
		busy_tick(world);
		assert_int_equal(world->threads[i].rest.cpu_ns, world->cpu_ns[i]);
		assert_true(world->threads[i].rest.awake_place > 0);
	}
	let_the_others_rest(world); /* and they rest again */
	world_destroy(world);
}

/* Many that each work too little to be awake are found out together. */
static void test_little_work_of_many_is_noticed(void **state)
{
	(void)state;
	struct world *world = world_create();
	let_the_others_rest(world);
	unsigned searches = 0;
	for (size_t i = 0; i < 1000; i++) {
		world->cpu_ns[2 + i % (THREADS - 2)] += 100 * NS_PER_US;
		busy_tick(world);
		searches += world->looks == THREADS;
		assert_true(world->rota.unexplained_ns < (int64_t)(2 * NS_PER_MS));
	}
	assert_in_range(searches, 10, 200);
	world_destroy(world);
}

/* For wall clock: a thread that wakes for a moment is awake; one that sleeps on is
   not. */
static void test_a_wake_counts_by_the_wall_clock(void **state)
{
	(void)state;
	struct world *world = world_create();
	let_the_others_rest(world);
	for (int wall = 0; wall < 2; wall++) {
		world->rota.by_slices = wall;
		world->threads[5].seen.account.slices++;
		for (int i = 0; i < 16; i++)
			busy_tick(world);
		assert_int_equal(world->threads[5].rest.awake_place > 0, wall);
		assert_int_equal(world->all.awake.len, 2 + wall);
	}
	let_the_others_rest(world);
	world_destroy(world);
}

/* How often THREAD is looked at in ROUNDS rounds; WAKES: it gets a CPU before each. */
static unsigned rounds_due(struct world *world, size_t at, unsigned rounds, bool wakes)
{
	unsigned due = 0;
	while (rounds-- > 0) {
		struct thread *thread = &world->threads[at];
		world->now_ns += PERIOD_NS;
		thread->seen.account.slices += wakes;
		thread->seen.account.cpu_ns += wakes * 1000;
		if (!rota_is_due(thread))
			continue;
		due++;
		rota_looked(&world->rota, &world->all, thread, world->now_ns);
	}
	return due;
}

/* For wall clock: a thread that hardly runs is passed by at instants, and looked at less
   often only while it sleeps on. */
static void test_a_light_thread_is_looked_at_when_it_matters(void **state)
{
	(void)state;
	struct world *world = world_create();
	struct thread *thread = &world->threads[5];
	world->rota.by_slices = true;
	thread->seen.state = 'S';
	assert_int_equal(rounds_due(world, 5, 100, true), 100);
	assert_false(thread->rest.is_light); /* who knows yet */
	assert_int_equal(rounds_due(world, 5, 150, true), 150);
	assert_true(thread->rest.is_light);
	assert_int_equal(rounds_due(world, 5, 100, false), 2 + 97 / 4);
	assert_in_range(rounds_due(world, 5, 100, true), 96, 100);
	rounds_due(world, 5, 20, false);
	rota_watch(&world->all, thread, world->now_ns);
	assert_true(rota_is_due(thread));
	/* It runs: no more so. */
	thread->seen.state = 'R';
	rounds_due(world, 5, 4, false);
	assert_false(thread->rest.is_light);
	assert_int_equal(rounds_due(world, 5, 100, false), 100);
	world_destroy(world);
}

/* ... and one that works for 3 ms each 250 ms is never light. */
static void test_bursts_are_not_light(void **state)
{
	(void)state;
	struct world *world = world_create();
	struct thread *thread = &world->threads[5];
	world->rota.by_slices = true;
	thread->seen.state = 'S';
	for (int burst = 0; burst < 40; burst++) {
		thread->seen.account.cpu_ns += 3 * NS_PER_MS;
		assert_int_equal(rounds_due(world, 5, 25, false), 25);
		assert_false(thread->rest.is_light);
	}
	world_destroy(world);
}

/* No thread explains this time; it must not be searched again and again. */
static void test_time_of_the_gone_is_searched_for_once(void **state)
{
	(void)state;
	struct world *world = world_create();
	let_the_others_rest(world);
	world->gone_ns = NS_PER_SEC;
	busy_tick(world);
	assert_int_equal(world->looks, THREADS);
	for (int i = 0; i < 20; i++) {
		busy_tick(world);
		assert_true(world->looks < THREADS / 2);
	}
	world_destroy(world);
}

/* The kernel accounts between our readings: that comes right by itself, and no balance
   of it may grow. */
static void test_late_accounts_do_not_add_up(void **state)
{
	(void)state;
	struct world *world = world_create();
	let_the_others_rest(world);
	unsigned searches = 0;
	for (int i = 0; i < 3000; i++) {
		world->cpu_ns[0] += PERIOD_NS / 2;
		look_round(world, i % 7 == 0 ? 4 * NS_PER_MS : 0);
		searches += world->looks == THREADS;
		assert_in_range(world->rota.unexplained_ns + (int64_t)NS_PER_SEC,
			NS_PER_SEC - 5 * NS_PER_MS, NS_PER_SEC + 5 * NS_PER_MS);
	}
	assert_int_equal(searches, 0);
	world_destroy(world);
}

/* At the start no thread is met. Four neighbours, from BUSY on, use all their time. How many
   threads are looked at until all are found; *FIRST is until the first is. */
static size_t looks_until_found(size_t busy, size_t *first)
{
	enum {
		N_BUSY = 4
	};
	struct world *world = world_of(CROWD);
	size_t looks = 0;
	*first = 0;
	for (size_t i = 0; i < CROWD; i++) {
		threads_rest(&world->all, &world->threads[i]);
		world->threads[i].is_met = false;
	}
	for (size_t i = busy; i < busy + N_BUSY; i++)
		world->threads[i].seen.state = 'R';
	world->all.unmet = CROWD;
	rota_search_unmet(&world->rota, &world->all);
	for (int i = 0; i < 100 && world->rota.is_beginning; i++) {
		for (size_t j = busy; j < busy + N_BUSY; j++)
			world->cpu_ns[j] += PERIOD_NS;
		look_round(world, 0);
		looks += world->looks;
		assert_true(world->looks < THREADS * 2);
		if (*first == 0 && world->all.awake.len > 0)
			*first = looks;
	}
	assert_false(world->rota.is_beginning);
	for (size_t i = busy; i < busy + N_BUSY; i++)
		assert_true(world->threads[i].rest.awake_place > 0);
	world_destroy(world);
	return looks;
}

/* Wherever they are, the last ones too. */
static void test_those_that_run_are_found_first(void **state)
{
	(void)state;
	for (size_t place = 0; place <= 8; place++) {
		size_t first, busy = place * (CROWD - 4) / 8;
		assert_in_range(looks_until_found(busy, &first), 1, CROWD * 11 / 10);
		assert_in_range(first, 1, CROWD / 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_those_that_run_are_found_first),
		cmocka_unit_test(test_who_sleeps_is_looked_at_in_turn),
		cmocka_unit_test(test_who_wakes_is_seen_in_the_same_tick),
		cmocka_unit_test(test_little_work_of_many_is_noticed),
		cmocka_unit_test(test_a_wake_counts_by_the_wall_clock),
		cmocka_unit_test(test_a_light_thread_is_looked_at_when_it_matters),
		cmocka_unit_test(test_bursts_are_not_light),
		cmocka_unit_test(test_time_of_the_gone_is_searched_for_once),
		cmocka_unit_test(test_late_accounts_do_not_add_up),
	};
	return unit_run(tests);
}
