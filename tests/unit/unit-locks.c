/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was waited for, and who held it: a story made by hand, its numbers, and how the view
   and the report show it. */

#include "tests/lib/unit.h"

#include "src/write/print/contention.h"
#include "tests/lib/golden.h"
#include "tests/lib/lock-story.h"
#include "ui/view/view.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static void tell(struct story *story, bool wall)
{
	static const char *const names[] = {
		"worker-1", "worker-2", "worker-3", "reader", "loop", "loop", "main"};
	begin(story);
	for (int i = 0; i < 7; i++)
		history_name_thread(&story->history, 11 + i, names[i]);
	const char *lock = "main;take;__pthread_mutex_lock";
	const char *held = "[futex held by worker-1]", *a = "0x7f00a000 held by 11";
	/* worker-1 holds the lock for 100 ms: half of it computes, half of it writes. */
	was_in(story, 11, 50, 50, "main;hold;compute", NULL, NULL);
	was_in(story, 12, 60, 60, lock, held, a);
	was_seen(story, 12, 50);
	was_in(story, 14, 100, 100, "main;__read", "[read pipe]", "fd 5 -> pipe:[77]");
	was_in(story, 11, 100, 50, "main;hold;__write", "[write file]",
		"fd 4 -> /var/log/x");
	was_in(story, 12, 100, 40, lock, held, a);
	was_in(story, 13, 100, 40, lock, held, a);
	was_in(story, 15, 100, 100, "main;poll;__epoll_wait", "[epoll_wait]", "fd 7");
	was_in(story, 16, 100, 100, "main;poll;__epoll_wait", "[epoll_wait]", "fd 7");
	was_in(story, 17, 100, 100, "main;__nanosleep", "[nanosleep]", "");
	/* The lock goes to worker-2, and worker-3 sleeps on. */
	was_in(story, 13, 130, 30, lock, "[futex held by worker-2]",
		"0x7f00a000 held by 12");
	was_in(story, 12, 130, 30, "main;hold;compute", NULL, NULL);
	make_report(story, wall);
}

static void assert_part(const struct lock_parts *parts, size_t i, uint64_t id,
	const char *name, unsigned ms)
{
	assert_true(i < parts->len);
	assert_int_equal(parts->data[i].ns, ms * MS);
	if (name)
		assert_string_equal(parts->data[i].name, name);
	if (id)
		assert_int_equal(parts->data[i].id, id);
}

static void test_who_held_it(void **unused)
{
	(void)unused;
	struct story story;
	struct locks locks;
	tell(&story, true);
	locks_build(&locks, story.report);
	assert_true(locks.has_moments);
	assert_int_equal(locks.list.len, 4); /* the nanosleep is for nothing */
	assert_int_equal(locks.ns, (170 + 200 + 100 + 50) * MS);

	const struct lock *mutex = &locks.list.data[0]; /* held, so first */
	assert_int_equal(mutex->kind, WAIT_MUTEX);
	assert_string_equal(mutex->object, "0x7f00a000");
	assert_int_equal(mutex->ns, 170 * MS);
	assert_int_equal(mutex->waiters.len, 2);
	assert_part(&mutex->waiters, 0, 12, "worker-2", 100);
	assert_part(&mutex->waiters, 1, 13, "worker-3", 70);
	assert_int_equal(mutex->holders.len, 2);
	assert_part(&mutex->holders, 0, 11, "worker-1", 140);
	assert_part(&mutex->holders, 1, 12, "worker-2", 30);
	assert_int_equal(mutex->codes.len, 1);
	assert_string_equal(
		profile_function(story.report->profile, (uint32_t)mutex->codes.data[0].id)
			->name,
		"take");
	/* worker-2 waited for 50 ms of computing and 50 of writing, worker-3 for 40 of writing
	   and, when worker-2 had the lock, for 30 of computing. */
	char text[256];
	struct stack_frames frames = {0};
	assert_int_equal(mutex->stacks.len, 2);
	assert_part(&mutex->stacks, 0, 0, NULL, 90);
	assert_part(&mutex->stacks, 1, 0, NULL, 80);
	locks_say_stack(story.report, (uint32_t)mutex->stacks.data[0].id, &frames, text,
		sizeof(text));
	assert_string_equal(text, "[write file] in hold < main");
	locks_say_stack(story.report, (uint32_t)mutex->stacks.data[1].id, &frames, text,
		sizeof(text));
	assert_string_equal(text, "compute < hold < main");
	locks_say_stack(
		story.report, (uint32_t)mutex->stacks.data[1].id, &frames, text, 10);
	assert_string_equal(text, "compute <");
	vec_free(&frames);

	const struct lock *events = &locks.list.data[1];
	assert_int_equal(events->kind, WAIT_EVENTS);
	assert_string_equal(events->object, "fd 7");
	assert_int_equal(events->waiters.len, 2); /* a pool */
	assert_int_equal(events->holders.len, 0);
	assert_int_equal(locks.list.data[2].kind, WAIT_PIPE);
	assert_string_equal(locks.list.data[2].object, "pipe:[77]");
	assert_int_equal(locks.list.data[3].kind, WAIT_OTHER);
	locks_finish(&locks);
	end(&story);
}

