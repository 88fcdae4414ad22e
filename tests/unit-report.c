/* Reports are a pure function of samples, range and filters: small worlds made by hand.
 */

#include "tests/unit.h"

#include "src/pattern.h"
#include "src/report-build.h"

#include <stdio.h>
#include <string.h>

struct world {
	struct profile *profile;
	struct stacktab *stacktab;
	struct window window;
	uint32_t mapping[2]; /* app, libx.so */
};

static struct world world_create(void)
{
	struct world world = {.profile = profile_create(), .stacktab = stacktab_create()};
	const char *modules[] = {"app", "libx.so"};
	for (int i = 0; i < 2; i++) {
		struct mapping mapping = {.start = 0x1000u * (unsigned)(i + 1),
			.path = modules[i],
			.module = modules[i],
			.build_id = "",
			.is_main = i == 0};
		world.mapping[i] = profile_add_mapping(world.profile, &mapping);
	}
	return world;
}

static void world_destroy(struct world *world)
{
	window_finish(&world->window);
	stacktab_unref(world->stacktab);
	profile_destroy(world->profile);
}

/* "main;work;leaf@libx.so" root first: a frame is a function, its module app unless
   named; "work+inlined" puts one location with two lines. */
static uint32_t world_stack(struct world *world, const char *text, enum unwind_end end)
{
	uint32_t locations[64], n = 0;
	char copy[256], *rest = copy;
	snprintf(copy, sizeof(copy), "%s", text);
	for (char *frame; (frame = strsep(&rest, ";"));) {
		char *module = strchr(frame, '@');
		if (module)
			*module++ = '\0';
		struct line lines[4];
		uint32_t n_lines = 0;
		for (char *part; (part = strsep(&frame, "+")); n_lines++) {
			struct function function = {.name = part,
				.system_name = part,
				.module = module ? module : "app",
				.file = ""};
			memmove(lines + 1, lines, n_lines * sizeof(*lines));
			lines[0] = (struct line){
				profile_intern_function(world->profile, &function), 0};
		}
		uint32_t mapping = world->mapping[module != NULL];
		uint64_t address = lines[0].function * 16u + 0x100;
		uint32_t id = profile_find_location(world->profile, mapping, address);
		if (id == PROFILE_NONE)
			id = profile_add_location(
				world->profile, mapping, address, lines, n_lines);
		memmove(locations + 1, locations, n++ * sizeof(*locations));
		locations[0] = id;
	}
	return stacktab_intern(world->stacktab, locations, n, end);
}

static void world_sample(struct world *world, uint64_t time_ns, pid_t tid,
	const char *comm, const char *stack, uint64_t cpu_ns)
{
	struct sample sample = {
		.time_ns = time_ns,
		.cpu_ns = cpu_ns,
		.thread = profile_intern_thread(world->profile, tid, comm),
		.stack = world_stack(world, stack, UNWIND_ROOT),
		.count = 1,
	};
	window_add(&world->window, &sample);
}

static struct report *world_report(
	struct world *world, const struct report_request *request)
{
	struct report_input input = {
		.profile = world->profile,
		.stacktab = world->stacktab,
		.samples = &world->window,
		.now_ns = 1000,
		.now_wall_ns = 5000000,
	};
	struct report_request everything = {0};
	return report_build(&input, request ? request : &everything);
}

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

static const struct report_node *node(const struct report *report, const char *path)
{
	char copy[256], *rest = copy;
	snprintf(copy, sizeof(copy), "%s", path);
	const struct report_node *at = report->nodes;
	for (char *name; (name = strsep(&rest, ";"));) {
		const struct report_node *next = NULL;
		for (uint32_t i = 0; i < at->n_children; i++) {
			const struct report_node *child =
				&report->nodes[at->first_child + i];
			if (strcmp(profile_function(report->profile, child->function)
					    ->name,
				    name) == 0)
				next = child;
		}
		assert_non_null(next);
		at = next;
	}
	return at;
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
	assert_int_equal(node(report, "main;parse;alloc")->self.cpu_ns, 20);
	assert_int_equal(node(report, "main;parse")->total.cpu_ns, 50);
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
	assert_int_equal(node(report, "main;fib;fib")->total.cpu_ns, 7);
	report_destroy(report);
	world_destroy(&world);
}

