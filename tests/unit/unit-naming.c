/* SPDX-License-Identifier: GPL-2.0-or-later */
/* naming: what rules make of locations, and how reports add up under them. */

#include "tests/lib/unit.h"

#include "src/count/report-build.h"
#include "src/facts/naming.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SORT_INT    "_ZN3app4sortIiEEvPT_S2_"
#define SORT_DOUBLE "_ZN3app4sortIdEEvPT_S2_"

struct world {
	struct profile *profile;
	struct naming *naming;
	struct stacktab *stacktab;
	struct sample_log samples;
	uint32_t mapping;
};

static struct world world_create(void)
{
	struct world world = {.profile = profile_create(), .stacktab = stacktab_create()};
	struct mapping mapping = {.path = "/app", .module = "app", .build_id = ""};
	world.naming = naming_create(world.profile);
	world.mapping = profile_add_mapping(world.profile, &mapping);
	return world;
}

static void world_destroy(struct world *world)
{
	sample_log_finish(&world->samples);
	stacktab_unref(world->stacktab);
	naming_unref(world->naming);
	profile_unref(world->profile);
}

/* A function as the symbolizer makes it; FILE "" before lines are known. */
static uint32_t function_of(
	struct world *world, const char *symbol, const char *module, const char *file)
{
	char *plain = demangle(symbol, DEMANGLE_FULL), short_name[512];
	demangle_short(symbol, short_name, sizeof(short_name));
	struct function function = {
		.name = plain ? plain : symbol,
		.system_name = symbol,
		.short_name = short_name,
		.module = module,
		.file = file,
		.start_line = file[0] ? 3 : 0,
	};
	uint32_t id = profile_intern_function(world->profile, &function);
	free(plain);
	return id;
}

/* A location at ADDRESS of FUNCTION, line LINE, with INNER inlined into it. */
static uint32_t location_of(struct world *world, uint64_t address, uint32_t function,
	uint32_t line, uint32_t inner, uint32_t inner_line)
{
	struct line lines[2] = {{inner, inner_line}, {function, line}};
	return profile_add_location(world->profile, world->mapping, address,
		inner == PROFILE_NONE ? lines + 1 : lines, inner == PROFILE_NONE ? 1 : 2);
}

static uint32_t plain_location(struct world *world, uint64_t address, uint32_t function)
{
	return location_of(world, address, function, 0, PROFILE_NONE, 0);
}

/* One sample of CPU_NS; the stack is leaf first. */
static void take(
	struct world *world, const uint32_t *locations, size_t n, uint64_t cpu_ns)
{
	struct sample sample = {
		.time_ns = 10,
		.cpu_ns = cpu_ns,
		.thread = profile_intern_thread(world->profile, 1, "app"),
		.stack = stacktab_intern(world->stacktab, locations, n, UNWIND_ROOT),
		.count = 1,
	};
	sample_log_add(&world->samples, &sample);
}

static struct report *report_of(
	struct world *world, struct naming_rules rules, const char *filter)
{
	struct report_input input = {
		.profile = world->profile,
		.naming = world->naming,
		.stacktab = world->stacktab,
		.samples = &world->samples,
		.now_ns = 1000,
	};
	struct report_request request = {.naming = rules};
	snprintf(request.filter, sizeof(request.filter), "%s", filter);
	return report_build(&input, &request);
}

static const char *name_of(const struct report *report, uint32_t function)
{
	return profile_function(report->profile, function)->name;
}

/* The rows with self weight, "name:cpu_ns" and a blank each, in the report's order. */
static void assert_rows(struct report *report, const char *expected)
{
	char text[1024] = "";
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		size_t length = strlen(text);
		if (row->self.cpu_ns)
			snprintf(text + length, sizeof(text) - length, "%s:%u ",
				name_of(report, row->function),
				(unsigned)row->self.cpu_ns);
	}
	assert_string_equal(text, expected);
	report_destroy(report);
}

