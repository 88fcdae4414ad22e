/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The heat view: all that is kept, a column for each second, from which a range of time is
   chosen for all views. */
#include "ui/timeline/heat-draw.h"
#include "ui/timeline/heat-map.h"
#include "ui/view/notice.h"
#include "ui/view/view.h"

#include <stdio.h>
#include <time.h>

struct heat_view {
	struct heat_map map;
	size_t merge;	 /* cells of a row, as asked; 0: as there is room */
	bool is_placed;	 /* else the cursor is at the end */
	uint64_t at_ns;	 /* the cursor */
	bool is_begun;	 /* a range: from the anchor to the cursor */
	bool is_dragged; /* with the mouse */
	uint64_t anchor_ns;
	size_t left, top; /* the first column and row that are shown */
};

static void heat_finish(void *data)
{
	heat_map_finish(&((struct heat_view *)data)->map);
}

static struct heat_place cursor_of(const struct heat_view *view)
{
	return heat_map_place(
		&view->map, view->is_placed ? view->at_ns : view->map.end_ns - 1);
}

/* Scroll by as little as makes the cursor visible. */
static void reveal(struct heat_view *view, const struct view_state *state)
{
	struct heat_frame frame = heat_frame_of(&view->map, state->rows, state->columns);
	struct heat_place at = cursor_of(view);
	size_t columns = frame.columns > 0 ? (size_t)frame.columns : 1;
	size_t rows = frame.rows > 0 ? (size_t)frame.rows : 1;

	if (view->left > at.column)
		view->left = at.column;
	if (at.column - view->left >= columns)
		view->left = at.column - columns + 1;
	if (view->map.columns <= columns)
		view->left = 0;
	if (view->top > at.row)
		view->top = at.row;
	if (at.row - view->top >= rows)
		view->top = at.row - rows + 1;
	if (view->map.rows <= rows)
		view->top = 0;
}

static void heat_prepare(
	void *data, struct view_state *state, const struct report *report)
{
	struct heat_view *view = data;

	(void)report;
	state->function = PROFILE_NONE;
	state->tid = 0;
	if (!state->timeline)
		return;
	heat_map_make(&view->map, state->timeline, state->timeline_serial,
		view->merge > 0 ? view->merge : heat_map_merge(heat_rows(state->rows)));
	reveal(view, state);
}

/* [*FROM_NS, *TO_NS): the cells from the anchor to the cursor, both included. */
static void range_of(const struct heat_view *view, uint64_t *from_ns, uint64_t *to_ns)
{
	struct heat_place at = cursor_of(view),
			  anchor = heat_map_place(&view->map, view->anchor_ns);

	if (heat_map_from(&view->map, anchor) > heat_map_from(&view->map, at)) {
		struct heat_place swap = at;
		at = anchor;
		anchor = swap;
	}
	*from_ns = heat_map_from(&view->map, anchor);
	*to_ns = heat_map_to(&view->map, at);
}

static void heat_draw_view(const void *data, const struct view_state *state,
	const struct report *report, struct grid *grid)
{
	static const char *const none[] = {"There is no timeline.",
		"The file does not say when its samples were taken.", NULL};
	static const char *const empty[] = {"There is no timeline yet.", NULL};
	const struct heat_view *view = data;
	struct heat_picture picture = {
		.map = &view->map,
		.timeline = state->timeline,
		.kind = report_value_kind(report),
		.is_file = report->origin != NULL,
		.left = view->left,
		.top = view->top,
	};

	if (!state->timeline) {
		notice_draw(grid, 0, report->origin ? none : empty);
		return;
	}
	picture.cursor = cursor_of(view);
	if (view->is_begun)
		range_of(view, &picture.from_ns, &picture.to_ns);
	else if (report->start_ns > state->timeline->start_ns || state->frozen) {
		picture.from_ns = report->start_ns;
		picture.to_ns = report->end_ns;
	}
	heat_draw(&picture, grid);
}

