/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reports are a pure function of samples, range and filters: small worlds made by
   hand. */

#include "tests/lib/unit.h"
#include "tests/lib/world.h"

#include "src/base/pattern.h"
#include "src/base/vec.h"
#include "src/count/edges.h"

#include <stdio.h>
#include <string.h>

static const struct report_function *row(const struct report *report, const char *name)
{
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *f = &report->functions[i];
		if (strcmp(profile_function(report->profile, f->function)->name, name) ==
			0)
			return f;
	}
	return NULL;
}

static void test_self_and_total(void **state)
{
	(void)state;
	struct world world = world_create();
	world_sample(&world, 10, 1, "app", "main;parse", 30);
	world_sample(&world, 20, 1, "app", "main;parse;alloc@libx.so", 20);
	world_sample(&world, 30, 2, "worker", "start;alloc@libx.so", 50);
	struct report *report = world_report(&world, NULL);
	assert_int_equal(report->total.cpu_ns, 100);
	assert_int_equal(report->total.samples, 3);
	assert_int_equal(row(report, "parse")->self.cpu_ns, 30);
	assert_int_equal(row(report, "parse")->total.cpu_ns, 50);
	assert_int_equal(row(report, "alloc")->self.cpu_ns, 70);
	assert_int_equal(row(report, "main")->total.samples, 2);
	assert_ptr_equal(row(report, "alloc"), &report->functions[0]);
	assert_int_equal(world_node(report, "main;parse;alloc")->self.cpu_ns, 20);
	assert_int_equal(world_node(report, "main;parse")->total.cpu_ns, 50);
	assert_int_equal(report->nodes[0].total.cpu_ns, 100);
	assert_int_equal(report->start_wall_ns, 5000000 - (1000 - 10));
	report_destroy(report);
	world_destroy(&world);
}

static void test_recursion_counts_once(void **state)
{
	(void)state;
	struct world world = world_create();
	world_sample(&world, 10, 1, "app", "main;fib;fib;fib", 7);
	world_sample(&world, 11, 1, "app", "main;fib;add;fib", 5);
	world_sample(&world, 12, 1, "app", "main;add", 1);
	struct report *report = world_report(&world, NULL);
	assert_int_equal(row(report, "fib")->total.cpu_ns, 12);
	assert_int_equal(row(report, "fib")->self.cpu_ns, 12);
	assert_int_equal(row(report, "add")->total.cpu_ns, 6);
	assert_int_equal(world_node(report, "main;fib;fib")->total.cpu_ns, 7);
	report_destroy(report);
	world_destroy(&world);
}

static void test_inlined_lines_are_levels(void **state)
{
	(void)state;
	struct world world = world_create();
	world_sample(&world, 10, 1, "app", "main;outer+inlined", 4);
	struct report *report = world_report(&world, NULL);
	assert_int_equal(world_node(report, "main;outer;inlined")->self.cpu_ns, 4);
	assert_int_equal(row(report, "outer")->self.cpu_ns, 0);
	report_destroy(report);
	world_destroy(&world);
}

static void test_siblings_are_in_name_order(void **state)
{
	(void)state;
	struct world world = world_create();
	const char *leaves[] = {"main;d", "main;a", "main;c", "main;b"};
	for (size_t i = 0; i < 4; i++)
		world_sample(&world, i, 1, "app", leaves[i], i + 1);
	struct report *report = world_report(&world, NULL);
	const struct report_node *top = world_node(report, "main");
	const char *expected[] = {"a", "b", "c", "d"};
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t function = report->nodes[top->first_child + i].function;
		assert_string_equal(
			profile_function(report->profile, function)->name, expected[i]);
		assert_int_equal(report->nodes[top->first_child + i].depth, 2);
	}
	report_destroy(report);
	world_destroy(&world);
}