/* The only path of the tree, "outer>inner>". */
static void assert_path(struct report *report, const char *expected)
{
	char text[1024] = "";
	for (uint32_t node = report->nodes[0].first_child; node < report->n_nodes;
		node = report->nodes[node].first_child) {
		size_t length = strlen(text);
		snprintf(text + length, sizeof(text) - length, "%s>",
			name_of(report, report->nodes[node].function));
		if (!report->nodes[node].n_children)
			break;
		assert_int_equal(report->nodes[node].n_children, 1);
	}
	assert_string_equal(text, expected);
	report_destroy(report);
}

static struct naming_rules style(enum demangle_style style)
{
	return (struct naming_rules){.style = style};
}

static void test_look_alikes_are_one(void **state)
{
	(void)state;
	struct world world = world_create();
	uint32_t ints =
		plain_location(&world, 0x10, function_of(&world, SORT_INT, "app", ""));
	uint32_t doubles =
		plain_location(&world, 0x20, function_of(&world, SORT_DOUBLE, "app", ""));
	uint32_t other = plain_location(
		&world, 0x30, function_of(&world, SORT_INT, "libx.so", ""));
	/* The same function as the first, since its file is known. */
	uint32_t later = plain_location(
		&world, 0x40, function_of(&world, SORT_INT, "app", "/a.cc"));
	take(&world, &ints, 1, 40);
	take(&world, &doubles, 1, 8);
	take(&world, &other, 1, 3);
	take(&world, &later, 1, 2);
	assert_rows(report_of(&world, style(DEMANGLE_FULL), ""),
		"void app::sort<int>(int*, int*):42 "
		"void app::sort<double>(double*, double*):8 "
		"void app::sort<int>(int*, int*):3 ");
	assert_rows(report_of(&world, style(DEMANGLE_NO_PARAMS), ""),
		"app::sort<int>:42 app::sort<double>:8 app::sort<int>:3 ");
	assert_rows(report_of(&world, style(DEMANGLE_NO_TEMPLATES), ""),
		"app::sort:50 app::sort:3 ");
	assert_rows(report_of(&world, style(DEMANGLE_NONE), ""),
		SORT_INT ":42 " SORT_DOUBLE ":8 " SORT_INT ":3 ");
	/* A filter matches what is shown. */
	assert_rows(report_of(&world, style(DEMANGLE_NO_PARAMS), "<double>$"),
		"app::sort<double>:8 ");
	assert_rows(report_of(&world, style(DEMANGLE_FULL), "<double>$"), "");
	world_destroy(&world);
}

static void test_a_derived_function_keeps_the_rest(void **state)
{
	(void)state;
	struct world world = world_create();
	uint32_t id = plain_location(
		&world, 0x10, function_of(&world, SORT_INT, "app", "/a.cc"));
	struct naming_rules rules = style(DEMANGLE_NO_TEMPLATES);
	struct naming_tables tables = naming_tables(world.naming, &rules);
	assert_ptr_equal(tables.described, tables.counted);
	const struct location *location =
		naming_location(world.profile, tables.counted, id);
	const struct function *function =
		profile_function(world.profile, location->lines[0].function);
	assert_string_equal(function->name, "app::sort");
	assert_string_equal(function->system_name, SORT_INT);
	assert_string_equal(function->file, "/a.cc");
	assert_int_equal(function->start_line, 3);
	assert_int_equal(location->address, 0x10);
	/* The profile's own is as it was. */
	function = profile_function(
		world.profile, profile_location(world.profile, id)->lines[0].function);
	assert_string_equal(function->name, "void app::sort<int>(int*, int*)");

	/* What has one name in every style is the profile's own, too. */
	uint32_t plain =
		plain_location(&world, 0x20, function_of(&world, "main", "app", ""));
	tables = naming_tables(world.naming, &rules);
	assert_ptr_equal(naming_location(world.profile, tables.counted, plain),
		profile_location(world.profile, plain));
	/* And what was derived once is not derived again. */
	uint32_t functions = world.profile->functions->len;
	assert_ptr_equal(naming_tables(world.naming, &rules).counted, tables.counted);
	assert_ptr_equal(naming_location(world.profile, tables.counted, id), location);
	assert_int_equal(world.profile->functions->len, functions);
	rules = style(DEMANGLE_FULL);
	assert_null(naming_tables(world.naming, &rules).counted);
	world_destroy(&world);
}