/* --- what it does ------------------------------------------------------------------- */

static void go(struct heat_view *view, const struct view_state *state, uint64_t time_ns)
{
	uint64_t last_ns = view->map.end_ns - 1;

	view->at_ns = time_ns < view->map.start_ns ? view->map.start_ns
		      : time_ns > last_ns	   ? last_ns
						   : time_ns;
	view->is_placed = true;
	reveal(view, state);
}

static void go_by(struct heat_view *view, const struct view_state *state, int columns)
{
	uint64_t at_ns = heat_map_from(&view->map, cursor_of(view));
	uint64_t by_ns =
		(uint64_t)(columns < 0 ? -columns : columns) * view->map.column_ns;

	if (columns >= 0)
		go(view, state, at_ns + by_ns);
	else
		go(view, state, at_ns > by_ns ? at_ns - by_ns : 0);
}

static void choose(struct heat_view *view, struct view_state *state)
{
	range_of(view, &state->choose.from_ns, &state->choose.to_ns);
	view->is_begun = view->is_dragged = false;
}

static void begin_or_choose(struct heat_view *view, struct view_state *state)
{
	if (view->is_begun) {
		choose(view, state);
		return;
	}
	view->is_begun = true;
	view->anchor_ns = heat_map_from(&view->map, cursor_of(view));
	view_say(state, "move, and Enter shows this range in all views; Esc forgets it");
}

static void change_rows(struct heat_view *view, struct view_state *state,
	const struct report *report, bool finer)
{
	static const size_t merges[] = {1, 2, 3, 4, 5, 10, 25, 50};
	size_t now = (size_t)(view->map.row_ns / state->timeline->cell_ns), next = now;

	for (size_t i = 0; i < sizeof(merges) / sizeof(merges[0]); i++) {
		if (finer && merges[i] < now)
			next = merges[i];
		if (!finer && merges[i] > now) {
			next = merges[i];
			break;
		}
	}
	view->merge = next;
	heat_prepare(view, state, report);
	view_say(state, "a row is %s", format_duration(view->map.row_ns).text);
}

static bool heat_act(void *data, struct view_state *state, const struct report *report,
	enum action action)
{
	struct heat_view *view = data;
	int page = heat_frame_of(&view->map, state->rows, state->columns).columns;

	if (!state->timeline)
		return false;
	struct heat_place at = cursor_of(view);
	switch (action) {
	case ACTION_UP:
		go(view, state, heat_map_from(&view->map, at) - 1);
		return true;
	case ACTION_DOWN:
		go(view, state, heat_map_to(&view->map, at));
		return true;
	case ACTION_LEFT:
	case ACTION_RIGHT:
		go_by(view, state, action == ACTION_LEFT ? -1 : 1);
		return true;
	case ACTION_HALF_UP:
	case ACTION_HALF_DOWN:
		page = (page + 1) / 2;
		go_by(view, state, action == ACTION_HALF_UP ? -page : page);
		return true;
	case ACTION_PAGE_UP:
	case ACTION_PAGE_DOWN:
		go_by(view, state, action == ACTION_PAGE_UP ? -page : page);
		return true;
	case ACTION_FIRST:
		go(view, state, 0);
		return true;
	case ACTION_LAST:
		go(view, state, UINT64_MAX);
		return true;
	case ACTION_ZOOM:
		begin_or_choose(view, state);
		return true;
	case ACTION_MIN_MORE:
	case ACTION_MIN_LESS:
		change_rows(view, state, report, action == ACTION_MIN_MORE);
		return true;
	case ACTION_POP:
		if (!view->is_begun)
			return false;
		view->is_begun = false;
		return true;
	default:
		return false;
	}
}

