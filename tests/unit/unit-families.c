/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several processes in one report: which of them are one, and how they look. */

#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/count/report-build.h"
#include "src/keep/history.h"
#include "src/write/export.h"
#include "tests/lib/golden.h"
#include "ui/threads/thread-rows.h"
#include "ui/view/view.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define END_NS (2 * NS_PER_SEC)

/* --- a family ----------------------------------------------------------------------- */

static const struct member {
	pid_t pid;
	const char *name, *command;
	const char *leaf;
	uint64_t cpu_ms;
} members[] = {
	{200, "make", "make -j2", "eval", 20},
	{211, "cc1plus", "cc1plus parse.cpp", "parse", 500},
	{212, "cc1plus", "cc1plus lex.cpp", "parse", 300},
	{213, "cc1plus", "cc1plus main.cpp", "fold", 200},
	{301, "postgres", "postgres: checkpointer", "sync", 40},
	{302, "postgres", "postgres: bench bench [local]", "scan", 400},
	{303, "postgres", "postgres: bench bench [local]", "scan", 380},
};

enum {
	MEMBERS = sizeof(members) / sizeof(members[0])
};

static uint32_t function_location(
	struct profile *profile, uint32_t mapping, const char *name, const char *module)
{
	struct function function = {
		.name = name, .system_name = name, .module = module, .file = ""};
	struct line line = {.function = profile_intern_function(profile, &function)};
	return profile_add_location(profile, mapping,
		0x1000 + strlen(name) * 64 + (uint8_t)name[0], &line, 1);
}

static void add_member(struct history *history, const struct member *member)
{
	struct profile *profile = history->profile;
	struct mapping mapping = {
		.path = member->name, .module = member->name, .build_id = ""};
	uint32_t map = profile_add_mapping(profile, &mapping);
	uint32_t locations[4] = {
		function_location(profile, map, member->leaf, member->name),
		function_location(profile, map, "main", member->name),
	};
	struct sample sample = {
		.time_ns = member->cpu_ms * NS_PER_MS,
		.cpu_ns = member->cpu_ms * NS_PER_MS,
		.count = (uint32_t)member->cpu_ms / 10,
	};
	history_process(history, profile_intern_process(profile, member->pid,
					 member->name, member->command));
	history_name_thread(history, member->pid, member->name);
	history_add(history, member->pid, locations, 2, UNWIND_ROOT, &sample);
}

static void family_init(struct history *history)
{
	history_init(history, false, 600 * NS_PER_SEC, 1 << 20);
	/* in the order of time */
	static const int order[MEMBERS] = {0, 4, 3, 2, 6, 5, 1};
	for (int i = 0; i < MEMBERS; i++)
		add_member(history, &members[order[i]]);
}

static struct report *family_report(
	struct history *history, enum naming_processes processes)
{
	struct report_thread alive[MEMBERS];
	struct report_input input = {
		.profile = history->profile,
		.naming = history->naming,
		.stacktab = history->stacktab,
		.samples = &history->samples,
		.now_ns = END_NS,
		.since_ns = 1,
		.several = true,
		.alive = alive,
		.n_alive = history->threads.len,
	};
	for (size_t i = 0; i < history->threads.len; i++)
		alive[i] = (struct report_thread){
			.thread = history_thread_id(history, &history->threads.data[i]),
			.state = 'S'};
	struct report_request request = {.naming.processes = processes};
	return report_build(&input, &request);
}

/* --- what is one -------------------------------------------------------------------- */

/* The outermost frames, "name:cpu_ms" and a blank each. */
static void assert_roots(
	struct history *history, enum naming_processes processes, const char *expected)
{
	char text[1024] = "";
	struct report *report = family_report(history, processes);
	const struct report_node *root = &report->nodes[0];
	for (uint32_t i = 0; i < root->n_children; i++) {
		const struct report_node *node = &report->nodes[root->first_child + i];
		size_t length = strlen(text);
		snprintf(text + length, sizeof(text) - length, "%s:%u ",
			profile_function(report->profile, node->function)->name,
			(unsigned)(node->total.cpu_ns / NS_PER_MS));
	}
	assert_string_equal(text, expected);
	report_destroy(report);
}

