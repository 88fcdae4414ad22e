/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The flame view: the call tree as boxes, a row of text per level, inline and live. */
#include "ui/flame/flame-cursor.h"
#include "ui/flame/flame-draw.h"
#include "ui/flame/flame-layout.h"
#include "ui/view/notice.h"
#include "ui/view/seen.h"
#include "ui/view/view.h"

#include <string.h>

struct flame_view {
	struct flame_layout layout; /* empty if the zoomed place has no samples now */
	struct flame_cursor cursor;
	size_t top; /* first row of the layout that is visible, counted from the root */

	/* What the layout was made of. */
	struct seen seen;
	int columns;
	double min_share;
	bool was_unfolded;
	VEC(uint32_t) root_path;

	bool is_unfolded; /* trunks are, see flame-layout.h */
};

/* A zoom has a title row, if there is room for it. */
static int title_rows(const struct view_state *state)
{
	const struct zoom *zoom = view_zoom(state);
	return zoom && zoom->length > 0 && state->rows > 3 ? 1 : 0;
}

static size_t page_of(const struct view_state *state)
{
	int rows = state->rows - title_rows(state);
	return rows > 0 ? (size_t)rows : 1;
}

static const struct flame_cell *cell_at_cursor(const struct flame_view *view)
{
	return view->cursor.cell < view->layout.cells.len
		       ? &view->layout.cells.data[view->cursor.cell]
		       : NULL;
}

static bool same_root(const struct flame_view *view, const struct zoom *zoom)
{
	size_t length = zoom ? zoom->length : 0;
	return length == view->root_path.len &&
	       (length == 0 || memcmp(zoom->path, view->root_path.data,
				       length * sizeof(zoom->path[0])) == 0);
}

static void lay_out(struct flame_view *view, const struct view_state *state,
	const struct report *report)
{
	const struct zoom *zoom = view_zoom(state);
	enum metric metric = view_metric(report);
	size_t found;

	view->root_path.len = 0;
	for (size_t i = 0; zoom && i < zoom->length; i++)
		vec_push(&view->root_path, zoom->path[i]);
	view->columns = state->columns;
	view->min_share = state->min_share;
	view->was_unfolded = view->is_unfolded;
	view->layout.cells.len = view->layout.rows.len = 0;

	uint32_t root =
		view_find_path(report, view->root_path.data, view->root_path.len, &found);
	if (found == view->root_path.len && state->columns > 0)
		flame_layout_build(&view->layout, report, root, (uint32_t)state->columns,
			metric,
			(uint64_t)(state->min_share *
				   (double)metric_of(metric, &report->total)),
			!view->is_unfolded);
}

static void resolve_cursor(struct flame_view *view, const struct report *report)
{
	if (view->layout.cells.len > 0)
		flame_cursor_resolve(&view->cursor, &view->layout, report,
			view->root_path.data, view->root_path.len);
}

/* Scroll by as little as makes the cursor visible. */
static void reveal_cursor(struct flame_view *view, const struct view_state *state)
{
	const struct flame_cell *cell = cell_at_cursor(view);
	size_t page = page_of(state), rows = view->layout.rows.len;

	if (!cell)
		return;
	if (view->top > cell->row)
		view->top = cell->row;
	if (cell->row - view->top >= page)
		view->top = cell->row - page + 1;
	if (view->top + page > rows)
		view->top = rows > page ? rows - page : 0;
}

static void publish_cursor(const struct flame_view *view, struct view_state *state,
	const struct report *report)
{
	const struct flame_cell *cell = cell_at_cursor(view);

	uint32_t node = cell && cell->folded > 0 && view->cursor.exact ? view->cursor.node
			: cell					       ? cell->node
								       : 0;

	state->function =
		cell && cell->merged == 0 ? report->nodes[node].function : PROFILE_NONE;
	state->tid = 0;
}

/* Move to the heaviest node of state->reveal, and zoom out if necessary. */
static void reveal(
	struct flame_view *view, struct view_state *state, const struct report *report)
{
	const struct zoom *zoom;

	flame_cursor_to_node(
		&view->cursor, report, flame_heaviest(report, state->reveal, NULL));
	while ((zoom = view_zoom(state)) &&
		!flame_cursor_is_below(&view->cursor, zoom->path, zoom->length))
		view_zoom_pop(state);
	state->reveal = PROFILE_NONE;
}