static void test_range_is_exact(void **state)
{
	(void)state;
	struct world world = world_create();
	for (uint64_t t = 100; t < 1000; t += 100)
		world_sample(&world, t, 1, "app", "main", 1);
	struct report_request request = {.window_ns = 300, .until_ns = 800, .serial = 9};
	struct report *report = world_report(&world, &request);
	assert_int_equal(report->total.samples, 3); /* 500, 600, 700 */
	assert_int_equal(report->start_ns, 500);
	assert_int_equal(report->request.serial, 9);
	uint64_t in_slices = 0;
	for (int i = 0; i < REPORT_TIMELINE; i++)
		in_slices += report->timeline[i].sampled_cpu_ns;
	assert_int_equal(in_slices, 3);
	report_destroy(report);
	world_destroy(&world);
}

static struct report *filtered(
	struct world *world, const char *filter, const char *module)
{
	struct report_request request = {0};
	snprintf(request.filter, sizeof(request.filter), "%s", filter);
	snprintf(request.module, sizeof(request.module), "%s", module);
	return world_report(world, &request);
}

static void assert_counts(
	struct world *world, const char *filter, const char *module, uint64_t samples)
{
	struct report *report = filtered(world, filter, module);
	assert_int_equal(report->total.samples, samples);
	assert_int_equal(report->everything.samples, 4);
	report_destroy(report);
}

static void test_filters_choose_stacks(void **state)
{
	(void)state;
	struct world world = world_create();
	world_sample(&world, 10, 1, "app", "main;Parse;alloc@libx.so", 1);
	world_sample(&world, 20, 1, "app", "main;Parse", 1);
	world_sample(&world, 30, 1, "app", "main;draw;alloc@libx.so", 1);
	world_sample(&world, 40, 1, "app", "main", 1);
	assert_counts(&world, "parse", "", 2);
	assert_counts(&world, "Parse", "", 2);
	assert_counts(&world, "PARSE", "", 0);
	assert_counts(&world, "!parse", "", 2);
	assert_counts(&world, "parse|draw", "", 3);
	assert_counts(&world, "", "libx.so", 2);
	assert_counts(&world, "!draw", "libx.so", 1);
	assert_counts(&world, "(", "", 0);
	world_destroy(&world);
}

static void test_threads_are_rows_by_tid(void **state)
{
	(void)state;
	struct world world = world_create();
	world_sample(&world, 10, 7, "app", "main;boot", 1);
	world_sample(&world, 20, 7, "worker-1", "main;work;copy@libc.so.6", 10);
	world_sample(&world, 30, 8, "worker-2", "main;rest", 5);
	struct report *report = world_report(&world, NULL);
	assert_int_equal(report->n_threads, 2);
	const struct report_thread *first = &report->threads[0];
	assert_int_equal(first->weight.cpu_ns, 11);
	assert_string_equal(
		profile_thread(report->profile, first->thread)->name, "worker-1");
	assert_string_equal(
		profile_function(report->profile, first->top_function)->name, "work");
	report_destroy(report);

	struct report_request request = {
		.thread_pattern = "worker", .tids = {7}, .n_tids = 1};
	report = world_report(&world, &request);
	assert_int_equal(report->total.cpu_ns, 10);
	report_destroy(report);
	world_destroy(&world);
}

static void test_broken_stacks_are_counted_apart(void **state)
{
	(void)state;
	struct world world = world_create();
	struct sample sample = {
		.thread = profile_intern_thread(world.profile, 1, "app"),
		.stack = world_stack(&world, "main;f", UNWIND_NO_CFI),
		.count = 3,
		.cpu_ns = 3,
	};
	sample_log_add(&world.samples, &sample);
	sample.stack = world_stack(&world, "main;f", UNWIND_ROOT);
	sample.count = 1;
	sample_log_add(&world.samples, &sample);
	struct report *report = world_report(&world, NULL);
	assert_int_equal(report->ends[UNWIND_NO_CFI], 3);
	assert_int_equal(report->ends[UNWIND_ROOT], 1);
	assert_true(report_complete_share(report) == 0.25);
	report_destroy(report);
	world_destroy(&world);
}

