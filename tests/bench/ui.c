/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ui: how long one frame takes, from samples to cells.
 *
 *	tests/bench/ui [ROUNDS]
 *
 * Made-up profiles of 1,000 and of 100,000 distinct stacks, of one process and of 256; build
 * is report_build, which the analyst does; the UI thread then prepares a view once for each
 * report (first) and draws it at each key (frame). Medians over ROUNDS, in milliseconds.
 */
#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/count/report-build.h"
#include "src/facts/profile.h"
#include "src/keep/sample-log.h"
#include "src/keep/stacktab.h"
#include "ui/view/view.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	FUNCTIONS = 5000,
	MODULES = 20,
	DEPTH_MAX = 60,
	TRUNK = 4,	/* frames that all stacks begin with */
	NEW_FRAMES = 3, /* of a stack; the rest it shares with an earlier one */
	THREADS = 16,
	PROCESSES_MAX = 256,
	ROUNDS_MAX = 1000
};

struct stack {
	uint32_t locations[DEPTH_MAX]; /* root first */
	size_t depth;
};

struct world {
	struct profile *profile;
	struct naming *naming;
	struct stacktab *stacktab;
	struct sample_log samples;
	uint64_t seed;
	size_t n_processes;
	uint32_t frames
		[PROCESSES_MAX]; /* of several processes: what their stacks begin with */
	uint32_t threads[THREADS > PROCESSES_MAX ? THREADS : PROCESSES_MAX];
};

static uint32_t draw(struct world *world)
{
	world->seed = world->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(world->seed >> 33);
}

static uint32_t make_location(struct world *world, uint32_t mapping, uint32_t number)
{
	char name[64], module[32];
	snprintf(name, sizeof(name), "space::Class%u<int>::function_%u(int)", number / 20,
		number);
	snprintf(module, sizeof(module), "libmodule%u.so", number % MODULES);
	struct line line = {.function = profile_intern_function(
				    world->profile, &(struct function){.name = name,
							    .system_name = name,
							    .module = module,
							    .file = ""})};
	return profile_add_location(
		world->profile, mapping, 0x1000 + number * 16u, &line, 1);
}

/* A function calls a few others, one of them most of the time. */
static uint32_t callee(struct world *world, const struct stack *stack)
{
	uint32_t one = draw(world) % 24, other = draw(world) % 24;
	uint32_t caller = stack->depth ? stack->locations[stack->depth - 1] : 0;

	return (caller * 31 + (one < other ? one : other) + 1) % FUNCTIONS;
}

/* THREADS of one process, or a thread for each of several. */
static void make_threads(struct world *world)
{
	struct profile *profile = world->profile;

	for (uint32_t i = 0; world->n_processes == 1 && i < THREADS; i++)
		world->threads[i] = profile_intern_thread(profile, (pid_t)(100 + i), "w");
	for (uint32_t i = 0; world->n_processes > 1 && i < world->n_processes; i++) {
		char title[32];
		pid_t pid = (pid_t)(100 + i);
		snprintf(title, sizeof(title), "server: client %u", i);
		uint32_t process = profile_intern_process(profile, pid, "server", title);
		world->frames[i] = profile_process(profile, process)->frame;
		world->threads[i] =
			profile_intern_thread_of(profile, process, pid, "server");
	}
}

/* Like a real program's: stacks share their callers, and few are hot. */
static void make_world(struct world *world, size_t n_stacks, size_t n_processes)
{
	VEC(struct stack) stacks = {0};
	struct idmap distinct = {0};
	uint32_t locations[FUNCTIONS];
	size_t n_threads = n_processes == 1 ? THREADS : n_processes;

	*world = (struct world){.profile = profile_create(),
		.stacktab = stacktab_create(),
		.seed = 1,
		.n_processes = n_processes};
	world->naming = naming_create(world->profile);
	uint32_t mapping =
		profile_add_mapping(world->profile, &(struct mapping){.start = 0x1000,
							    .limit = 0x100000,
							    .path = "/x",
							    .module = "x",
							    .build_id = ""});
	for (uint32_t i = 0; i < FUNCTIONS; i++)
		locations[i] = make_location(world, mapping, i);
	make_threads(world);
	for (size_t i = 0; distinct.len < n_stacks; i++) {
		struct stack stack = {0};
		uint32_t chain[DEPTH_MAX + 1];
		if (stacks.len > 0)
			stack = stacks.data[draw(world) % stacks.len];
		if (stack.depth > TRUNK)
			stack.depth = TRUNK + draw(world) % (stack.depth - TRUNK);
		for (int n = 0; n < NEW_FRAMES || stack.depth < 8; n++) {
			if (stack.depth == DEPTH_MAX)
				break;
			stack.locations[stack.depth] = locations[callee(world, &stack)];
			stack.depth++;
		}
		vec_push(&stacks, stack);
		for (size_t at = 0; at < stack.depth; at++)
			chain[at] = stack.locations[stack.depth - 1 - at];
		if (n_processes > 1)
			chain[stack.depth++] = world->frames[i % n_processes];
		struct sample sample = {
			.time_ns = NS_PER_SEC + i * 1000,
			.cpu_ns = 1000000 + draw(world) % (i % 64 ? 1000000 : 500000000),
			.thread = world->threads[i % n_threads],
			.stack = stacktab_intern(
				world->stacktab, chain, stack.depth, UNWIND_ROOT),
			.count = 1,
		};
		idmap_put(&distinct, sample.stack, 0, 0);
		sample_log_add(&world->samples, &sample);
	}
	idmap_finish(&distinct);
	vec_free(&stacks);
}

