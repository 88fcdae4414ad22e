/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table view: functions with their own and their total weight, like top. */
#include "ui/draw/columns.h"
#include "ui/draw/elide.h"
#include "ui/draw/format.h"
#include "ui/table/flash.h"
#include "ui/table/table-cells.h"
#include "ui/table/table-rows.h"
#include "ui/view/changed.h"
#include "ui/view/notice.h"
#include "ui/view/seen.h"
#include "ui/view/view.h"
#include "ui/widget/list.h"

#include <stdio.h>
#include <string.h>

struct table_view {
	struct column table[TABLE_COLUMNS];
	struct table_rows rows;
	struct list list;
	struct columns columns;
	struct flash flash;
	uint32_t function; /* under the cursor */
	enum table_order order;
	bool reversed;
	bool was_of_two;	       /* the last report was of two */
	enum table_order order_of_one; /* before it */
	/* the user has moved the cursor from the top row, so it follows its function */
	bool moved;
	int left; /* columns that names are scrolled by */

	/* What the rows were made of. */
	struct seen seen;
	enum table_order made_order;
	bool made_reversed;
	double made_min_share;
};

/* --- rows --------------------------------------------------------------------------- */

static uint32_t function_of_row(
	const struct table_view *view, const struct report *report, size_t row)
{
	return row < view->rows.count ? report->functions[view->rows.rows[row]].function
				      : PROFILE_NONE;
}

static size_t page_of(const struct view_state *state)
{
	/* one row is for the headings */
	return state->rows > 1 ? (size_t)state->rows - 1 : 1;
}

/* Move the cursor to its function; if that is gone, the cursor stays where it is. */
static void follow_function(struct table_view *view, const struct view_state *state,
	const struct report *report)
{
	if (!view->moved)
		view->list.cursor = 0;
	else if (state->follow &&
		 function_of_row(view, report, view->list.cursor) != view->function) {
		for (size_t row = 0; row < view->rows.count; row++) {
			if (function_of_row(view, report, row) == view->function) {
				view->list.cursor = row;
				break;
			}
		}
	}
	list_reveal(&view->list, view->rows.count, page_of(state));
}

static void select_row(struct table_view *view, struct view_state *state,
	const struct report *report, size_t row)
{
	view->list.cursor = row;
	view->moved = true;
	list_reveal(&view->list, view->rows.count, page_of(state));
	view->function = function_of_row(view, report, view->list.cursor);
	state->function = view->function;
}

/* Go to the function that another part of the screen has found. */
static void reveal(
	struct table_view *view, struct view_state *state, const struct report *report)
{
	for (size_t row = 0; row < view->rows.count; row++)
		if (function_of_row(view, report, row) == state->reveal)
			select_row(view, state, report, row);
	if (view->function != state->reveal)
		view_say(state, "it is hidden here, because it is small (-)");
	state->reveal = PROFILE_NONE;
}

/* Of a report of two one wants to see the largest changes; afterwards, what was. */
static void sort_by_change(struct table_view *view, const struct report *report)
{
	bool is_of_two = report->difference != NULL;

	if (is_of_two == view->was_of_two)
		return;
	enum table_order order = is_of_two ? TABLE_BY_SELF_TIME : view->order_of_one;
	if (is_of_two)
		view->order_of_one = view->order;
	view->order = order;
	view->reversed = false;
	view->was_of_two = is_of_two;
}

static void table_prepare(
	void *data, struct view_state *state, const struct report *report)
{
	struct table_view *view = data;
	bool new_report = seen_change(&view->seen, report);

	sort_by_change(view, report);
	if (new_report && !report->difference)
		flash_update(&view->flash, report, state->now_ns);
	if (new_report || view->order != view->made_order ||
		view->reversed != view->made_reversed ||
		state->min_share != view->made_min_share) {
		table_rows_build(&view->rows, report, view->order, view->reversed,
			state->min_share);
		view->made_order = view->order;
		view->made_reversed = view->reversed;
		view->made_min_share = state->min_share;
		follow_function(view, state, report);
	}
	if (state->reveal != PROFILE_NONE)
		reveal(view, state, report);
	list_reveal(&view->list, view->rows.count, page_of(state));
	table_columns(view->table, report);
	table_hide(view->table, state->hidden_columns);
	columns_fit(&view->columns, view->table, TABLE_COLUMNS, state->columns);
	view->function = function_of_row(view, report, view->list.cursor);
	state->function = view->function;
	state->tid = 0;
}