static void test_processes_of_one_program_are_one_tower(void **state)
{
	struct history history;
	(void)state;
	family_init(&history);
	assert_roots(&history, PROCESSES_BY_NAME, "cc1plus:1000 make:20 postgres:820 ");
	assert_roots(&history, PROCESSES_BY_COMMAND,
		"cc1plus lex.cpp:300 cc1plus main.cpp:200 cc1plus parse.cpp:500 "
		"make -j2:20 postgres: bench bench [local]:780 "
		"postgres: checkpointer:40 ");
	assert_roots(&history, PROCESSES_BY_PID,
		"cc1plus-211:500 cc1plus-212:300 cc1plus-213:200 make-200:20 "
		"postgres-301:40 postgres-302:400 postgres-303:380 ");
	/* Functions of one name in three programs are three. */
	assert_roots(&history, PROCESSES_AS_ONE, "main:1000 main:20 main:820 ");
	history_finish(&history);
}

/* What was asked for under other rules does not stay in what is asked for now. */
static void test_rules_do_not_disturb_each_other(void **state)
{
	struct history history;
	(void)state;
	family_init(&history);
	for (int i = 0; i < 2 * NAMING_PROCESSES; i++) {
		struct report *report = family_report(
			&history, (enum naming_processes)(i % NAMING_PROCESSES));
		assert_int_equal(report->total.cpu_ns, 1840 * NS_PER_MS);
		assert_int_equal(report->nodes[0].total.cpu_ns, 1840 * NS_PER_MS);
		report_destroy(report);
	}
	assert_roots(&history, PROCESSES_BY_NAME, "cc1plus:1000 make:20 postgres:820 ");
	history_finish(&history);
}

/* Names that nobody uses any more are dropped by copying the rest to a new profile. */
static void test_families_survive_a_renewal(void **state)
{
	struct history history;
	struct renewal renewal;
	(void)state;
	family_init(&history);
	renewal_init(&renewal, history.profile);
	history_move_stacks(&history, NULL, &renewal);
	for (size_t i = 0; i < history.samples.len; i++) {
		struct sample *sample = sample_log_at(&history.samples, i);
		sample->thread = renewal_thread(&renewal, sample->thread);
	}
	vec_each (&history.threads, thread)
		thread->thread = renewal_thread(&renewal, thread->thread);
	naming_unref(history.naming);
	profile_unref(history.profile);
	history.profile = (struct profile *)profile_ref(renewal.to);
	history.naming = naming_create(history.profile);
	renewal_finish(&renewal);
	assert_roots(&history, PROCESSES_BY_PID,
		"cc1plus-211:500 cc1plus-212:300 cc1plus-213:200 make-200:20 "
		"postgres-301:40 postgres-302:400 postgres-303:380 ");
	history_finish(&history);
}

static char *folded(struct history *history, enum naming_processes processes)
{
	struct report *report = family_report(history, processes);
	struct export_facts facts = {.command = "make", .weigh_cpu = true};
	char *text = NULL;
	size_t size;
	struct error err;
	FILE *out = open_memstream(&text, &size);
	assert_true(export_format_by_name("folded")->write(report, &facts, out, &err));
	fclose(out);
	report_destroy(report);
	return text;
}

static void test_folded_lines_are_of_families(void **state)
{
	struct history history;
	(void)state;
	family_init(&history);
	char *text = folded(&history, PROCESSES_BY_NAME);
	assert_string_equal(text, "cc1plus;cc1plus;main;fold 200000\n"
				  "cc1plus;cc1plus;main;parse 800000\n"
				  "make;make;main;eval 20000\n"
				  "postgres;postgres;main;scan 780000\n"
				  "postgres;postgres;main;sync 40000\n");
	free(text);
	text = folded(&history, PROCESSES_BY_PID);
	assert_non_null(strstr(text, "postgres-303;postgres;main;scan 380000\n"));
	free(text);
	text = folded(&history, PROCESSES_AS_ONE);
	assert_non_null(strstr(text, "\npostgres;main;scan 780000\n"));
	free(text);
	history_finish(&history);
}

/* A process that changes its title goes on under one name, and its threads with it. */
static void test_a_new_title_is_the_same_process(void **state)
{
	struct history history;
	(void)state;
	family_init(&history);
	uint32_t old = profile_intern_process(
		history.profile, 301, "postgres", "postgres: checkpointer");
	uint32_t now = profile_intern_process(
		history.profile, 301, "postgres", "postgres: startup");
	assert_int_not_equal(old, now);
	history_rename_process(&history, old, now);
	assert_roots(&history, PROCESSES_BY_NAME, "cc1plus:1000 make:20 postgres:820 ");
	struct report *report = family_report(&history, PROCESSES_BY_NAME);
	struct thread_rows rows = {0};
	thread_rows_build(&rows, report, THREADS_BY_TID, false, false, NULL, 0);
	assert_int_equal(rows.rows.len, MEMBERS);
	assert_int_equal(rows.rows.data[4].tid, 301);
	assert_string_equal(rows.rows.data[4].title, "postgres: startup");
	thread_rows_finish(&rows);
	report_destroy(report);
	history_finish(&history);
}