static struct report *build(const struct world *world)
{
	struct report_input input = {.profile = world->profile,
		.naming = world->naming,
		.stacktab = world->stacktab,
		.samples = &world->samples,
		.now_ns = 100 * NS_PER_SEC,
		.now_wall_ns = 100 * NS_PER_SEC,
		.several = world->n_processes > 1};
	/* Each process by itself: as many towers. */
	struct report_request request = {
		.naming.processes =
			input.several ? PROCESSES_BY_COMMAND : PROCESSES_BY_NAME};
	return report_build(&input, &request);
}

static void finish_world(struct world *world)
{
	sample_log_finish(&world->samples);
	stacktab_unref(world->stacktab);
	naming_unref(world->naming);
	profile_unref(world->profile);
}

static int compare(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static double median_ms(uint64_t *times, int n)
{
	qsort(times, (size_t)n, sizeof(times[0]), compare);
	return (double)times[n / 2] / 1e6;
}

static void measure_view(const struct view_ops *view, struct report *const reports[2],
	int rounds, int rows, int columns)
{
	uint64_t firsts[ROUNDS_MAX], frames[ROUNDS_MAX];
	struct view_state state;
	struct grid grid;
	void *data = mem_zalloc(view->data_size);

	view_state_init(&state);
	state.rows = rows;
	state.columns = columns;
	grid_init(&grid, rows, columns, false);
	for (int i = 0; i < rounds; i++) { /* two reports by turns: each is new to it */
		uint64_t start = clock_monotonic_ns();
		view->prepare(data, &state, reports[i % 2]);
		view->draw(data, &state, reports[i % 2], &grid);
		firsts[i] = clock_monotonic_ns() - start;
		view->act(data, &state, reports[i % 2], ACTION_DOWN);
		start = clock_monotonic_ns();
		view->prepare(data, &state, reports[i % 2]);
		view->draw(data, &state, reports[i % 2], &grid);
		frames[i] = clock_monotonic_ns() - start;
	}
	printf("  %-8s %3dx%-3d  first %7.3f ms  frame %7.3f ms\n", view->name, columns,
		rows, median_ms(firsts, rounds), median_ms(frames, rounds));
	if (view->finish)
		view->finish(data);
	free(data);
	grid_finish(&grid);
	view_state_finish(&state);
}

static void measure(size_t n_stacks, size_t n_processes, int rounds)
{
	static const struct view_ops *const views[] = {
		&view_table, &view_flame, &view_threads};
	struct world world;
	struct report *reports[2];
	uint64_t builds[ROUNDS_MAX];
	int n_builds = rounds < 10 ? rounds : 10;

	make_world(&world, n_stacks, n_processes);
	for (int i = 0; i < n_builds; i++) {
		uint64_t start = clock_monotonic_ns();
		report_destroy(build(&world));
		builds[i] = clock_monotonic_ns() - start;
	}
	reports[0] = build(&world);
	reports[1] = build(&world);
	printf("%zu distinct stacks, %zu process%s, %zu nodes, %zu functions: build %.1f "
	       "ms\n",
		n_stacks, n_processes, n_processes > 1 ? "es" : "", reports[0]->n_nodes,
		reports[0]->n_functions, median_ms(builds, n_builds));
	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		measure_view(views[i], reports, rounds, 24, 80);
		measure_view(views[i], reports, rounds, 50, 200);
	}
	report_destroy(reports[0]);
	report_destroy(reports[1]);
	finish_world(&world);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 50;

	if (rounds < 1 || rounds > ROUNDS_MAX) {
		fprintf(stderr, "usage: ui [ROUNDS], at most %d\n", ROUNDS_MAX);
		return 2;
	}
	setlocale(LC_ALL, "C.UTF-8");
	measure(1000, 1, rounds);
	measure(100000, 1, rounds);
	measure(100000, PROCESSES_MAX, rounds);
	return 0;
}