static void flame_prepare(
	void *data, struct view_state *state, const struct report *report)
{
	struct flame_view *view = data;
	bool stale = seen_change(&view->seen, report) ||
		     view->columns != state->columns ||
		     view->min_share != state->min_share ||
		     view->was_unfolded != view->is_unfolded ||
		     !same_root(view, view_zoom(state));
	bool reveals = state->reveal != PROFILE_NONE;

	if (reveals) {
		reveal(view, state, report);
		stale = stale || !same_root(view, view_zoom(state));
	}
	if (stale)
		lay_out(view, state, report);
	resolve_cursor(view, report);
	if (reveals && cell_at_cursor(view) && cell_at_cursor(view)->folded > 0) {
		view->is_unfolded = true;
		lay_out(view, state, report);
		resolve_cursor(view, report);
	}
	reveal_cursor(view, state);
	publish_cursor(view, state, report);
}

static void flame_point(void *data, struct view_state *state, const struct report *report,
	uint32_t function)
{
	struct flame_view *view = data;

	if (!flame_cursor_point(&view->cursor, report, function, view->root_path.data,
		    view->root_path.len))
		return;
	resolve_cursor(view, report);
	reveal_cursor(view, state);
}

static void flame_rename(void *data, const struct renamed *renamed)
{
	struct flame_view *view = data;

	view->cursor.path.len =
		renamed_path(renamed, view->cursor.path.data, view->cursor.path.len);
}

static void flame_finish(void *data)
{
	struct flame_view *view = data;

	flame_layout_finish(&view->layout);
	flame_cursor_finish(&view->cursor);
	vec_free(&view->root_path);
}

/* Say how many rows are hidden, in row Y, which shows LAYOUT_ROW, unless that would hide
   the cursor. */
static void draw_more(const struct flame_view *view, struct grid *grid, int y,
	size_t layout_row, enum glyph glyph, size_t count, const char *word)
{
	const struct flame_cell *cell = cell_at_cursor(view);

	if (!cell || cell->row != layout_row || (int)cell->x < grid->columns / 2)
		notice_draw_more(grid, y, grid->columns, glyph, count, word);
}

static void flame_draw(const void *data, const struct view_state *state,
	const struct report *report, struct grid *grid)
{
	const struct flame_view *view = data;
	int title = title_rows(state), body = grid->rows - title;
	size_t rows = view->layout.rows.len, below;

	if (title)
		flame_draw_title(grid, report, view->root_path.data, view->root_path.len,
			rows > 0 ? &view->layout.cells.data[0] : NULL);
	if (notice_draw_empty(grid, title, report))
		return;
	if (rows == 0 && view->root_path.len > 0) {
		flame_draw_absence(grid, title, report,
			view->root_path.data[view->root_path.len - 1]);
		return;
	}
	for (int y = 0; y < body; y++) {
		size_t count, row = view->top + (size_t)y;
		const struct flame_cell *cells =
			flame_layout_row(&view->layout, (uint32_t)row, &count);
		for (size_t i = 0; i < count; i++)
			flame_draw_cell(grid, title + (state->flipped ? body - 1 - y : y),
				&cells[i], &cells[i] == cell_at_cursor(view), state,
				report);
	}
	int first = state->flipped ? grid->rows - 1 : title;
	int last = state->flipped ? title : grid->rows - 1;
	below = rows > view->top + (size_t)body ? rows - view->top - (size_t)body : 0;
	draw_more(view, grid, last, view->top + (size_t)body - 1,
		state->flipped ? GLYPH_UP : GLYPH_DOWN, below, "deeper");
	draw_more(view, grid, first, view->top, state->flipped ? GLYPH_DOWN : GLYPH_UP,
		view->top, "above");
}

/* --- what it does ------------------------------------------------------------------- */

static void go(struct flame_view *view, struct view_state *state,
	const struct report *report, uint32_t cell)
{
	flame_cursor_to_cell(&view->cursor, &view->layout, report, cell);
	reveal_cursor(view, state);
	publish_cursor(view, state, report);
}

static void zoom_in(
	struct flame_view *view, struct view_state *state, const struct report *report)
{
	const struct flame_cell *cell = cell_at_cursor(view);
	struct flame_cursor there = {0};

	if (!cell)
		return;
	if (cell->folded > 0) {
		view->is_unfolded = true;
		return;
	}
	/* An "other" cell has no function, so zoom to its parent, where there is more
	   room for its parts. */
	flame_cursor_to_node(&there, report, cell->node);
	if (there.path.len > view->root_path.len)
		view_zoom_push(state, there.path.data, there.path.len);
	else if (cell->merged > 0)
		view_say(state,
			"Too narrow to tell apart here: a wider terminal shows more.");
	flame_cursor_finish(&there);
}

static bool flame_act(void *data, struct view_state *state, const struct report *report,
	enum action action)
{
	struct flame_view *view = data;
	uint32_t cell = view->cursor.cell;
	int page = (int)page_of(state);
	bool down = !state->flipped; /* keys move in the direction of the screen */