/* The rows of the threads view, "title or name(members)" and a bar each. */
static void assert_threads(
	struct history *history, enum naming_processes processes, const char *expected)
{
	char text[1024] = "";
	struct report *report = family_report(history, processes);
	struct thread_rows rows = {0};
	thread_rows_build(&rows, report, THREADS_BY_CPU, false, true, NULL, 0);
	vec_each (&rows.rows, row) {
		size_t length = strlen(text);
		snprintf(text + length, sizeof(text) - length, "%s(%u)|",
			row->title ? row->title : row->name, (unsigned)row->members);
	}
	assert_string_equal(text, expected);
	thread_rows_finish(&rows);
	report_destroy(report);
}

static void test_threads_of_a_family_are_one_row(void **state)
{
	struct history history;
	(void)state;
	family_init(&history);
	assert_threads(
		&history, PROCESSES_BY_NAME, "cc1plus(3)|postgres(3)|make -j2(0)|");
	assert_threads(&history, PROCESSES_BY_COMMAND,
		"postgres: bench bench [local](2)|cc1plus parse.cpp(0)|"
		"cc1plus lex.cpp(0)|cc1plus main.cpp(0)|postgres: checkpointer(0)|"
		"make -j2(0)|");
	assert_threads(&history, PROCESSES_BY_PID,
		"cc1plus parse.cpp(0)|postgres: bench bench [local](0)|"
		"postgres: bench bench [local](0)|cc1plus lex.cpp(0)|"
		"cc1plus main.cpp(0)|postgres: checkpointer(0)|make -j2(0)|");
	history_finish(&history);
}

/* --- screens ------------------------------------------------------------------------ */

static void check_screen(const struct view_ops *view, struct report *report, int rows,
	int columns, const char *variant)
{
	struct view_state state;
	struct grid grid;
	char name[128];
	void *data = calloc(1, view->data_size);

	view_state_init(&state);
	state.rows = rows;
	state.columns = columns;
	state.now_ns = END_NS;
	state.request = report->request;
	state.pools = true;
	grid_init(&grid, rows, columns, false);
	search_update(&state.search, report);
	hues_update(&state.hues, report, view_metric(report));
	view->prepare(data, &state, report);
	view->draw(data, &state, report, &grid);
	snprintf(name, sizeof(name), "family-%s-by-%s-%dx%d", view->name, variant,
		columns, rows);
	golden_check(name, &grid);
	if (view->finish)
		view->finish(data);
	free(data);
	grid_finish(&grid);
	view_state_finish(&state);
}

static void test_screens(void **state)
{
	static const int sizes[][2] = {{24, 80}, {40, 120}, {50, 200}, {10, 40}};
	static const struct {
		const struct view_ops *view;
		enum naming_processes processes;
	} screens[] = {
		{&view_flame, PROCESSES_BY_NAME},
		{&view_flame, PROCESSES_BY_PID},
		{&view_table, PROCESSES_BY_NAME},
		{&view_threads, PROCESSES_BY_NAME},
		{&view_threads, PROCESSES_BY_COMMAND},
	};
	struct history history;
	(void)state;
	family_init(&history);
	for (size_t i = 0; i < sizeof(screens) / sizeof(screens[0]); i++) {
		struct report *report = family_report(&history, screens[i].processes);
		for (size_t k = 0; k < sizeof(sizes) / sizeof(sizes[0]); k++)
			check_screen(screens[i].view, report, sizes[k][0], sizes[k][1],
				naming_processes_name(screens[i].processes));
		report_destroy(report);
	}
	history_finish(&history);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes_of_one_program_are_one_tower),
		cmocka_unit_test(test_rules_do_not_disturb_each_other),
		cmocka_unit_test(test_families_survive_a_renewal),
		cmocka_unit_test(test_folded_lines_are_of_families),
		cmocka_unit_test(test_a_new_title_is_the_same_process),
		cmocka_unit_test(test_threads_of_a_family_are_one_row),
		cmocka_unit_test(test_screens),
	};
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(tests);
}