static void test_kernel_marks_fill_the_timeline(void **state)
{
	(void)state;
	struct world world = world_create();
	struct cpu_mark marks[] = {{0, 0}, {500, 500}, {1000, 600}};
	struct report_input input = {
		.profile = world.profile,
		.stacktab = world.stacktab,
		.samples = &world.samples,
		.now_ns = 1000,
		.marks = marks,
		.n_marks = 3,
	};
	struct report_request request = {.window_ns = 1000};
	struct report *report = report_build(&input, &request);
	uint64_t first_half = 0, second_half = 0;
	for (int i = 0; i < REPORT_TIMELINE; i++)
		*(i < REPORT_TIMELINE / 2 ? &first_half : &second_half) +=
			report->timeline[i].kernel_cpu_ns;
	assert_in_range(first_half, 440, 500);
	assert_in_range(second_half, 40, 100);
	assert_int_equal(report->n_nodes, 1);
	assert_int_equal(report->n_functions, 0);
	report_destroy(report);
	world_destroy(&world);
}

/* Of what is sampled here, samples that follow one another share their time; of anything else
   they have what they say. */
static void test_cpu_time_is_evened_out_if_asked(void **state)
{
	(void)state;
	struct world world = world_create();
	world_sample(&world, 10, 1, "app", "main;parse", 90);
	world_sample(&world, 20, 1, "app", "main;alloc", 10);
	world_sample(&world, 30, 2, "worker", "start", 7);
	for (int evens = 0; evens < 2; evens++) {
		const struct report_input input = {
			.profile = world.profile,
			.stacktab = world.stacktab,
			.samples = &world.samples,
			.evens_cpu = evens,
			.now_ns = 1000,
		};
		const struct report_request request = {
			.window_ns = 1000, .moments = true};
		struct report *report = report_build(&input, &request);
		assert_int_equal(row(report, "parse")->self.cpu_ns, evens ? 50 : 90);
		assert_int_equal(row(report, "alloc")->self.cpu_ns, evens ? 50 : 10);
		assert_int_equal(row(report, "start")->self.cpu_ns, 7);
		assert_int_equal(report->total.cpu_ns, 107);
		assert_int_equal(report->moments[0].weight_ns, evens ? 50 : 90);
		report_destroy(report);
	}
	world_destroy(&world);
}

