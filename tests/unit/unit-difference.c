/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two reports as one: what is the same in both, that nothing is lost, and that changes add
   up. */

#include "tests/lib/imported.h"
#include "tests/lib/unit.h"
#include "tests/lib/world.h"

#include "src/base/clock.h"
#include "src/count/difference/difference.h"
#include "src/write/compare/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct change *row(
	const struct report *both, const struct change *changes, const char *name)
{
	for (size_t i = 0; i < both->n_functions; i++)
		if (strcmp(profile_function(both->profile, both->functions[i].function)
				    ->name,
			    name) == 0)
			return &changes[i];
	fail_msg("no %s", name);
	return NULL;
}

#define assert_change(changes, name, old, new)                      \
	do {                                                        \
		const struct change *found_ =                       \
			row(both, both->difference->changes, name); \
		assert_float_equal(found_->before, old, 1e-6);      \
		assert_float_equal(found_->after, new, 1e-6);       \
	} while (0)

/* A process is slower in one place, has lost one and got another. */
static struct report *compare_worlds(enum normalization normalization)
{
	struct world old = world_create(), new = world_create();
	world_sample(&old, 10, 1, "app", "main;parse", 30);
	world_sample(&old, 20, 1, "app", "main;parse;alloc@libx.so", 20);
	world_sample(&old, 30, 2, "worker", "start;gone", 50);
	world_sample(&new, 10, 7, "app", "main;parse", 90);
	world_sample(&new, 20, 7, "app", "main;parse;parse;alloc@libx.so", 60);
	world_sample(&new, 30, 8, "worker", "start;fresh", 50);
	struct report *before = world_report(&old, NULL);
	struct report *after = world_report(&new, NULL);
	struct report *both = difference_build(before, after, normalization, false);
	report_destroy(before);
	report_destroy(after);
	world_destroy(&old);
	world_destroy(&new);
	return both;
}

static void test_what_was_and_what_is(void **state)
{
	(void)state;
	struct report *both = compare_worlds(NORMALIZE_NONE);
	assert_change(self, "parse", 30, 90);
	assert_change(total, "parse", 50, 150); /* recursion counts once */
	assert_change(self, "alloc", 20, 60);
	assert_change(total, "gone", 50, 0);
	assert_change(total, "fresh", 0, 50);
	assert_change(total, "start", 50, 50);
	assert_float_equal(change_of(&both->difference->all), 100, 1e-6);
	assert_int_equal(both->n_threads, 2); /* by name, as these are two processes */
	for (size_t i = 0; i < 2; i++) {
		const struct change *thread = &both->difference->threads[i];
		bool app = thread->after > 100;
		assert_float_equal(thread->before, 50, 1e-6);
		assert_float_equal(thread->after, app ? 150 : 50, 1e-6);
	}
	report_destroy(both);
}

static void test_shares_of_the_later_whole(void **state)
{
	(void)state;
	struct report *both = compare_worlds(NORMALIZE_CPU);
	assert_float_equal(both->difference->factor, 2, 1e-9);
	assert_float_equal(both->difference->whole, 200, 1e-9);
	assert_change(total, "parse", 100, 150);
	assert_change(total, "gone", 100, 0);
	assert_float_equal(change_of(&both->difference->all), 0, 1e-6);
	report_destroy(both);
}

/* What one half of the time needs twice as much of, and what is new beside it: in shares the
   other has become less. By blocks of time or by counts, only what changed is called real. */
static void test_per_second_what_is_new_takes_nothing_from_others(void **state)
{
	(void)state;
	struct world sides[2] = {world_create(), world_create()};
	struct report *reports[2];
	for (uint64_t side = 0; side < 2; side++) {
		for (uint64_t i = 0; i < 4000 / (side + 1); i++) {
			world_sample(&sides[side], i * NS_PER_MS + 1, 1, "app",
				"main;steady", NS_PER_MS / 4);
			if (side && i % 2)
				world_sample(&sides[side], i * NS_PER_MS + 2, 2, "other",
					"main;fresh", NS_PER_MS / 2);
		}
		reports[side] = world_report(&sides[side],
			&(struct report_request){.blocks = DIFFERENCE_BLOCKS,
				.until_ns = 4000 / (side + 1) * NS_PER_MS + 3});
		assert_float_equal(
			(double)(reports[side]->end_ns - reports[side]->start_ns) /
				NS_PER_SEC,
			side ? 2 : 4, 0.01);
	}
	for (enum normalization how = 0; how < NORMALIZATIONS; how++) {
		struct report *both = difference_build(reports[0], reports[1], how, true);
		const struct change *steady = row(both, both->difference->self, "steady");
		assert_true(row(both, both->difference->self, "fresh")->real);
		assert_int_equal(steady->real, how != NORMALIZE_TIME);
		if (how == NORMALIZE_TIME)
			assert_float_equal(
				steady->before, steady->after, 1e-3 * steady->after);
		report_destroy(both);
	}
	for (int side = 0; side < 2; side++) {
		report_destroy(reports[side]);
		world_destroy(&sides[side]);
	}
}

/* The change of a node is its own and those of its children, all the way up. */
static void test_changes_add_up_along_the_tree(void **state)
{
	(void)state;
	for (enum normalization how = 0; how < NORMALIZATIONS; how++) {
		struct report *both = compare_worlds(how);
		const struct difference *difference = both->difference;
		double stacks = 0, self = 0;
		for (size_t i = 0; i < both->n_nodes; i++) {
			const struct report_node *node = &both->nodes[i];
			double sum = change_of(&difference->node_self[i]);
			for (uint32_t k = 0; k < node->n_children; k++)
				sum += change_of(
					&difference->node[node->first_child + k]);
			assert_float_equal(sum, change_of(&difference->node[i]), 1e-6);
		}
		for (size_t i = 0; i < both->n_stacks; i++)
			stacks += change_of(&difference->stacks[i]);
		for (size_t i = 0; i < both->n_functions; i++)
			self += change_of(&difference->self[i]);
		assert_float_equal(stacks, change_of(&difference->all), 1e-6);
		assert_float_equal(self, change_of(&difference->all), 1e-6);
		report_destroy(both);
	}
}