/* A lock whose holder is known comes before another object that is waited for longer, but not
   if it is waited for less than a hundredth of the time. */
static void test_order(void **unused)
{
	(void)unused;
	static const struct {
		unsigned held_ms;
		bool is_first;
	} cases[] = {{2, true}, {1, false}};
	for (size_t i = 0; i < 2; i++) {
		struct story story;
		struct locks locks;
		begin(&story);
		was_in(&story, 11, 120, 120, "main;wait;__futex", "[futex]",
			"0x7f00b000");
		was_in(&story, 12, 120, cases[i].held_ms,
			"main;take;__pthread_mutex_lock", "[futex held by main]",
			"0x7f00a000 held by 11");
		make_report(&story, true);
		locks_build(&locks, story.report);
		assert_int_equal(locks.list.len, 2);
		assert_int_equal(
			locks.list.data[0].kind == WAIT_MUTEX, cases[i].is_first);
		locks_finish(&locks);
		end(&story);
	}
}

static void test_names_of_waits(void **unused)
{
	(void)unused;
	struct wait_name wait;
	assert_true(wait_name_of("[futex held by a held by b]", "0x10 held by 7", &wait));
	assert_string_equal(wait.holder_name, "a held by b");
	assert_int_equal(wait.holder, 7);
	assert_string_equal(wait.object, "0x10");
	assert_true(
		wait_name_of("[flock file held by cron]", "fd 3 -> /x held by 9", &wait));
	assert_int_equal(wait.kind, WAIT_FILE_LOCK);
	assert_string_equal(wait.object, "/x");
	assert_true(wait_name_of("[futex]", "", &wait)); /* of a file without labels */
	assert_int_equal(wait.kind, WAIT_FUTEX);
	assert_true(wait_name_of("[recvfrom socket]", "fd 3 -> socket:[1]", &wait));
	assert_int_equal(wait.kind, WAIT_SOCKET);
	assert_false(wait_name_of("[nanosleep]", "", &wait));
	assert_false(wait_name_of("[page fault]", "", &wait));
	assert_false(wait_name_of("[waiting for a CPU]", "", &wait));
	assert_false(wait_name_of("[", "", &wait));
	assert_false(wait_name_of("main", "", &wait));
}

/* --- how it is shown ------------------------------------------------------------------ */

static void test_report_of_locks(void **unused)
{
	(void)unused;
	struct story story;
	char *text = NULL;
	size_t size;
	tell(&story, true);
	FILE *out = open_memstream(&text, &size);
	contention_write(story.report, 1, out);
	fclose(out);
	assert_string_equal(text,
		"Waited:   520ms for 4 objects\n"
		"\n"
		"    170ms  32.69%  mutex 0x7f00a000, 2 waiting\n"
		"  held by      82.35%     140ms  worker-1 (11)\n"
		"               17.65%    30.0ms  worker-2 (12)\n"
		"  holder in    52.94%    90.0ms  [write file] in hold < main\n"
		"               47.06%    80.0ms  compute < hold < main\n"
		"  waits in    100.00%     170ms  take\n"
		"  waiting      58.82%     100ms  worker-2 (12)\n"
		"               41.18%    70.0ms  worker-3 (13)\n");
	free(text);
	end(&story);
	tell(&story, false);
	out = open_memstream(&text, &size);
	contention_write(story.report, 1, out);
	fclose(out);
	assert_non_null(strstr(text, "-m wall"));
	free(text);
	end(&story);
}