static void test_patterns_say_what_is_wrong(void **state)
{
	(void)state;
	size_t offset = 0;
	char why[128];
	assert_false(report_pattern_valid("!a(b", &offset, why, sizeof(why)));
	assert_int_equal(offset, 4);
	assert_string_equal(why, "missing closing parenthesis");
	assert_true(report_pattern_valid("", &offset, why, sizeof(why)));
	assert_true(report_pattern_valid("!x|y", &offset, why, sizeof(why)));
	/* A pattern that backtracks for ever is stopped. */
	struct pattern *pattern = pattern_create("(a+)+$", NULL, NULL, 0);
	assert_false(pattern_matches(pattern, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"));
	pattern_destroy(pattern);
}

static void assert_edge(const struct report *report, const struct edge_list *list,
	size_t i, const char *name, uint64_t cpu_ns)
{
	assert_true(i < list->len);
	const struct function *function =
		profile_function(report->profile, list->data[i].function);
	assert_string_equal(function->name, name);
	assert_int_equal(list->data[i].weight.cpu_ns, cpu_ns);
}

/* A sample counts once: for the caller of the outermost f, and the callee of the innermost
   one. So each side adds up to the total, with what has no caller and what f did itself. */
static void test_callers_and_callees(void **state)
{
	(void)state;
	struct world world = world_create();
	world_sample(&world, 100, 1, "t", "main;a;f;x", 1);
	world_sample(&world, 200, 1, "t", "main;b;f;f;f;y", 20);
	world_sample(&world, 300, 1, "t", "main;a;f;x;f;x", 300);
	world_sample(&world, 400, 1, "t", "f", 4000);
	struct report *report = world_report(&world, NULL);
	struct edges edges;
	edges_of(&edges, report, row(report, "f")->function);
	assert_int_equal(edges.callers.len, 2);
	assert_edge(report, &edges.callers, 0, "a", 301);
	assert_edge(report, &edges.callers, 1, "b", 20);
	assert_int_equal(edges.outermost.cpu_ns, 4000);
	assert_int_equal(edges.callees.len, 2);
	assert_edge(report, &edges.callees, 0, "x", 301);
	assert_edge(report, &edges.callees, 1, "y", 20);
	assert_int_equal(edges.self.cpu_ns, 4000);
	edges_finish(&edges);
	edges_of(&edges, report, row(report, "main")->function);
	assert_int_equal(edges.callers.len, 0);
	assert_edge(report, &edges.callees, 0, "a", 301);
	assert_edge(report, &edges.callees, 1, "b", 20);
	edges_finish(&edges);
	report_destroy(report);
	world_destroy(&world);
}

static uint64_t weight_of(const struct call_list *calls, uint32_t caller, uint32_t callee)
{
	vec_each (calls, call)
		if (call->caller == caller && call->callee == callee)
			return call->weight.cpu_ns;
	return 0;
}

/* Of functions that call each other at random: both sides of each add up to its total in the
   table, and all at once gives the same as each by itself. */
static void test_both_sides_add_up(void **state)
{
	(void)state;
	struct world world = world_create();
	uint32_t seed = 1;
	for (unsigned i = 0; i < 300; i++) {
		char stack[64] = "", frame[4];
		unsigned depth = 1 + i % 9;
		for (unsigned k = 0; k < depth; k++) {
			seed = seed * 1103515245u + 12345u;
			snprintf(frame, sizeof(frame), "%s%c", k ? ";" : "",
				(char)('a' + (seed >> 16) % 5));
			strcat(stack, frame);
		}
		world_sample(&world, i + 1, 1, "t", stack, 1 + (seed >> 20));
	}
	struct report *report = world_report(&world, NULL);
	struct call_list of_callers = {0}, of_callees = {0};
	size_t pairs = 0;
	edges_shared(&of_callers, &of_callees, report);
	assert_int_equal(report->n_functions, 5);
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *f = &report->functions[i];
		struct edges edges;
		edges_of(&edges, report, f->function);
		uint64_t above = edges.outermost.cpu_ns, below = edges.self.cpu_ns;
		assert_int_equal(edges.self.cpu_ns, f->self.cpu_ns);
		vec_each (&edges.callers, edge) {
			above += edge->weight.cpu_ns;
			assert_int_equal(edge->weight.cpu_ns,
				weight_of(&of_callees, edge->function, f->function));
		}
		vec_each (&edges.callees, edge) {
			below += edge->weight.cpu_ns;
			assert_int_equal(edge->weight.cpu_ns,
				weight_of(&of_callers, f->function, edge->function));
		}
		assert_int_equal(above, f->total.cpu_ns);
		assert_int_equal(below, f->total.cpu_ns);
		pairs += edges.callers.len + edges.callees.len;
		edges_finish(&edges);
	}
	assert_int_equal(of_callers.len + of_callees.len, pairs);
	vec_free(&of_callers);
	vec_free(&of_callees);
	report_destroy(report);
	world_destroy(&world);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_self_and_total),
		cmocka_unit_test(test_recursion_counts_once),
		cmocka_unit_test(test_inlined_lines_are_levels),
		cmocka_unit_test(test_siblings_are_in_name_order),
		cmocka_unit_test(test_callers_and_callees),
		cmocka_unit_test(test_both_sides_add_up),
		cmocka_unit_test(test_range_is_exact),
		cmocka_unit_test(test_filters_choose_stacks),
		cmocka_unit_test(test_threads_are_rows_by_tid),
		cmocka_unit_test(test_broken_stacks_are_counted_apart),
		cmocka_unit_test(test_kernel_marks_fill_the_timeline),
		cmocka_unit_test(test_cpu_time_is_evened_out_if_asked),
		cmocka_unit_test(test_patterns_say_what_is_wrong),
	};
	return unit_run(tests);
}