static void test_inlined_lines_are_levels(void **state)
{
	(void)state;
	struct world world = world_create();
	world_sample(&world, 10, 1, "app", "main;outer+inlined", 4);
	struct report *report = world_report(&world, NULL);
	assert_int_equal(node(report, "main;outer;inlined")->self.cpu_ns, 4);
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
	const struct report_node *top = node(report, "main");
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
	world_sample(&world, 20, 7, "worker-1", "main;work", 10);
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
	window_add(&world.window, &sample);
	sample.stack = world_stack(&world, "main;f", UNWIND_ROOT);
	sample.count = 1;
	window_add(&world.window, &sample);
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
		.samples = &world.window,
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

/* --- where the time of threads went ---- */

static void add_slice(struct accounts *accounts, pid_t tid, uint64_t from_ns,
	uint64_t to_ns, uint64_t cpu_ns, uint64_t runq_ns)
{
	struct account_slice slice = {from_ns, to_ns, cpu_ns, runq_ns, tid};
	accounts_add(accounts, &slice);
}

static const struct report_thread *thread_row(const struct report *report, pid_t tid)
{
	for (size_t i = 0; i < report->n_threads; i++) {
		uint32_t id = report->threads[i].thread;
		if (profile_thread(report->profile, id)->tid == tid)
			return &report->threads[i];
	}
	return NULL;
}

static void assert_times(const struct report *report, pid_t tid, uint64_t cpu_ns,
	uint64_t runq_ns, uint64_t blocked_ns)
{
	const struct report_thread *row = thread_row(report, tid);
	assert_non_null(row);
	assert_int_equal(row->cpu_ns, cpu_ns);
	assert_int_equal(row->runq_ns, runq_ns);
	assert_int_equal(row->blocked_ns, blocked_ns);
}

static void test_three_times_add_up_to_a_life(void **state)
{
	(void)state;
	struct world world = world_create();
	struct accounts accounts = {0};
	world_sample(&world, 100, 1, "busy", "main", 1);
	world_sample(&world, 150, 2, "gone", "main", 1);
	accounts_begin(&accounts, 1, 100);
	accounts_begin(&accounts, 2, 100);
	accounts_begin(&accounts, 3, 100);
	add_slice(&accounts, 1, 100, 300, 120, 40);
	add_slice(&accounts, 1, 300, 500, 200, 0);
	add_slice(&accounts, 2, 100, 200, 10, 20);
	accounts_end(&accounts, 2, 200);
	accounts.surveyed_ns = 900;

	struct report_thread alive[] = {
		{.thread = profile_intern_thread(world.profile, 1, "busy")},
		{.thread = profile_intern_thread(world.profile, 3, "asleep")},
	};
	struct report_input input = {
		.profile = world.profile,
		.stacktab = world.stacktab,
		.samples = &world.window,
		.now_ns = 1000,
		.accounts = &accounts,
		.alive = alive,
		.n_alive = 2,
	};
	struct report_request request = {0};
	struct report *report = report_build(&input, &request);
	assert_times(report, 1, 320, 40, 440); /* 800 ns known */
	assert_times(report, 2, 10, 20, 70);   /* the 100 ns it lived */
	assert_times(report, 3, 0, 0, 800);    /* without any slice */
	struct report_thread sum = report_process_time(report);
	assert_int_equal(sum.cpu_ns, 330);
	assert_int_equal(sum.runq_ns, 60);
	assert_int_equal(sum.blocked_ns, 1310);
	report_destroy(report);

	/* From 200 on: half of the first slice, nothing of who was gone by then. */
	request.window_ns = 800;
	report = report_build(&input, &request);
	assert_int_equal(report->start_ns, 200);
	assert_times(report, 1, 260, 20, 420);
	assert_null(thread_row(report, 2));
	report_destroy(report);

	accounts_finish(&accounts);
	world_destroy(&world);
}

static void test_accounts_are_bounded(void **state)
{
	(void)state;
	struct accounts live = {0}, kept = {0};
	for (uint64_t i = 0; i < 300000; i++) {
		add_slice(&live, 1, i, i + 1, 1, 0);
		add_slice(&kept, (pid_t)(1 + i % 3), i, i + 1, 1, 2);
		if (i % 1000 == 0) {
			accounts_trim(&live, 0, false);
			accounts_trim(&kept, 0, true);
		}
	}
	assert_in_range(live.slices.len, 1, 133000);
	assert_int_equal(live.slices.data[live.slices.len - 1].to_ns, 300000);
	assert_in_range(kept.slices.len, 1, 133000);
	uint64_t cpu_ns = 0, runq_ns = 0;
	vec_each (&kept.slices, slice) {
		cpu_ns += slice->cpu_ns;
		runq_ns += slice->runq_ns;
	}
	assert_int_equal(cpu_ns, 300000);
	assert_int_equal(runq_ns, 600000);

	/* By age: slices and lives. */
	accounts_begin(&live, 7, 10);
	accounts_end(&live, 7, 20);
	accounts_begin(&live, 8, 10);
	accounts_trim(&live, 299990, false);
	assert_int_equal(live.slices.len, 11);
	assert_int_equal(live.lives.len, 1);
	assert_int_equal(live.lives.data[0].tid, 8);
	accounts_finish(&live);
	accounts_finish(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_three_times_add_up_to_a_life),
		cmocka_unit_test(test_accounts_are_bounded),
		cmocka_unit_test(test_self_and_total),
		cmocka_unit_test(test_recursion_counts_once),
		cmocka_unit_test(test_inlined_lines_are_levels),
		cmocka_unit_test(test_siblings_are_in_name_order),
		cmocka_unit_test(test_range_is_exact),
		cmocka_unit_test(test_filters_choose_stacks),
		cmocka_unit_test(test_threads_are_rows_by_tid),
		cmocka_unit_test(test_broken_stacks_are_counted_apart),
		cmocka_unit_test(test_kernel_marks_fill_the_timeline),
		cmocka_unit_test(test_patterns_say_what_is_wrong),
	};
	return unit_run(tests);
}
