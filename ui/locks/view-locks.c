/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The locks view: what threads wait for, one object a row, and below all that is known of
   the one under the cursor. */
#include "src/count/locks/locks.h"
#include "ui/draw/columns.h"
#include "ui/draw/elide.h"
#include "ui/draw/format.h"
#include "ui/locks/lock-details.h"
#include "ui/view/notice.h"
#include "ui/view/seen.h"
#include "ui/view/view.h"
#include "ui/widget/list.h"

#include <stdio.h>
#include <string.h>

enum {
	DETAILS_FROM_ROWS = 9, /* a lower view shows the list only */
	LIST_LEAST = 4,	       /* rows of the list beside the details */
};

enum locks_column {
	LOCKS_SHARE,
	LOCKS_BAR,
	LOCKS_TIME,
	LOCKS_WAITERS,
	LOCKS_KIND,
	LOCKS_OBJECT,
	LOCKS_HOLDER,
	LOCKS_CODE,
	LOCKS_COLUMNS
};

static const struct column table[LOCKS_COLUMNS] = {
	[LOCKS_SHARE] = {"Waited", 7, 0, 0, -1, ALIGN_RIGHT},
	[LOCKS_BAR] = {"", 8, 20, 7, -1, ALIGN_LEFT},
	[LOCKS_TIME] = {"Time", FORMAT_SECONDS_WIDTH, 0, 5, -1, ALIGN_RIGHT},
	[LOCKS_WAITERS] = {"Threads", 7, 0, 6, -1, ALIGN_RIGHT},
	[LOCKS_KIND] = {"Kind", 9, 0, 1, -1, ALIGN_LEFT},
	[LOCKS_OBJECT] = {"Object", 14, 40, 3, -1, ALIGN_LEFT},
	[LOCKS_HOLDER] = {"Held by", 19, 28, 0, -1, ALIGN_LEFT},
	[LOCKS_CODE] = {"Waits in", 16, 80, 2, -1, ALIGN_LEFT},
};

struct locks_view {
	struct locks locks;
	struct seen seen;
	struct list list;
	struct columns columns;
	bool moved; /* the cursor follows its object, and not the first row */
	/* the object under the cursor */
	char call[WAITING_MAX], object[WAITING_MAX];
};

/* --- rows --------------------------------------------------------------------------- */

/* Of the view, without the headings. */
static size_t page_of(const struct locks_view *view, const struct view_state *state)
{
	size_t rows = state->rows > 1 ? (size_t)state->rows - 1 : 1;
	if (state->rows < DETAILS_FROM_ROWS || view->locks.list.len == 0)
		return rows;
	size_t half = rows / 2 > LIST_LEAST ? rows / 2 : LIST_LEAST;
	return view->locks.list.len < half ? view->locks.list.len : half;
}

static const struct lock *lock_at_cursor(const struct locks_view *view)
{
	return view->list.cursor < view->locks.list.len
		       ? &view->locks.list.data[view->list.cursor]
		       : NULL;
}

/* The code that waits is the function that other views and keys go on with. */
static void remember_cursor(struct locks_view *view, struct view_state *state)
{
	const struct lock *lock = lock_at_cursor(view);
	snprintf(view->call, sizeof(view->call), "%s", lock ? lock->call : "");
	snprintf(view->object, sizeof(view->object), "%s", lock ? lock->object : "");
	state->function =
		lock && lock->codes.len ? (uint32_t)lock->codes.data[0].id : PROFILE_NONE;
	state->tid = lock && lock->holders.len ? (pid_t)lock->holders.data[0].id : 0;
}

static void follow_object(struct locks_view *view)
{
	if (!view->moved) {
		view->list.cursor = 0;
		return;
	}
	for (size_t i = 0; i < view->locks.list.len; i++) {
		const struct lock *lock = &view->locks.list.data[i];
		if (strcmp(lock->call, view->call) == 0 &&
			strcmp(lock->object, view->object) == 0)
			view->list.cursor = i;
	}
}

