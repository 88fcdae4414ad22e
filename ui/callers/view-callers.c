/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The callers view: one function, who calls it, and what it calls. */
#include "ui/callers/callers-draw.h"
#include "ui/callers/callers-rows.h"
#include "ui/draw/columns.h"
#include "ui/draw/elide.h"
#include "ui/draw/format.h"
#include "ui/view/notice.h"
#include "ui/view/seen.h"
#include "ui/view/view.h"
#include "ui/widget/list.h"

#include <stdio.h>
#include <string.h>

struct callers_view {
	VEC(uint32_t)
	trail; /* the functions that one has gone through; the last is shown */
	struct callers_rows rows;
	struct list list;
	struct columns columns;
	int left; /* columns that names are scrolled by */

	/* What the rows were made of. */
	struct seen seen;
	uint32_t made_of;
	bool is_made;
};

/* --- rows --------------------------------------------------------------------------- */

static size_t page_of(const struct view_state *state)
{
	return state->rows > 1 ? (size_t)state->rows - 1
			       : 1; /* one is for the headings */
}

static const struct callers_row *row_at_cursor(const struct callers_view *view)
{
	return view->list.cursor < view->rows.len ? &view->rows.data[view->list.cursor]
						  : NULL;
}

static void remember_cursor(struct callers_view *view, struct view_state *state)
{
	const struct callers_row *row = row_at_cursor(view);
	state->function = row ? row->function : PROFILE_NONE;
}

/* With the next report the cursor stays on its caller or callee, if that is still one. */
static void rebuild(
	struct callers_view *view, const struct report *report, uint32_t function)
{
	const struct callers_row *row = row_at_cursor(view);
	bool is_same = view->is_made && function == view->made_of && row != NULL;
	struct callers_row was = is_same ? *row : (struct callers_row){0};
	size_t offset = view->list.cursor - view->list.top;

	callers_rows_build(&view->rows, report, function);
	view->made_of = function;
	view->is_made = true;
	view->list.cursor = 0;
	for (size_t i = 0; is_same && i < view->rows.len; i++)
		if (view->rows.data[i].kind == was.kind &&
			view->rows.data[i].function == was.function &&
			view->rows.data[i].key == was.key)
			view->list.cursor = i;
	view->list.top = view->list.cursor > offset ? view->list.cursor - offset : 0;
}

static void callers_prepare(
	void *data, struct view_state *state, const struct report *report)
{
	struct callers_view *view = data;
	bool new_report = seen_change(&view->seen, report);

	if (state->reveal == PROFILE_NONE && view->trail.len == 0 &&
		report->n_functions > 0)
		state->reveal = report->functions[0].function;
	bool is_same = view->trail.len > 0 && view->trail.data[0] == state->reveal;
	if (state->reveal != PROFILE_NONE && !is_same) {
		view->trail.len = 0;
		vec_push(&view->trail, state->reveal);
	}
	state->reveal = PROFILE_NONE;
	uint32_t function = view->trail.len > 0 ? view->trail.data[view->trail.len - 1]
						: PROFILE_NONE;
	if (function == PROFILE_NONE)
		view->rows.len = 0;
	else if (new_report || !view->is_made || function != view->made_of)
		rebuild(view, report, function);
	list_reveal(&view->list, view->rows.len, page_of(state));
	columns_fit(&view->columns, callers_columns, CALLERS_COLUMNS, state->columns);
	remember_cursor(view, state);
	state->tid = 0;
}

static void callers_rename(void *data, const struct renamed *renamed)
{
	struct callers_view *view = data;
	size_t kept = 0;

	for (size_t i = 0; i < view->trail.len; i++) {
		uint32_t function = renamed_function(renamed, view->trail.data[i]);
		if (function != PROFILE_NONE)
			view->trail.data[kept++] = function;
	}
	view->trail.len = kept;
	view->is_made = false;
	idmap_clear(&view->rows.flipped);
}

static void callers_finish(void *data)
{
	struct callers_view *view = data;

	callers_rows_finish(&view->rows);
	vec_free(&view->trail);
}

/* --- drawing ------------------------------------------------------------------------ */

static void callers_draw(const void *data, const struct view_state *state,
	const struct report *report, struct grid *grid)
{
	const struct callers_view *view = data;
	size_t count = view->rows.len, below = view->list.top + page_of(state);
	const struct callers_frame frame = {
		&view->columns, report, &state->search, &state->hues, view->left};
	int row = 1;

	columns_draw_titles(&view->columns, grid, 0, -1, false);
	if (notice_draw_empty(grid, row, report))
		return;
	for (size_t i = view->list.top; i < count && row < grid->rows; i++)
		callers_draw_row(
			&frame, &view->rows, grid, row++, i, i == view->list.cursor);
	if (count > below)
		notice_draw_more(grid, grid->rows - 1,
			view->columns.width[CALLERS_MODULE]
				? view->columns.at[CALLERS_MODULE]
				: grid->columns,
			GLYPH_DOWN, count - below, "more");
}

/* --- what it does ------------------------------------------------------------------- */

/* Go on to the caller or callee under the cursor. */
static void walk(struct callers_view *view, struct view_state *state)
{
	const struct callers_row *row = row_at_cursor(view);

	if (!row)
		return;
	if (row->kind == CALLERS_CALLER || row->kind == CALLERS_CALLEE)
		vec_push(&view->trail, row->function);
	else
		view_say(state, "Enter goes on from a caller or a callee.");
}