static bool heat_click(void *data, struct view_state *state, const struct report *report,
	int row, int column, enum view_click click)
{
	struct heat_view *view = data;
	struct heat_frame frame = heat_frame_of(&view->map, state->rows, state->columns);

	(void)report;
	if (!state->timeline)
		return false;
	if (click == CLICK_DRAG || click == CLICK_RELEASE) {
		if (!view->is_dragged)
			return false;
		row = row < frame.row ? frame.row : row; /* over the edge: to the edge */
		column = column < frame.column ? frame.column : column;
		row = row < frame.row + frame.rows ? row : frame.row + frame.rows - 1;
	} else if (row < frame.row || row >= frame.row + frame.rows ||
		   column < frame.column)
		return false;
	struct heat_place place = {
		view->left + (size_t)((column - frame.column) / frame.width),
		view->top + (size_t)(row - frame.row)};
	if (place.column >= view->map.columns)
		place.column = view->map.columns - 1;
	if (place.row >= view->map.rows)
		place.row = view->map.rows - 1;
	go(view, state, heat_map_from(&view->map, place));
	if (click == CLICK_SELECT) {
		view->is_begun = view->is_dragged = true;
		view->anchor_ns = view->at_ns;
	} else if (click == CLICK_ZOOM) { /* the whole column */
		view->anchor_ns =
			heat_map_from(&view->map, (struct heat_place){place.column, 0});
		go(view, state, view->anchor_ns + view->map.column_ns - 1);
		choose(view, state);
	} else if (click == CLICK_RELEASE) {
		if (view->at_ns != view->anchor_ns)
			choose(view, state);
		view->is_begun = view->is_dragged = false;
	}
	return true;
}

/* "2026-01-02 03:04:11.240 +80 ms: 87.2% of a CPU, 7 samples". */
static void heat_status(const void *data, const struct view_state *state,
	const struct report *report, char *text, size_t size)
{
	const struct heat_view *view = data;
	const struct timeline *timeline = state->timeline;
	char when[40] = "";
	struct tm local;

	if (!timeline)
		return;
	struct heat_place at = cursor_of(view);
	uint64_t from_ns = heat_map_from(&view->map, at);
	const struct heat_cell *cell = heat_map_at(&view->map, at);
	uint64_t wall_ns = timeline->start_wall_ns + (from_ns - timeline->start_ns);
	time_t seconds = (time_t)(wall_ns / 1000000000);
	if (timeline->start_wall_ns == 0) /* a file without a date: from its beginning */
		snprintf(when, sizeof(when), "%lld", (long long)seconds);
	else if (localtime_r(&seconds, &local))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &local);
	int used = snprintf(text, size, "%s.%03u +%s: ", when,
		(unsigned)(wall_ns / 1000000 % 1000),
		format_duration(heat_map_to(&view->map, at) - from_ns).text);
	if (used < 0 || (size_t)used >= size)
		return;
	if (report_value_kind(report) == VALUE_TIME)
		snprintf(text + used, size - (size_t)used, "%s of a CPU, %s sample%s",
			format_share(heat_map_density(&view->map, at)).text,
			format_count(cell->samples).text, cell->samples == 1 ? "" : "s");
	else
		snprintf(text + used, size - (size_t)used, "%s, %s sample%s",
			format_count(cell->value).text, format_count(cell->samples).text,
			cell->samples == 1 ? "" : "s");
}

static const struct view_key heat_keys[] = {
	{ACTION_ZOOM, "Range",
		"begin a range; at its other end: all views show just that"},
	{ACTION_EARLIER, "Earlier", NULL},
	{ACTION_MIN_MORE, "Shorter", "shorter rows, down to 20 ms; longer"},
	{ACTION_POP, "Forget", "forget the begin of the range"},
	{ACTION_NONE, NULL, NULL},
};

const struct view_ops view_heat = {
	.name = "time",
	.title = "Time",
	.data_size = sizeof(struct heat_view),
	.drags = true,
	.finish = heat_finish,
	.prepare = heat_prepare,
	.draw = heat_draw_view,
	.act = heat_act,
	.click = heat_click,
	.status = heat_status,
	.keys = heat_keys,
};