static void locks_prepare(
	void *data, struct view_state *state, const struct report *report)
{
	struct locks_view *view = data;

	if (seen_change(&view->seen, report)) {
		locks_finish(&view->locks);
		locks_build(&view->locks, report);
		follow_object(view);
	}
	list_reveal(&view->list, view->locks.list.len, page_of(view, state));
	columns_fit(&view->columns, table, LOCKS_COLUMNS, state->columns);
	remember_cursor(view, state);
}

static void locks_rename(void *data, const struct renamed *renamed)
{
	struct locks_view *view = data;

	(void)renamed;
	view->seen = (struct seen){0}; /* its functions have other ids: built anew */
}

static void locks_view_finish(void *data)
{
	struct locks_view *view = data;

	locks_finish(&view->locks);
}

/* --- drawing ------------------------------------------------------------------------ */

/* "worker-3 62.0%"; of several the one that held it longest. */
static void put_holder(const struct locks_view *view, struct grid *grid, int row,
	const struct lock *lock)
{
	char text[WAITING_MAX + 64];
	if (lock->holders.len == 0)
		return;
	const struct lock_part *part = &lock->holders.data[0];
	snprintf(text, sizeof(text), "%s %s", part->name[0] ? part->name : "?",
		format_percent(part->ns, lock->ns).text);
	columns_put(&view->columns, grid, row, LOCKS_HOLDER, STYLE(ROLE_VALUE), text);
}

static void put_code(const struct locks_view *view, const struct view_state *state,
	const struct report *report, struct grid *grid, int row, const struct lock *lock)
{
	char text[ELIDE_MAX];
	int width = view->columns.width[LOCKS_CODE];
	if (lock->codes.len == 0 || width == 0)
		return;
	uint32_t function = (uint32_t)lock->codes.data[0].id;
	elide_name(text, sizeof(text), profile_function(report->profile, function)->name,
		width, grid_glyph(grid, GLYPH_ELLIPSIS));
	grid_put(grid, row, view->columns.at[LOCKS_CODE],
		STYLE(search_hit(&state->search, function) ? ROLE_MATCH : ROLE_NORMAL),
		text);
}

static void draw_row(const struct locks_view *view, const struct view_state *state,
	const struct report *report, struct grid *grid, int row, size_t index)
{
	const struct lock *lock = &view->locks.list.data[index];
	struct weight weight = {.cpu_ns = lock->ns, .wall_ns = lock->ns};
	char waiters[32];

	snprintf(waiters, sizeof(waiters), "%zu", lock->waiters.len);
	columns_put(&view->columns, grid, row, LOCKS_SHARE, STYLE(ROLE_NORMAL),
		format_percent(lock->ns, view->locks.ns).text);
	if (view->columns.width[LOCKS_BAR] > 0 && view->locks.ns > 0)
		grid_bar(grid, row, view->columns.at[LOCKS_BAR],
			view->columns.width[LOCKS_BAR],
			(double)lock->ns / (double)view->locks.ns, STYLE(ROLE_BAR));
	columns_put(&view->columns, grid, row, LOCKS_TIME, STYLE(ROLE_NORMAL),
		view_value(report, &weight).text);
	columns_put(
		&view->columns, grid, row, LOCKS_WAITERS, STYLE(ROLE_NORMAL), waiters);
	columns_put(&view->columns, grid, row, LOCKS_KIND,
		STYLE(lock->holders.len ? ROLE_WARN : ROLE_NORMAL),
		wait_kind_names[lock->kind]);
	columns_put(
		&view->columns, grid, row, LOCKS_OBJECT, STYLE(ROLE_DIM), lock->object);
	put_holder(view, grid, row, lock);
	put_code(view, state, report, grid, row, lock);
	if (index == view->list.cursor)
		grid_restyle(grid, row, 0, 1, grid->columns, STYLE(ROLE_CURSOR));
}

static void draw_nothing(const struct report *report, struct grid *grid)
{
	static const char *const nobody[] = {
		"No thread waited for a lock, a pipe, a socket or events.", NULL};
	static const char *const cpu_only[] = {
		"Waiting is not counted now.", "Press m to count it, too.", NULL};
	notice_draw(grid, 1, report->request.wall || report->origin ? nobody : cpu_only);
}