	if (view->layout.cells.len == 0)
		return false;
	switch (action) {
	case ACTION_UP:
	case ACTION_PAGE_UP:
	case ACTION_HALF_UP:
		down = !down;
		/* fall through */
	case ACTION_DOWN:
	case ACTION_PAGE_DOWN:
	case ACTION_HALF_DOWN:
		page = action == ACTION_UP || action == ACTION_DOWN ? 1
		       : action == ACTION_HALF_UP || action == ACTION_HALF_DOWN
			       ? (page + 1) / 2
			       : page;
		for (; page > 0; page--)
			cell = down ? flame_widest_child(&view->layout, cell)
				    : view->layout.cells.data[cell].parent;
		go(view, state, report, cell);
		return true;
	case ACTION_LEFT:
	case ACTION_RIGHT:
		go(view, state, report,
			flame_next_in_row(
				&view->layout, cell, action == ACTION_LEFT ? -1 : 1));
		return true;
	case ACTION_FIRST:
	case ACTION_HOT_UP:
		go(view, state, report, 0);
		return true;
	case ACTION_LAST:
		cell = 0;
		/* fall through */
	case ACTION_HOT_DOWN:
		go(view, state, report,
			flame_hottest_leaf(
				&view->layout, report, view_metric(report), cell));
		return true;
	case ACTION_ZOOM:
		zoom_in(view, state, report);
		return true;
	case ACTION_FOLD:
		view->is_unfolded = !view->is_unfolded;
		return true;
	default:
		return false;
	}
}

static bool flame_click(void *data, struct view_state *state, const struct report *report,
	int row, int column, enum view_click click)
{
	struct flame_view *view = data;
	int title = title_rows(state), y = row - title;

	if (y < 0 || column < 0)
		return false;
	if (state->flipped)
		y = state->rows - 1 - row;
	const struct flame_cell *cell = flame_layout_at(
		&view->layout, (uint32_t)view->top + (uint32_t)y, (uint32_t)column);
	if (!cell)
		return false;
	go(view, state, report, (uint32_t)(cell - view->layout.cells.data));
	if (click == CLICK_ZOOM)
		zoom_in(view, state, report);
	return true;
}

/* Find the heaviest match that has no cell of its own because it is inside an "other"
   cell. */
static bool find_hidden(
	struct flame_view *view, struct view_state *state, const struct report *report)
{
	uint32_t best = flame_heaviest(report, PROFILE_NONE, &state->search);

	if (best == 0)
		return false;
	flame_cursor_to_node(&view->cursor, report, best);
	resolve_cursor(view, report);
	reveal_cursor(view, state);
	publish_cursor(view, state, report);
	return view->cursor.exact; /* false: it is outside of the zoom */
}

struct cells {
	const struct flame_layout *layout;
	const struct report *report;
	const struct search *search;
};

static uint32_t function_of_cell(const void *context, size_t index)
{
	const struct cells *cells = context;
	const struct flame_cell *cell = &cells->layout->cells.data[index];

	return flame_cell_hit(cell, cells->search, cells->report);
}

static bool flame_find(void *data, struct view_state *state, const struct report *report,
	enum view_find from)
{
	struct flame_view *view = data;
	size_t count = view->layout.cells.len;
	size_t cell = view->cursor.cell;

	if (count == 0)
		return false;
	if (!view_find_row(state, from, &cell, count, function_of_cell,
		    &(struct cells){&view->layout, report, &state->search}))
		return find_hidden(view, state, report);
	go(view, state, report, (uint32_t)cell);
	return true;
}

static void flame_status_text(const void *data, const struct view_state *state,
	const struct report *report, char *text, size_t size)
{
	const struct flame_view *view = data;

	(void)state;
	if (cell_at_cursor(view))
		flame_status(text, size, report, &view->layout, &view->cursor,
			view->root_path.len > 0);
}

static const struct view_key flame_keys[] = {
	{ACTION_ZOOM, "Zoom", "zoom in: all views have only what is below it"},
	{ACTION_POP, "Out", NULL},
	{ACTION_DETAIL, "Callers", NULL},
	{ACTION_HOT_DOWN, "Hottest", NULL},
	{ACTION_FOLD, "Fold", "fold callers in a row without a branch, or show them"},
	{ACTION_ANNOTATE, "Source", NULL},
	{ACTION_FLIP, "Flip", NULL},
	{ACTION_MIN_MORE, "Fewer", NULL},
	{ACTION_EDIT, "Edit", NULL},
	{ACTION_NONE, NULL, NULL},
};

const struct view_ops view_flame = {
	.name = "flame",
	.title = "Flame",
	.data_size = sizeof(struct flame_view),
	.zooms = true,
	.hides_small = true,
	.finish = flame_finish,
	.prepare = flame_prepare,
	.rename = flame_rename,
	.point = flame_point,
	.draw = flame_draw,
	.act = flame_act,
	.click = flame_click,
	.find = flame_find,
	.status = flame_status_text,
	.keys = flame_keys,
};