static void table_point(void *data, struct view_state *state, const struct report *report,
	uint32_t function)
{
	struct table_view *view = data;

	for (size_t row = 0; row < view->rows.count; row++)
		if (function_of_row(view, report, row) == function) {
			select_row(view, state, report, row);
			return;
		}
}

static void table_rename(void *data, const struct renamed *renamed)
{
	struct table_view *view = data;

	view->function = renamed_function(renamed, view->function);
}

static void table_finish(void *data)
{
	struct table_view *view = data;

	table_rows_finish(&view->rows);
	flash_finish(&view->flash);
}

/* --- drawing ------------------------------------------------------------------------ */

static void draw_name(const struct table_view *view, const struct view_state *state,
	struct grid *grid, int row, uint32_t function, const char *name)
{
	int at = view->columns.at[TABLE_NAME], width = view->columns.width[TABLE_NAME];
	bool hit = search_hit(&state->search, function);
	bool flash = flash_is_on(&view->flash, function, state->now_ns);
	struct style style = STYLE(hit ? ROLE_MATCH : flash ? ROLE_FLASH : ROLE_NORMAL);
	char text[ELIDE_MAX];

	if (view->left > 0) {
		struct grid part = grid_part(grid, row, at, 1, width);
		grid_put(&part, 0, -view->left, style, name);
		return;
	}
	elide_name(text, sizeof(text), name, width, grid_glyph(grid, GLYPH_ELLIPSIS));
	grid_put(grid, row, at, style, text);
}

static void draw_row(const struct table_view *view, const struct view_state *state,
	const struct report *report, struct grid *grid, int row, size_t index)
{
	uint32_t place = view->rows.rows[index];
	uint32_t function = report->functions[place].function;
	const struct function *names = profile_function(report->profile, function);

	table_put_numbers(&view->columns, grid, row, report, place);
	draw_name(view, state, grid, row, function, names->name);
	columns_put(&view->columns, grid, row, TABLE_MODULE,
		STYLE(hues_ink(&state->hues, names)), view_module(names));
	if (index == view->list.cursor)
		grid_restyle(
			grid, row, 0, 1, grid->columns, STYLE(view_cursor_role(state)));
}

static void table_draw(const void *data, const struct view_state *state,
	const struct report *report, struct grid *grid)
{
	const struct table_view *view = data;
	bool names = view->order == TABLE_BY_NAME || view->order == TABLE_BY_MODULE;
	size_t page = page_of(state), below = view->list.top + page;
	int row = 1;

	columns_draw_titles(
		&view->columns, grid, 0, (int)view->order, names != view->reversed);
	if (notice_draw_empty(grid, 1, report))
		return;
	for (size_t i = view->list.top; i < view->rows.count && row < grid->rows; i++)
		draw_row(view, state, report, grid, row++, i);
	if (view->rows.count > below)
		notice_draw_more(grid, grid->rows - 1,
			view->columns.width[TABLE_MODULE] ? view->columns.at[TABLE_MODULE]
							  : grid->columns,
			GLYPH_DOWN, view->rows.count - below, "more");
	else if (view->rows.hidden > 0 && row < grid->rows)
		grid_printf(grid, row, view->columns.at[TABLE_NAME], STYLE(ROLE_DIM),
			"%zu below %s (- shows more)", view->rows.hidden,
			format_share(state->min_share).text);
}

/* --- what it does ------------------------------------------------------------------- */

static void sort_by(struct table_view *view, enum table_order order)
{
	view->reversed = view->order == order && !view->reversed;
	view->order = order;
}

static bool table_act(void *data, struct view_state *state, const struct report *report,
	enum action action)
{
	struct table_view *view = data;