/* main calls work, with step inlined, and step calls into libc, twice over. */
static struct world nested_world(void)
{
	struct world world = world_create();
	uint32_t main = function_of(&world, "main", "app", "/src/main.c");
	uint32_t work = function_of(&world, "work", "app", "/src/work.c");
	uint32_t step = function_of(&world, "step", "app", "/src/step.h");
	uint32_t outer = function_of(&world, "qsort", "libc.so.6", "");
	uint32_t inner = function_of(&world, "msort", "libc.so.6", "");
	uint32_t end = profile_intern_synthetic(world.profile, "[truncated stack]");
	uint32_t stack[] = {
		plain_location(&world, 0x500, inner),
		plain_location(&world, 0x400, outer),
		location_of(&world, 0x300, work, 20, step, 7),
		location_of(&world, 0x200, main, 44, PROFILE_NONE, 0),
		end,
	};
	take(&world, stack, sizeof(stack) / sizeof(*stack), 5);
	return world;
}

static void test_granularity(void **state)
{
	(void)state;
	struct world world = nested_world();
	struct naming_rules rules = {.granularity = NAMING_FUNCTION};
	assert_path(report_of(&world, rules, ""),
		"[truncated stack]>main>work>step>qsort>msort>");
	rules.granularity = NAMING_LINE;
	assert_path(report_of(&world, rules, ""),
		"[truncated stack]>main main.c:44>work work.c:20>step step.h:7>qsort>"
		"msort>");
	rules.granularity = NAMING_MODULE;
	assert_path(report_of(&world, rules, ""), "[truncated stack]>app>libc.so.6>");
	rules.granularity = NAMING_ADDRESS;
	assert_path(report_of(&world, rules, ""),
		"[truncated stack]>main 0x200>work 0x300>step 0x300>qsort 0x400>msort "
		"0x500>");
	/* A filter is about functions all the same. */
	rules.granularity = NAMING_MODULE;
	assert_path(
		report_of(&world, rules, "^step$"), "[truncated stack]>app>libc.so.6>");
	assert_rows(report_of(&world, rules, "^nothing$"), "");
	world_destroy(&world);
}

static void test_inlined_functions_folded(void **state)
{
	(void)state;
	struct world world = nested_world();
	struct naming_rules rules = {.fold_inlines = true};
	assert_path(
		report_of(&world, rules, ""), "[truncated stack]>main>work>qsort>msort>");
	assert_rows(report_of(&world, rules, "^step$"), "");
	rules.granularity = NAMING_LINE;
	assert_path(report_of(&world, rules, ""),
		"[truncated stack]>main main.c:44>work work.c:20>qsort>msort>");
	world_destroy(&world);
}

static void test_a_module_without_calls_of_its_own(void **state)
{
	(void)state;
	struct world world = nested_world();
	struct naming_rules rules = {.granularity = NAMING_MODULE};
	struct report *report = report_of(&world, rules, "");
	assert_int_equal(report->n_functions, 3);
	/* A recursion through the module counts it once. */
	for (size_t i = 0; i < report->n_functions; i++)
		assert_int_equal(report->functions[i].total.cpu_ns, 5);
	assert_string_equal(
		name_of(report, report->threads[0].top_function), "libc.so.6");
	/* For a file of addresses the functions are still there. */
	uint32_t leaf = stacktab_node(world.stacktab, report->stacks[0].stack)->location;
	assert_string_equal(
		name_of(report, report_described(report, leaf)->lines[0].function),
		"msort");
	report_destroy(report);
	world_destroy(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_look_alikes_are_one),
		cmocka_unit_test(test_a_derived_function_keeps_the_rest),
		cmocka_unit_test(test_granularity),
		cmocka_unit_test(test_inlined_functions_folded),
		cmocka_unit_test(test_a_module_without_calls_of_its_own),
	};
	return unit_run(tests);
}