/* The same code, built again: another name of the program, another version of a library. */
static void test_modules_are_the_same_in_the_next_version(void **state)
{
	(void)state;
	struct report *sides[2];
	for (int side = 0; side < 2; side++) {
		struct profile *profile = profile_create();
		struct stacktab *stacktab = stacktab_create();
		struct sample_log samples = {0};
		const struct mapping program = {.path = side ? "/b/app2" : "/a/app1",
			.module = side ? "app2" : "app1",
			.build_id = "",
			.is_main = true};
		const char *modules[] = {
			program.module, side ? "libx.so.1.3" : "libx.so.1.2", "plugin"};
		profile_add_mapping(profile, &program);
		uint32_t locations[3];
		for (uint32_t i = 0; i < 3; i++) {
			const struct function function = {.name = "f",
				.system_name = "f",
				.module = modules[i],
				.file = ""};
			struct line line = {
				profile_intern_function(profile, &function), 0};
			locations[i] =
				profile_add_location(profile, PROFILE_NONE, i, &line, 1);
		}
		uint32_t thread = profile_intern_thread(profile, 1, "t");
		uint32_t stack = stacktab_intern(stacktab, locations, 3, UNWIND_ROOT);
		sample_log_add(&samples, &(struct sample){.time_ns = 10,
						 .cpu_ns = 5,
						 .count = 1,
						 .thread = thread,
						 .stack = stack});
		const struct report_input input = {.profile = profile,
			.stacktab = stacktab,
			.samples = &samples,
			.now_ns = 20};
		const struct report_request request = {0};
		sides[side] = report_build(&input, &request);
		sample_log_finish(&samples);
		profile_unref(profile);
		stacktab_unref(stacktab);
	}
	struct report *both = difference_build(sides[0], sides[1], NORMALIZE_NONE, true);
	bool found = false;
	assert_int_equal(both->n_functions, 3);
	for (size_t i = 0; i < both->n_functions; i++) {
		const char *module =
			profile_function(both->profile, both->functions[i].function)
				->module;
		found = found || strcmp(module, "libx.so.1.3") == 0;
		assert_string_not_equal(module, "libx.so.1.2");
	}
	assert_true(found);
	report_destroy(both);
	report_destroy(sides[0]);
	report_destroy(sides[1]);
}

static char *written(const char *before, const char *after, const char *format,
	enum normalization normalization)
{
	struct recording recordings[2];
	struct report *sides[2];
	const char *texts[] = {before, after};
	struct error err;
	char *text = NULL;
	size_t size;
	for (int side = 0; side < 2; side++) {
		recording_init(&recordings[side]);
		imported_read(&recordings[side], texts[side], strlen(texts[side]));
		sides[side] = imported_report(&recordings[side]);
	}
	struct report *both = difference_build(sides[0], sides[1], normalization, false);
	const struct compare_facts facts = {.before = "old", .after = "new"};
	FILE *out = open_memstream(&text, &size);
	assert_true(
		compare_format_find(format, "-", &err)->write(both, &facts, out, &err));
	fclose(out);
	report_destroy(both);
	for (int side = 0; side < 2; side++) {
		report_destroy(sides[side]);
		recording_finish(&recordings[side]);
	}
	return text;
}

static void test_text_says_what_is_noise(void **state)
{
	(void)state;
	char *text = written("main;a 1000\nmain;b 1000\nmain;gone 100\n",
		"main;a 1200\nmain;b 800\nmain;c 1\nmain;fresh 80\n", "text",
		NORMALIZE_CPU);
	assert_non_null(strstr(text, "by counts"));
	assert_non_null(strstr(text, "4 of 6 functions"));
	assert_non_null(strstr(text, "[new]"));
	assert_non_null(strstr(text, "[gone]"));
	assert_non_null(strstr(text, "+10.05% *"));
	assert_non_null(strstr(text, "+0.05%    "));
	assert_non_null(strstr(text, "main > fresh"));
	free(text);
	text = written("main;a 1000\n", "main;a 1000\n", "text", NORMALIZE_NONE);
	assert_non_null(strstr(text, "No path has changed"));
	free(text);
}

/* One of the two may be empty. */
static void test_nothing_before(void **state)
{
	(void)state;
	struct world old = world_create(), new = world_create();
	world_sample(&new, 10, 1, "app", "main;work", 30);
	struct report *before = world_report(&old, NULL);
	struct report *after = world_report(&new, NULL);
	for (int way = 0; way < 2; way++) {
		struct report *both = difference_build(
			way ? after : before, way ? before : after, NORMALIZE_CPU, true);
		assert_change(total, "work", way ? 30 : 0, way ? 0 : 30);
		assert_int_equal(both->difference->n_real, 0);
		report_destroy(both);
	}
	report_destroy(before);
	report_destroy(after);
	world_destroy(&old);
	world_destroy(&new);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_and_what_is),
		cmocka_unit_test(test_shares_of_the_later_whole),
		cmocka_unit_test(test_per_second_what_is_new_takes_nothing_from_others),
		cmocka_unit_test(test_changes_add_up_along_the_tree),
		cmocka_unit_test(test_modules_are_the_same_in_the_next_version),
		cmocka_unit_test(test_text_says_what_is_noise),
		cmocka_unit_test(test_nothing_before),
	};
	return unit_run(tests);
}
