/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The output view: what a launched command wrote, like `less +F`. */
#include "ui/view/view.h"

#include <stdio.h>

struct output_view {
	/* scrolled up by the user; else the end is shown as it grows */
	bool away;
	uint64_t top;	     /* the first line shown */
	uint64_t first, end; /* the lines there are */
	int left;	     /* columns scrolled to the right */
};

static bool output_available(const struct view_state *state)
{
	return state->output != NULL;
}

static void output_prepare(
	void *data, struct view_state *state, const struct report *report)
{
	struct output_view *view = data;
	const struct output *output = state->output;
	uint64_t rows = state->rows > 0 ? (uint64_t)state->rows : 0;

	(void)report;
	state->function = PROFILE_NONE;
	state->tid = 0;
	view->first = output ? output->first : 0;
	view->end = output ? output->end : 0;

	uint64_t last_top =
		view->end - view->first > rows ? view->end - rows : view->first;
	if (!view->away || view->top >= last_top) {
		view->away = false;
		view->top = last_top;
	}
	if (view->top < view->first)
		view->top = view->first;
}

static void output_draw(const void *data, const struct view_state *state,
	const struct report *report, struct grid *grid)
{
	const struct output_view *view = data;

	(void)report;
	if (!state->output)
		return;
	for (int row = 0; row < grid->rows && view->top + (uint64_t)row < view->end;
		row++)
		grid_put(grid, row, -view->left, STYLE(ROLE_NORMAL),
			output_line(state->output, view->top + (uint64_t)row));
	if (view->first == view->end)
		grid_put(grid, 0, 0, STYLE(ROLE_DIM),
			"The command has written nothing yet.");
}

static void scroll_up(struct output_view *view, uint64_t lines)
{
	uint64_t above = view->top - view->first;

	view->top -= lines < above ? lines : above;
	view->away = true;
}

static void scroll_down(struct output_view *view, uint64_t lines)
{
	view->top += lines; /* prepare limits it to the end */
	view->away = true;
}

static bool output_act(void *data, struct view_state *state, const struct report *report,
	enum action action)
{
	struct output_view *view = data;
	uint64_t page = state->rows > 1 ? (uint64_t)state->rows - 1 : 1;

	(void)report;
	switch (action) {
	case ACTION_UP:
		scroll_up(view, 1);
		return true;
	case ACTION_DOWN:
		scroll_down(view, 1);
		return true;
	case ACTION_PAGE_UP:
		scroll_up(view, page);
		return true;
	case ACTION_PAGE_DOWN:
		scroll_down(view, page);
		return true;
	case ACTION_HALF_UP:
		scroll_up(view, (page + 1) / 2);
		return true;
	case ACTION_HALF_DOWN:
		scroll_down(view, (page + 1) / 2);
		return true;
	case ACTION_FIRST:
		scroll_up(view, UINT64_MAX);
		return true;
	case ACTION_LAST:
		view->away = false;
		return true;
	case ACTION_LEFT:
		view->left = view->left > 8 ? view->left - 8 : 0;
		return true;
	case ACTION_RIGHT:
		view->left += view->left < CLEAN_MAX ? 8 : 0;
		return true;
	default:
		return false;
	}
}

static void output_status(const void *data, const struct view_state *state,
	const struct report *report, char *text, size_t size)
{
	const struct output_view *view = data;

	(void)report;
	if (view->first == view->end)
		return;
	uint64_t rows = state->rows > 0 ? (uint64_t)state->rows : 0;
	uint64_t bottom = view->top + rows < view->end ? view->top + rows : view->end;
	snprintf(text, size, "line %llu-%llu of %llu%s",
		(unsigned long long)view->top + 1, (unsigned long long)bottom,
		(unsigned long long)view->end,
		state->output && state->output->closed ? ", ended" : "");
}

static const struct view_key output_keys[] = {
	{ACTION_FIRST, "First", NULL},
	{ACTION_LAST, "Last", NULL},
	{ACTION_LEFT, "Left", NULL},
	{ACTION_RIGHT, "Right", NULL},
	{ACTION_NONE, NULL, NULL},
};

const struct view_ops view_output = {
	.name = "output",
	.title = "Output",
	.data_size = sizeof(struct output_view),
	.available = output_available,
	.prepare = output_prepare,
	.draw = output_draw,
	.act = output_act,
	.status = output_status,
	.keys = output_keys,
};