static void locks_draw(const void *data, const struct view_state *state,
	const struct report *report, struct grid *grid)
{
	const struct locks_view *view = data;
	size_t count = view->locks.list.len, page = page_of(view, state);
	size_t below = view->list.top + page;
	const struct lock *lock = lock_at_cursor(view);

	columns_draw_titles(&view->columns, grid, 0, -1, false);
	if (count == 0) {
		draw_nothing(report, grid);
		return;
	}
	for (size_t i = 0; i < page && view->list.top + i < count; i++)
		draw_row(view, state, report, grid, 1 + (int)i, view->list.top + i);
	if (count > below)
		notice_draw_more(grid, (int)page, grid->columns, GLYPH_DOWN,
			count - below, "more");
	if (lock && state->rows >= DETAILS_FROM_ROWS) {
		struct grid part = grid_part(grid, (int)page + 1, 0,
			grid->rows - (int)page - 1, grid->columns);
		lock_details_draw(lock, &view->locks, report, &part);
	}
}

/* --- what it does ------------------------------------------------------------------- */

static bool locks_act(void *data, struct view_state *state, const struct report *report,
	enum action action)
{
	struct locks_view *view = data;
	size_t count = view->locks.list.len;

	(void)report;
	if (list_move(&view->list, action, count, page_of(view, state))) {
		view->moved = action != ACTION_FIRST;
		remember_cursor(view, state);
		return true;
	}
	if (action != ACTION_ZOOM)
		return false;
	if (state->function == PROFILE_NONE) {
		view_say(state, "It is not known which code waits here.");
		return true;
	}
	state->reveal = state->function;
	state->go_to = "flame";
	return true;
}

static bool locks_click(void *data, struct view_state *state, const struct report *report,
	int row, int column, enum view_click click)
{
	struct locks_view *view = data;
	size_t index = view->list.top + (size_t)(row > 0 ? row - 1 : 0);

	(void)column;
	if (row < 1 || (size_t)row > page_of(view, state) ||
		index >= view->locks.list.len)
		return false;
	view->list.cursor = index;
	view->moved = true;
	remember_cursor(view, state);
	if (click == CLICK_ZOOM)
		return locks_act(data, state, report, ACTION_ZOOM);
	return true;
}

static uint32_t function_of(const void *context, size_t row)
{
	const struct locks_view *view = context;
	const struct lock *lock = &view->locks.list.data[row];

	return lock->codes.len > 0 ? (uint32_t)lock->codes.data[0].id : PROFILE_NONE;
}

/* A search finds locks by the code that waits for them. */
static bool locks_find(void *data, struct view_state *state, const struct report *report,
	enum view_find from)
{
	struct locks_view *view = data;
	size_t count = view->locks.list.len;

	(void)report;
	if (!view_find_row(state, from, &view->list.cursor, count, function_of, view))
		return false;
	view->moved = true;
	list_reveal(&view->list, count, page_of(view, state));
	remember_cursor(view, state);
	return true;
}

static void locks_status(const void *data, const struct view_state *state,
	const struct report *report, char *text, size_t size)
{
	const struct locks_view *view = data;
	const struct lock *lock = lock_at_cursor(view);

	(void)state;
	(void)report;
	if (!lock)
		return;
	snprintf(text, size, "%s %s %s  %zu waiting%s%s; %zu objects", lock->call,
		wait_kind_names[lock->kind], lock->object, lock->waiters.len,
		lock->holders.len ? ", held by " : "",
		lock->holders.len ? lock->holders.data[0].name : "",
		view->locks.list.len);
}

static const struct view_key locks_keys[] = {
	{ACTION_ZOOM, "Flame", "show the code that waits in the flame graph"},
	{ACTION_DETAIL, "Callers", "who calls the code that waits"},
	{ACTION_NONE, NULL, NULL},
};

const struct view_ops view_locks = {
	.name = "locks",
	.title = "Locks",
	.data_size = sizeof(struct locks_view),
	.moments = true,
	.finish = locks_view_finish,
	.prepare = locks_prepare,
	.rename = locks_rename,
	.draw = locks_draw,
	.act = locks_act,
	.click = locks_click,
	.find = locks_find,
	.status = locks_status,
	.keys = locks_keys,
};
