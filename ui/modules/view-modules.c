/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The modules view: the files that code ran in, the busiest first. */
#include "ui/draw/format.h"
#include "ui/view/notice.h"
#include "ui/view/view.h"
#include "ui/widget/list.h"

#include <stdlib.h>
#include <string.h>

struct module_row {
	const char *name; /* the profile's */
	uint64_t self;
};

struct modules_view {
	VEC(struct module_row) rows;
	struct list list;
};

static size_t page_of(const struct view_state *state)
{
	return state->rows > 1 ? (size_t)state->rows - 1 : 1;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct module_row *)a)->name,
		((const struct module_row *)b)->name);
}

static int compare_self(const void *a, const void *b)
{
	const struct module_row *one = a, *two = b;

	if (one->self != two->self)
		return one->self < two->self ? 1 : -1;
	return strcmp(one->name, two->name);
}

static void modules_prepare(
	void *data, struct view_state *state, const struct report *report)
{
	struct modules_view *view = data;
	size_t n = 0;

	view->rows.len = 0;
	for (size_t i = 0; i < report->n_functions; i++) {
		struct module_row row = {
			profile_function(report->profile, report->functions[i].function)
				->module,
			metric_of(view_metric(report), &report->functions[i].self)};
		vec_push(&view->rows, row);
	}
	if (view->rows.len)
		qsort(view->rows.data, view->rows.len, sizeof(struct module_row),
			compare_names);
	for (size_t i = 0; i < view->rows.len; i++) {
		if (n > 0 &&
			strcmp(view->rows.data[n - 1].name, view->rows.data[i].name) == 0)
			view->rows.data[n - 1].self += view->rows.data[i].self;
		else
			view->rows.data[n++] = view->rows.data[i];
	}
	view->rows.len = n;
	if (n)
		qsort(view->rows.data, n, sizeof(struct module_row), compare_self);
	list_reveal(&view->list, n, page_of(state));
	state->function = PROFILE_NONE;
	state->tid = 0;
}

static void modules_finish(void *data)
{
	struct modules_view *view = data;

	vec_free(&view->rows);
}

static void modules_draw(const void *data, const struct view_state *state,
	const struct report *report, struct grid *grid)
{
	const struct modules_view *view = data;
	uint64_t whole = metric_of(view_metric(report), &report->total);

	grid_printf(grid, 0, 0, STYLE(ROLE_COLUMN), "%6s  %s", "Self", "Module");
	if (notice_draw_empty(grid, 1, report))
		return;
	for (size_t i = 0; i < page_of(state) && view->list.top + i < view->rows.len;
		i++) {
		const struct module_row *row = &view->rows.data[view->list.top + i];

		grid_printf(grid, 1 + (int)i, 0, STYLE(ROLE_NORMAL), "%6s  %s",
			format_percent(row->self, whole).text, row->name);
		if (view->list.top + i == view->list.cursor)
			grid_restyle(grid, 1 + (int)i, 0, 1, grid->columns,
				STYLE(ROLE_CURSOR));
	}
}

static bool modules_act(void *data, struct view_state *state, const struct report *report,
	enum action action)
{
	struct modules_view *view = data;

	(void)report;
	return list_move(&view->list, action, view->rows.len, page_of(state));
}

const struct view_ops view_modules = {
	.name = "modules",
	.title = "Modules",
	.data_size = sizeof(struct modules_view),
	.finish = modules_finish,
	.prepare = modules_prepare,
	.draw = modules_draw,
	.act = modules_act,
};
