/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recipe, and the second stack of a snapshot: what is believed of either, and what is not. */

#include "tests/lib/unit.h"

#include "src/base/mem.h"
#include "src/facts/meter.h"
#include "src/facts/recipe.h"
#include "src/facts/ring.h"
#include "src/facts/snapshot.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK ((uint64_t)RECIPE_BLOCK)

/* --- recipes ------------------------------------------------------------------------- */

static struct recipe valid(void)
{
	return (struct recipe){
		.steps = {{.op = RECIPE_LOAD, .from = RECIPE_THREAD, .to = RECIPE_A},
			{.op = RECIPE_CHAIN, .from = RECIPE_A, .length = RECIPE_BLOCK}},
		.n_areas = 3,
		.areas = {{BLOCK, 3 * BLOCK}, {3 * BLOCK, 4 * BLOCK},
			{8 * BLOCK, 9 * BLOCK}},
	};
}

static void test_nothing_is_believed(void **state)
{
	(void)state;
	struct recipe recipe = valid();
	assert_true(recipe_is_valid(&recipe));
	recipe.steps[RECIPE_STEPS - 1].op = (enum recipe_op)(RECIPE_SEARCH + 1);
	assert_false(recipe_is_valid(&recipe));
	recipe = valid();
	recipe.steps[1].from = RECIPE_REGISTERS;
	assert_false(recipe_is_valid(&recipe));
	recipe = valid();
	recipe.steps[0].to = (enum recipe_register) - 1;
	assert_false(recipe_is_valid(&recipe));
	recipe = valid();
	recipe.steps[1].length++;
	assert_false(recipe_is_valid(&recipe));
	recipe = valid();
	recipe.steps[1].ref_length = RECIPE_BLOCK + 1;
	assert_false(recipe_is_valid(&recipe));
	recipe = valid();
	recipe.n_areas = RECIPE_AREAS + 1;
	assert_false(recipe_is_valid(&recipe));
	recipe = valid();
	recipe.n_known = RECIPE_KNOWN + 1;
	assert_false(recipe_is_valid(&recipe));
	recipe = valid();
	recipe.areas[1].start -= BLOCK; /* overlaps the one before */
	assert_false(recipe_is_valid(&recipe));
	recipe = valid();
	recipe.areas[2].limit = recipe.areas[2].start;
	assert_false(recipe_is_valid(&recipe));
	recipe = valid();
	recipe.areas[2].limit--;
	assert_false(recipe_is_valid(&recipe));
}

static void test_areas_are_all_that_may_be_read(void **state)
{
	(void)state;
	struct recipe recipe = valid();
	for (uint64_t block = 0; block < 12; block++)
		assert_int_equal(recipe_allows(&recipe, block * BLOCK),
			(block >= 1 && block < 4) || block == 8);
	assert_false(recipe_allows(&recipe, -BLOCK));
	recipe.n_areas = 0;
	assert_false(recipe_allows(&recipe, BLOCK));
}

static void test_what_is_known(void **state)
{
	(void)state;
	struct recipe recipe = valid();
	assert_false(recipe_knows(&recipe, 0));
	recipe.n_known = 4;
	for (uint64_t i = 0; i < 4; i++)
		recipe.known[i] = 10 * i;
	for (uint64_t word = 0; word < 50; word++)
		assert_int_equal(
			recipe_knows(&recipe, word), word % 10 == 0 && word <= 30);
}

static void *put_many(void *context)
{
	struct recipe_box *box = context;
	struct recipe recipe;
	for (int i = 1; i <= 20000; i++) {
		memset(&recipe, i, sizeof(recipe));
		recipe_put(box, &recipe);
		usleep(i % 4 == 0); /* or hardly any could be taken */
	}
	return NULL;
}

static bool is_whole(const struct recipe *recipe)
{
	const unsigned char *bytes = (const unsigned char *)recipe;
	return memcmp(bytes, bytes + 1, sizeof(*recipe) - 1) == 0;
}

static void test_recipes_are_taken_whole(void **state)
{
	(void)state;
	struct recipe_box *box = mem_zalloc(sizeof(*box));
	struct recipe out;
	uint32_t number = 0;
	size_t taken = 0;
	pthread_t writer;
	assert_false(recipe_take(box, &number, &out));
	assert_int_equal(pthread_create(&writer, NULL, put_many, box), 0);
	while (number < 2 * 20000)
		if (recipe_take(box, &number, &out)) {
			assert_true(is_whole(&out));
			taken++;
		}
	pthread_join(writer, NULL);
	print_message("# %zu of 20000 were taken\n", taken);
	assert_false(recipe_take(box, &number, &out));
	/* A writer that died in the middle, and the next one. */
	atomic_fetch_add(&box->number, 1);
	assert_false(recipe_take(box, &number, &out));
	memset(&out, 7, sizeof(out));
	recipe_put(box, &out);
	assert_true(recipe_take(box, &number, &out));
	free(box);
}