	if (list_move(&view->list, action, view->rows.count, page_of(state))) {
		select_row(view, state, report, view->list.cursor);
		if (action == ACTION_FIRST)
			view->moved = false;
		return true;
	}
	switch (action) {
	case ACTION_LEFT:
	case ACTION_RIGHT:
		list_scroll(&view->left, action);
		return true;
	case ACTION_SORT_NEXT:
	case ACTION_SORT_PREVIOUS:
		view->order += action == ACTION_SORT_NEXT ? 1 : TABLE_ORDERS - 1;
		view->order %= TABLE_ORDERS;
		view->reversed = false;
		return true;
	case ACTION_SORT_REVERSE:
		view->reversed = !view->reversed;
		return true;
	case ACTION_ZOOM:
		state->reveal = view->function;
		state->go_to = "flame";
		return true;
	default:
		return false;
	}
}

static bool table_click(void *data, struct view_state *state, const struct report *report,
	int row, int column, enum view_click click)
{
	struct table_view *view = data;

	if (row == 0) {
		int index = columns_at(&view->columns, column);
		if (index < 0 || view->table[index].sort < 0)
			return false;
		sort_by(view, (enum table_order)view->table[index].sort);
		return true;
	}
	if (view->list.top + (size_t)row - 1 >= view->rows.count)
		return false;
	select_row(view, state, report, view->list.top + (size_t)row - 1);
	if (click == CLICK_ZOOM)
		return table_act(data, state, report, ACTION_ZOOM);
	return true;
}

struct shown {
	const struct table_view *view;
	const struct report *report;
};

static uint32_t function_shown(const void *context, size_t row)
{
	const struct shown *shown = context;

	return function_of_row(shown->view, shown->report, row);
}

static bool table_find(void *data, struct view_state *state, const struct report *report,
	enum view_find from)
{
	struct table_view *view = data;
	size_t row = view->list.cursor;

	if (!view_find_row(state, from, &row, view->rows.count, function_shown,
		    &(struct shown){view, report}))
		return false;
	select_row(view, state, report, row);
	return true;
}

static void table_status(const void *data, const struct view_state *state,
	const struct report *report, char *text, size_t size)
{
	const struct table_view *view = data;
	enum metric metric = view_metric(report);

	(void)state;
	if (view->list.cursor >= view->rows.count)
		return;
	const struct report_function *function =
		&report->functions[view->rows.rows[view->list.cursor]];
	const struct function *names =
		profile_function(report->profile, function->function);
	uint64_t whole = metric_of(metric, &report->total);
	char source[64] = "", name[ELIDE_MAX], change[128];

	if (names->file[0] != '\0' && names->start_line > 0)
		snprintf(source, sizeof(source), "  %.40s:%u",
			strrchr(names->file, '/') ? strrchr(names->file, '/') + 1
						  : names->file,
			names->start_line);
	elide_name(name, sizeof(name), names->name, 60, "~");
	if (report->difference) {
		changed_describe(report,
			&report->difference->self[view->rows.rows[view->list.cursor]],
			change, sizeof(change));
		snprintf(text, size, "%s  self %s  %s%s", name, change,
			view_module(names), source);
		return;
	}
	snprintf(text, size, "%s  self %s, %s; total %s, %s  %s%s", name,
		format_percent(metric_of(metric, &function->self), whole).text,
		view_samples_told(&function->self).text,
		format_percent(metric_of(metric, &function->total), whole).text,
		view_samples_told(&function->total).text, view_module(names), source);
}

static const struct view_key table_keys[] = {
	{ACTION_ZOOM, "Flame", "show where it stands in the flame graph"},
	{ACTION_DETAIL, "Callers", NULL},
	{ACTION_SORT_NEXT, "Sort", NULL},
	{ACTION_ANNOTATE, "Source", NULL},
	{ACTION_GRANULARITY, "Lines", NULL},
	{ACTION_EDIT, "Edit", NULL},
	{ACTION_FOLLOW, "Follow", NULL},
	{ACTION_NONE, NULL, NULL},
};

const struct view_ops view_table = {
	.name = "table",
	.title = "Table",
	.data_size = sizeof(struct table_view),
	.hides_small = true,
	.finish = table_finish,
	.prepare = table_prepare,
	.rename = table_rename,
	.point = table_point,
	.draw = table_draw,
	.act = table_act,
	.click = table_click,
	.find = table_find,
	.status = table_status,
	.keys = table_keys,
};
