/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads view: which threads use the CPU, and in which functions. */
#include "ui/draw/format.h"
#include "ui/threads/thread-rows.h"
#include "ui/threads/thread-tags.h"
#include "ui/threads/threads-draw.h"
#include "ui/view/notice.h"
#include "ui/view/seen.h"
#include "ui/view/view.h"
#include "ui/widget/list.h"

#include <stdio.h>
#include <string.h>

struct threads_view {
	struct thread_rows rows;
	struct list list;
	struct columns columns;
	enum thread_order order;
	bool reversed;
	bool moved;		      /* else the cursor stays on the first row */
	bool stale;		      /* the rows must be rebuilt */
	char selected[POOL_NAME_MAX]; /* under the cursor: a pool's name, */
	uint64_t selected_family;     /* and processes, if there are several, */
	pid_t selected_tid;	      /* or 0 and a thread's tid */
	struct thread_tags tags;
	VEC(struct open_pool { char name[POOL_NAME_MAX]; }) open;

	/* What the rows were made of. */
	struct seen seen;
	bool pools;
	bool is_many; /* there were so many that they were put into pools */
};

static size_t page_of(const struct view_state *state)
{
	return state->rows > 1 ? (size_t)state->rows - 1 : 1;
}

static const struct thread_row *row_at_cursor(const struct threads_view *view)
{
	return view->list.cursor < view->rows.rows.len
		       ? &view->rows.rows.data[view->list.cursor]
		       : NULL;
}

static bool is_selected(const struct threads_view *view, const struct thread_row *row)
{
	if (row->members > 0)
		return view->selected_tid == 0 && row->family == view->selected_family &&
		       strcmp(row->name, view->selected) == 0;
	return row->tid == view->selected_tid;
}

static void remember_cursor(struct threads_view *view, struct view_state *state)
{
	const struct thread_row *row = row_at_cursor(view);

	view->selected_tid = row && row->members == 0 ? row->tid : 0;
	view->selected_family = row ? row->family : 0;
	snprintf(view->selected, sizeof(view->selected), "%s", row ? row->name : "");
	state->tid = view->selected_tid;
	state->function = row ? row->top_function : PROFILE_NONE;
}

static void threads_prepare(
	void *data, struct view_state *state, const struct report *report)
{
	enum {
		MANY = 100
	};
	struct threads_view *view = data;

	if (report->n_threads >= MANY && !view->is_many)
		view->is_many = state->pools = true; /* T takes them apart */
	if (seen_change(&view->seen, report) || view->stale ||
		view->pools != state->pools) {
		view->pools = state->pools;
		view->stale = false;
		thread_rows_build(&view->rows, report, view->order, view->reversed,
			state->pools, (const char(*)[POOL_NAME_MAX])view->open.data,
			view->open.len);
		if (!view->moved)
			view->list.cursor = 0;
		for (size_t i = 0;
			view->moved && state->follow && i < view->rows.rows.len; i++) {
			if (is_selected(view, &view->rows.rows.data[i])) {
				view->list.cursor = i;
				break;
			}
		}
	}
	list_reveal(&view->list, view->rows.rows.len, page_of(state));
	columns_fit(
		&view->columns, threads_columns(report), THREADS_COLUMNS, state->columns);
	remember_cursor(view, state);
}

static void threads_finish(void *data)
{
	struct threads_view *view = data;

	thread_rows_finish(&view->rows);
	thread_tags_finish(&view->tags);
	vec_free(&view->open);
}

/* --- drawing ------------------------------------------------------------------------ */

static enum thread_tag tag_of(const struct threads_view *view,
	const struct view_state *state, const struct thread_row *thread)
{
	if (thread->members > 0)
		return THREAD_UNTAGGED;
	if (thread_tags_has(&view->tags, thread))
		return THREAD_TAGGED;
	return thread_is_chosen(&state->request, thread) ? THREAD_CHOSEN
							 : THREAD_UNTAGGED;
}

static void draw_row(const struct threads_view *view, const struct view_state *state,
	const struct report *report, struct grid *grid, int row, size_t index)
{
	const struct thread_row *thread = &view->rows.rows.data[index];

	threads_draw_row(&view->columns, grid, row, thread, tag_of(view, state, thread),
		&state->search, report);
	if (index == view->list.cursor)
		grid_restyle(grid, row, 0, 1, grid->columns, STYLE(ROLE_CURSOR));
}