/* --- what was copied ----------------------------------------------------------------- */

enum {
	STACK = 100,
	SECOND_AT = 104,
	ROOM = SECOND_AT + 3 * RECIPE_BLOCK,
};

/* Every byte says where it was. */
static unsigned char byte_at(uint64_t address)
{
	return (unsigned char)(address * 7 + address / BLOCK);
}

static struct snapshot *made(void)
{
	struct snapshot *snapshot = mem_zalloc(sizeof(*snapshot) + ROOM);
	snapshot->stack_address = 0x7000;
	snapshot->stack_length = STACK;
	snapshot->second_at = SECOND_AT;
	snapshot->second_result = RECIPE_DONE;
	snapshot->second_blocks = 3;
	snapshot->second_addresses[0] = 5 * BLOCK;
	snapshot->second_addresses[1] = 2 * BLOCK;
	snapshot->second_addresses[2] = 4 * BLOCK;
	for (uint64_t i = 0; i < STACK; i++)
		snapshot->stack[i] = byte_at(snapshot->stack_address + i);
	for (uint64_t i = 0; i < 3 * BLOCK; i++)
		snapshot->stack[SECOND_AT + i] =
			byte_at(snapshot->second_addresses[i / BLOCK] + i % BLOCK);
	return snapshot;
}

static bool reads(const struct snapshot *snapshot, uint64_t address, size_t length)
{
	unsigned char out[3 * RECIPE_BLOCK];
	if (!snapshot_read(snapshot, address, out, length))
		return false;
	for (size_t i = 0; i < length; i++)
		assert_int_equal(out[i], byte_at(address + i));
	return true;
}

static void test_blocks_are_one_memory(void **state)
{
	(void)state;
	struct snapshot *snapshot = made();
	assert_true(reads(snapshot, 0x7000, STACK));
	assert_false(reads(snapshot, 0x7000, STACK + 1));
	assert_true(reads(snapshot, 2 * BLOCK, BLOCK));
	assert_true(reads(snapshot, 4 * BLOCK, 2 * BLOCK));
	assert_true(reads(snapshot, 5 * BLOCK - 3, 8));
	assert_false(reads(snapshot, 3 * BLOCK - 3, 8));
	assert_false(reads(snapshot, 4 * BLOCK - 1, 2));
	assert_false(reads(snapshot, 5 * BLOCK, BLOCK + 1));
	assert_false(reads(snapshot, UINT64_MAX - 3, 8));
	snapshot->second_blocks = 0;
	assert_false(reads(snapshot, 2 * BLOCK, 1));
	free(snapshot);
}

static void test_a_ring_has_both_stacks(void **state)
{
	(void)state;
	struct snapshot *snapshot = made();
	struct ring *ring = ring_create(2, ROOM);
	assert_int_equal(snapshot_used(snapshot), ROOM);
	assert_true(ring_put(ring, snapshot));
	assert_true(reads(ring_peek(ring), 4 * BLOCK, 2 * BLOCK));
	ring_release(ring);
	ring_destroy(ring);
	ring = ring_create(2, ROOM - 1);
	assert_false(ring_put(ring, snapshot));
	ring_destroy(ring);
	free(snapshot);
}

static void test_what_they_cost_is_counted(void **state)
{
	(void)state;
	struct meter meter = {0};
	assert_int_equal(meter_second_percentile(&meter, 500), 0);
	for (uint64_t ns = 1; ns <= 1000; ns++)
		meter_count_second(&meter, RECIPE_DONE, ns * 100);
	meter_count_second(&meter, RECIPE_LIMIT, 0); /* without a stop */
	assert_int_equal(meter_get(&meter.second_results[RECIPE_DONE]), 1000);
	assert_int_equal(meter_get(&meter.second_results[RECIPE_LIMIT]), 1);
	assert_in_range(meter_second_percentile(&meter, 500), 43750, 56250);
	assert_int_equal(meter_get(&meter.stops), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_believed),
		cmocka_unit_test(test_areas_are_all_that_may_be_read),
		cmocka_unit_test(test_what_is_known),
		cmocka_unit_test(test_recipes_are_taken_whole),
		cmocka_unit_test(test_blocks_are_one_memory),
		cmocka_unit_test(test_a_ring_has_both_stacks),
		cmocka_unit_test(test_what_they_cost_is_counted),
	};
	return unit_run(tests);
}