/* Open the caller under the cursor, or close it; what is closed is left for what it stands
   below. False if it is no caller. */
static bool open_row(struct callers_view *view, bool opens)
{
	const struct callers_row *row = row_at_cursor(view);

	if (!row || row->kind != CALLERS_CALLER || view->left > 0 ||
		(opens && !row->has_callers))
		return false;
	if (opens && row->is_open) {
		view->list.cursor++;
		return true;
	}
	if (opens || row->is_open) {
		callers_rows_flip(&view->rows, row);
		view->seen = (struct seen){0}; /* built anew */
		return true;
	}
	for (int depth = row->depth; view->list.cursor > 0 && row->depth >= depth;)
		row = &view->rows.data[--view->list.cursor];
	return true;
}

/* One step back; from the first one to the view in which this began. */
static bool step_back(struct callers_view *view, struct view_state *state)
{
	if (view->trail.len > 1) {
		view->trail.len--;
		return true;
	}
	return view_return(state);
}

static bool callers_act(void *data, struct view_state *state, const struct report *report,
	enum action action)
{
	struct callers_view *view = data;

	(void)report;
	if (list_move(&view->list, action, view->rows.len, page_of(state))) {
		remember_cursor(view, state);
		return true;
	}
	switch (action) {
	case ACTION_LEFT:
	case ACTION_RIGHT:
		if (!open_row(view, action == ACTION_RIGHT))
			list_scroll(&view->left, action);
		remember_cursor(view, state);
		return true;
	case ACTION_ZOOM:
		walk(view, state);
		return true;
	case ACTION_POP:
		return step_back(view, state);
	default:
		return false;
	}
}

static bool callers_click(void *data, struct view_state *state,
	const struct report *report, int row, int column, enum view_click click)
{
	struct callers_view *view = data;
	size_t index = view->list.top + (size_t)(row > 0 ? row - 1 : 0);

	(void)column;
	(void)report;
	if (row < 1 || index >= view->rows.len)
		return false;
	view->list.cursor = index;
	remember_cursor(view, state);
	if (click == CLICK_ZOOM)
		walk(view, state);
	return true;
}

static uint32_t function_of(const void *context, size_t index)
{
	const struct callers_view *view = context;
	const struct callers_row *row = &view->rows.data[index];

	return row->kind == CALLERS_OUTERMOST || row->kind == CALLERS_SELF
		       ? PROFILE_NONE
		       : row->function;
}

static bool callers_find(void *data, struct view_state *state,
	const struct report *report, enum view_find from)
{
	struct callers_view *view = data;
	size_t count = view->rows.len;

	(void)report;
	if (!view_find_row(state, from, &view->list.cursor, count, function_of, view))
		return false;
	list_reveal(&view->list, count, page_of(state));
	remember_cursor(view, state);
	return true;
}

static void callers_status(const void *data, const struct view_state *state,
	const struct report *report, char *text, size_t size)
{
	const struct callers_view *view = data;
	const struct callers_row *row = row_at_cursor(view);
	enum metric metric = view_metric(report);
	char name[ELIDE_MAX], middle[ELIDE_MAX];

	(void)state;
	if (!row)
		return;
	elide_name(name, sizeof(name), callers_row_name(report, row), 50, "~");
	elide_name(middle, sizeof(middle),
		profile_function(report->profile, view->made_of)->name, 40, "~");
	const struct weight *total = &view->rows.data[0].weight;
	struct format share =
		format_percent(metric_of(metric, &row->weight), metric_of(metric, total));
	if (row->kind == CALLERS_FUNCTION)
		snprintf(text, size, "%s  total %s, %s", name,
			format_percent(metric_of(metric, total),
				metric_of(metric, &report->total))
				.text,
			view_samples_told(total).text);
	else
		snprintf(text, size, "%s of %s %s%s", share.text, middle,
			row->kind == CALLERS_SELF	 ? "was spent in itself"
			: row->kind == CALLERS_OUTERMOST ? "has no caller"
			: row->kind == CALLERS_CALLEE	 ? "went to "
			: row->depth > 1		 ? "was on behalf of "
							 : "was called by ",
			row->kind == CALLERS_CALLER || row->kind == CALLERS_CALLEE ? name
										   : "");
}

static const struct view_key callers_keys[] = {
	{ACTION_ZOOM, "Go there", "go on to this caller or callee"},
	{ACTION_POP, "Return",
		"return to the function before; from the first, to its view"},
	{ACTION_DETAIL, "Details",
		"all about the function: its whole name, file, shares"},
	{ACTION_ANNOTATE, "Source", NULL},
	{ACTION_EDIT, "Edit", NULL},
	{ACTION_NONE, NULL, NULL},
};

const struct view_ops view_callers = {
	.name = "callers",
	.title = "Callers",
	.data_size = sizeof(struct callers_view),
	.finish = callers_finish,
	.prepare = callers_prepare,
	.rename = callers_rename,
	.draw = callers_draw,
	.act = callers_act,
	.click = callers_click,
	.find = callers_find,
	.status = callers_status,
	.keys = callers_keys,
};
