/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The view that is shown, or the table and the flame graph side by side (screen.h). */
#include "ui/screen/screen.h"

enum {
	TABLE_SHARE = 45, /* percent of the columns */
	TABLE_LEAST = 80  /* where names begin to have room */
};

static size_t index_of(const struct view_ops *view)
{
	size_t index = 0;

	while (view_list[index] != view)
		index++;
	return index;
}

size_t screen_panes(const struct screen *screen, struct pane panes[PANES_MAX])
{
	int columns = screen->grid.columns;
	bool is_either =
		screen_view(screen) == &view_table || screen_view(screen) == &view_flame;

	if (!screen->side_by_side || !is_either || columns < SIDE_BY_SIDE_COLUMNS) {
		panes[0] = (struct pane){screen->shown, 0, columns};
		return 1;
	}
	int left = columns * TABLE_SHARE / 100;
	if (left < TABLE_LEAST)
		left = TABLE_LEAST;
	panes[0] = (struct pane){index_of(&view_table), 0, left};
	panes[1] = (struct pane){index_of(&view_flame), left + 1, columns - left - 1};
	return 2;
}

bool screen_is_beside(const struct screen *screen, size_t view)
{
	struct pane panes[PANES_MAX];
	size_t n = screen_panes(screen, panes);

	for (size_t i = 0; i < n; i++)
		if (panes[i].view == view)
			return view != screen->shown;
	return false;
}

void screen_show_view(struct screen *screen, size_t index)
{
	screen->shown = index;
	screen->state.function = PROFILE_NONE;
	screen->state.tid = 0;
}

int screen_enter_pane(struct screen *screen, int column)
{
	struct pane panes[PANES_MAX];
	size_t n = screen_panes(screen, panes);

	for (size_t i = 0; i < n; i++) {
		const struct pane *pane = &panes[i];
		if (column < pane->column || column >= pane->column + pane->columns)
			continue;
		if (pane->view != screen->shown)
			screen_show_view(screen, pane->view);
		return column - pane->column;
	}
	return n == 1 ? column : -1;
}

static void prepare(struct screen *screen, const struct pane *pane)
{
	screen->state.columns = pane->columns;
	view_list[pane->view]->prepare(
		screen->view_data[pane->view], &screen->state, screen->report);
}

/* The view beside follows what is selected, once: it may be scrolled on meanwhile. It may
   not change that. */
static void prepare_beside(
	struct screen *screen, const struct pane *pane, uint32_t function, pid_t tid)
{
	prepare(screen, pane);
	if (function != PROFILE_NONE && function != screen->pointed)
		view_list[pane->view]->point(screen->view_data[pane->view],
			&screen->state, screen->report, function);
	screen->pointed = function;
	screen->state.function = function;
	screen->state.tid = tid;
}

void screen_prepare(struct screen *screen)
{
	struct pane panes[PANES_MAX];

	if (!screen->report)
		return;
	if (screen_panes(screen, panes) == 1) {
		prepare(screen, &panes[0]);
		return;
	}
	const struct pane *mine = &panes[panes[1].view == screen->shown];
	const struct pane *other = &panes[panes[0].view == screen->shown];
	prepare(screen, mine);
	prepare_beside(screen, other, screen->state.function, screen->state.tid);
	screen->state.columns = mine->columns; /* as whoever comes next expects */
}

void screen_draw_panes(struct screen *screen, struct grid *grid)
{
	struct pane panes[PANES_MAX];
	size_t n = screen_panes(screen, panes);
	int columns = screen->state.columns;

	for (size_t i = 0; i < n; i++) {
		const struct pane *pane = &panes[i];
		struct grid part =
			grid_part(grid, 0, pane->column, grid->rows, pane->columns);
		screen->state.columns = pane->columns;
		screen->state.is_beside = pane->view != screen->shown;
		view_list[pane->view]->draw(screen->view_data[pane->view], &screen->state,
			screen->report, &part);
		for (int row = 0; pane->column > 0 && row < grid->rows; row++)
			grid_put(grid, row, pane->column - 1, STYLE(ROLE_DIM),
				grid_glyph(grid, GLYPH_VERTICAL));
	}
	screen->state.columns = columns;
	screen->state.is_beside = false;
}

void screen_toggle_side_by_side(struct screen *screen)
{
	int columns = screen->grid.columns;

	if (columns < SIDE_BY_SIDE_COLUMNS) {
		screen_say(screen, ROLE_WARN, "side by side needs %d columns, not %d",
			SIDE_BY_SIDE_COLUMNS, columns);
		return;
	}
	screen->side_by_side = !screen->side_by_side;
	screen->pointed = PROFILE_NONE;
	if (screen->side_by_side && screen_view(screen) != &view_flame)
		screen_show_view(screen, index_of(&view_table));
	screen_say(screen, ROLE_STATUS,
		screen->side_by_side
			? "table and flame graph side by side; Tab: the other"
			: "one view");
}