static void threads_draw(const void *data, const struct view_state *state,
	const struct report *report, struct grid *grid)
{
	const struct threads_view *view = data;
	size_t count = view->rows.rows.len, below = view->list.top + page_of(state);
	bool texts = view->order == THREADS_BY_NAME || view->order == THREADS_BY_STATE ||
		     view->order == THREADS_BY_FUNCTION ||
		     view->order == THREADS_BY_TID || view->order == THREADS_BY_PID;
	int row = 1;

	columns_draw_titles(
		&view->columns, grid, 0, (int)view->order, texts != view->reversed);
	if (count == 0) {
		const char *const lines[] = {"No threads are known yet.", NULL};
		notice_draw(grid, 1, lines);
		return;
	}
	for (size_t i = view->list.top; i < count && row < grid->rows; i++)
		draw_row(view, state, report, grid, row++, i);
	if (count > below)
		notice_draw_more(grid, grid->rows - 1,
			view->columns.width[THREADS_FUNCTION]
				? view->columns.at[THREADS_FUNCTION]
				: grid->columns,
			GLYPH_DOWN, count - below, "more");
}

/* --- what it does ------------------------------------------------------------------- */

/* Restrict all views to the tagged threads, or to the row under the cursor; if they are
   restricted to these already, show all threads. */
static void choose(
	struct threads_view *view, struct view_state *state, const struct report *report)
{
	const struct thread_row *row = row_at_cursor(view);
	size_t count;

	if (!row)
		return;
	if (view->tags.tids.len == 0)
		thread_tags_set(&view->tags, report, row, true);
	count = view->tags.tids.len;
	if (!thread_tags_choose(&view->tags, &state->request))
		view_say(state, "Only the first %d of %zu threads are shown.",
			REPORT_TIDS_MAX, count);
}

static void open_pool(struct threads_view *view, bool open)
{
	const struct thread_row *row = row_at_cursor(view);
	struct open_pool pool;

	if (!row)
		return;
	if (row->members == 0 && row->is_member && !open) { /* move to its pool */
		while (view->list.cursor > 0 && row->is_member)
			row = &view->rows.rows.data[--view->list.cursor];
	}
	if (row->members == 0 || row->is_open == open)
		return;
	memcpy(pool.name, row->name, sizeof(pool.name));
	for (size_t i = 0; i < view->open.len; i++) {
		if (strcmp(view->open.data[i].name, pool.name) == 0)
			view->open.data[i--] = view->open.data[--view->open.len];
	}
	if (open)
		vec_push(&view->open, pool);
	view->stale = true;
}

static enum thread_order orders_of(const struct report *report)
{
	return report && report->several ? THREAD_ORDERS : THREADS_BY_PID;
}

static void sort_by(struct threads_view *view, enum thread_order order, bool reversed)
{
	view->order = order;
	view->reversed = reversed;
	view->stale = true;
}

static bool threads_act(void *data, struct view_state *state, const struct report *report,
	enum action action)
{
	struct threads_view *view = data;
	const struct thread_row *row = row_at_cursor(view);

	if (list_move(&view->list, action, view->rows.rows.len, page_of(state))) {
		view->moved = action != ACTION_FIRST;
		remember_cursor(view, state);
		return true;
	}
	switch (action) {
	case ACTION_LEFT:
	case ACTION_RIGHT:
		open_pool(view, action == ACTION_RIGHT);
		view->moved = true;
		remember_cursor(view, state);
		return true;
	case ACTION_SORT_NEXT:
	case ACTION_SORT_PREVIOUS: {
		enum thread_order n = orders_of(report);
		enum thread_order by = action == ACTION_SORT_NEXT ? 1 : n - 1;
		sort_by(view, (view->order + by) % n, false);
		return true;
	}
	case ACTION_SORT_REVERSE:
		sort_by(view, view->order, !view->reversed);
		return true;
	case ACTION_TAG:
		if (row)
			thread_tags_set(&view->tags, report, row,
				!thread_tags_has(&view->tags, row));
		list_move(&view->list, ACTION_DOWN, view->rows.rows.len, page_of(state));
		view->moved = true;
		remember_cursor(view, state);
		return true;
	case ACTION_ZOOM:
		choose(view, state, report);
		return true;
	default:
		return false;
	}
}