struct shown {
	struct story story;
	struct view_state state;
	void *data;
	struct grid grid;
};

static void show(struct shown *shown, int rows, int columns, bool ascii)
{
	tell(&shown->story, true);
	shown->data = calloc(1, view_locks.data_size);
	view_state_init(&shown->state);
	shown->state.rows = rows;
	shown->state.columns = columns;
	shown->state.request = shown->story.report->request;
	grid_init(&shown->grid, rows, columns, ascii);
}

static void draw(struct shown *shown)
{
	grid_resize(&shown->grid, shown->state.rows, shown->state.columns);
	view_locks.prepare(shown->data, &shown->state, shown->story.report);
	view_locks.draw(shown->data, &shown->state, shown->story.report, &shown->grid);
}

static void hide(struct shown *shown)
{
	view_locks.finish(shown->data);
	free(shown->data);
	grid_finish(&shown->grid);
	view_state_finish(&shown->state);
	end(&shown->story);
}

static void test_screens(void **unused)
{
	(void)unused;
	static const int sizes[][2] = {{24, 80}, {40, 120}, {50, 200}, {10, 40}, {6, 40}};
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(*sizes); i++) {
		struct shown shown;
		char name[64];
		int rows = sizes[i / 2][0], columns = sizes[i / 2][1];
		show(&shown, rows, columns, i % 2);
		draw(&shown);
		snprintf(name, sizeof(name), "locks-story-%dx%d%s", columns, rows,
			i % 2 ? "-ascii" : "");
		golden_check(name, &shown.grid);
		hide(&shown);
	}
}

static void test_keys(void **unused)
{
	(void)unused;
	struct shown shown;
	char text[256] = "";
	show(&shown, 24, 80, false);
	draw(&shown);
	const struct report *report = shown.story.report;
	view_locks.status(shown.data, &shown.state, report, text, sizeof(text));
	assert_non_null(strstr(text, "held by worker-1"));
	assert_int_equal(shown.state.tid, 11); /* the holder, for keys about threads */
	/* Enter shows the code that waits in the flame graph. */
	assert_true(view_locks.act(shown.data, &shown.state, report, ACTION_ZOOM));
	assert_string_equal(shown.state.go_to, "flame");
	assert_string_equal(
		profile_function(report->profile, shown.state.reveal)->name, "take");
	/* A click chooses another object; what is below is no row. */
	assert_true(
		view_locks.click(shown.data, &shown.state, report, 3, 5, CLICK_SELECT));
	draw(&shown);
	view_locks.status(shown.data, &shown.state, report, text, sizeof(text));
	assert_non_null(strstr(text, "pipe:[77]"));
	assert_false(
		view_locks.click(shown.data, &shown.state, report, 12, 5, CLICK_SELECT));
	assert_true(view_locks.act(shown.data, &shown.state, report, ACTION_FIRST));
	/* At each size there is a cursor. */
	for (int rows = 2; rows < 30; rows++) {
		bool found = false;
		shown.state.rows = rows;
		draw(&shown);
		for (int row = 0; row < rows; row++)
			found |=
				grid_cell(&shown.grid, row, 0)->style.role == ROLE_CURSOR;
		assert_true(found);
		view_locks.act(shown.data, &shown.state, report, ACTION_DOWN);
	}
	hide(&shown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_held_it),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_names_of_waits),
		cmocka_unit_test(test_report_of_locks),
		cmocka_unit_test(test_screens),
		cmocka_unit_test(test_keys),
	};
	setlocale(LC_ALL, "C.UTF-8");
	return unit_run(tests);
}