static bool threads_click(void *data, struct view_state *state,
	const struct report *report, int row, int column, enum view_click click)
{
	struct threads_view *view = data;

	if (row == 0) {
		int index = columns_at(&view->columns, column);
		if (index < 0 || view->columns.columns[index].sort < 0)
			return false;
		enum thread_order order =
			(enum thread_order)view->columns.columns[index].sort;
		sort_by(view, order, view->order == order && !view->reversed);
		return true;
	}
	if (view->list.top + (size_t)row - 1 >= view->rows.rows.len)
		return false;
	view->list.cursor = view->list.top + (size_t)row - 1;
	view->moved = true;
	remember_cursor(view, state);
	if (click == CLICK_ZOOM)
		choose(view, state, report);
	else if (column == view->columns.at[THREADS_NAME]) /* on the triangle */
		open_pool(view, !row_at_cursor(view)->is_open);
	return true;
}

static uint32_t function_of(const void *context, size_t row)
{
	const struct threads_view *view = context;

	return view->rows.rows.data[row].top_function;
}

/* A search finds threads by the function in which they spend most time. */
static bool threads_find(void *data, struct view_state *state,
	const struct report *report, enum view_find from)
{
	struct threads_view *view = data;
	size_t count = view->rows.rows.len;

	(void)report;
	if (!view_find_row(state, from, &view->list.cursor, count, function_of, view))
		return false;
	view->moved = true;
	list_reveal(&view->list, count, page_of(state));
	remember_cursor(view, state);
	return true;
}

static void threads_status(const void *data, const struct view_state *state,
	const struct report *report, char *text, size_t size)
{
	const struct threads_view *view = data;
	const struct thread_row *row = row_at_cursor(view);

	(void)state;
	if (!row)
		return;
	char tagged[32] = "", tid[16] = "";
	if (view->tags.tids.len > 0)
		snprintf(tagged, sizeof(tagged), "; %zu chosen", view->tags.tids.len);
	if (row->members == 0 && row->tid > 0)
		snprintf(tid, sizeof(tid), " %d", (int)row->tid);
	uint64_t known = row->on_cpu_ns + row->runq_ns + row->blocked_ns;
	char times[160] = "";
	if (known > 0)
		snprintf(times, sizeof(times),
			"; %s on a CPU, %s waiting for one, %s blocked",
			format_percent(row->on_cpu_ns, known).text,
			format_percent(row->runq_ns, known).text,
			format_percent(row->blocked_ns, known).text);
	/* Shares are of what is counted: of wall clock, where all threads have the same. */
	enum metric metric = view_metric(report);
	const char *what = report->origin	  ? report_value_name(report)
			   : report->request.wall ? "wall"
						  : "CPU";
	const char *name = row->title ? row->title : row->name;
	snprintf(text, size, "%s%s  %s %s, %s of all%s%s; %zu thread%s%s", name, tid,
		what, view_value(report, &row->weight).text,
		format_percent(metric_of(metric, &row->weight),
			metric_of(metric, &report->everything))
			.text,
		times, row->is_outside ? "; not chosen" : "", report->n_threads,
		report->n_threads == 1 ? "" : "s", tagged);
}

static const struct view_key threads_keys[] = {
	{ACTION_ZOOM, "Only it",
		"only this thread, or those that are chosen; again: all"},
	{ACTION_POOLS, "Group", NULL},
	{ACTION_TAG, "Choose", NULL},
	{ACTION_PROCESSES, "Processes", NULL},
	{ACTION_SORT_NEXT, "Sort", NULL},
	{ACTION_NONE, NULL, NULL},
};

const struct view_ops view_threads = {
	.name = "threads",
	.title = "Threads",
	.data_size = sizeof(struct threads_view),
	.thread_states = true,
	.finish = threads_finish,
	.prepare = threads_prepare,
	.draw = threads_draw,
	.act = threads_act,
	.click = threads_click,
	.find = threads_find,
	.status = threads_status,
	.keys = threads_keys,
};
