/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/flame/flame-draw.h"

#include "ui/draw/elide.h"
#include "ui/draw/format.h"
#include "ui/view/changed.h"
#include "ui/view/notice.h"
#include "ui/view/view.h"

#include <stdio.h>
#include <string.h>

enum {
	TITLE_NAME = 32, /* columns for each function of a zoomed path */
	LEAST_NAME = 8,	 /* columns that a name should have beside a change */
	TITLE_SHARE = 20 /* and for "  100.0% of all" after it */
};

const char *flame_node_name(const struct report *report, const struct report_node *node)
{
	return node->function == PROFILE_NONE
		       ? "all"
		       : profile_function(report->profile, node->function)->name;
}

uint32_t flame_cell_hit(const struct flame_cell *cell, const struct search *search,
	const struct report *report)
{
	uint32_t node = cell->last;

	for (;; node = report->nodes[node].parent) {
		uint32_t function = report->nodes[node].function;
		if (cell->merged > 0 || search_hit(search, function))
			return cell->merged > 0 ? PROFILE_NONE : function;
		if (node == cell->node)
			return PROFILE_NONE;
	}
}

/* "... 16 frames to main": the child as far as there is room. */
static void describe_fold(char *text, size_t size, const struct flame_cell *cell,
	int width, const struct report *report, const char *ellipsis)
{
	int used = snprintf(text, size, "%s %u frames to ", ellipsis, cell->folded);

	width -= grid_text_width(text);
	if (width > 0)
		elide_name(text + used, size - (size_t)used,
			flame_node_name(report, &report->nodes[cell->next]), width,
			ellipsis);
}

static struct style cell_style(const struct flame_cell *cell,
	const struct view_state *state, const struct report *report)
{
	uint32_t id = report->nodes[cell->node].function;

	if (flame_cell_hit(cell, &state->search, report) != PROFILE_NONE)
		return STYLE(ROLE_MATCH);
	if (cell->merged > 0 || cell->folded > 0 || id == PROFILE_NONE)
		return STYLE(ROLE_OTHER);
	if (report->difference)
		return STYLE(changed_cell_role(&report->difference->node[cell->node]));
	return STYLE(hues_cell(&state->hues, profile_function(report->profile, id)));
}

/* The change before the name, or only its sign if there is no room for more; the sign is
   what can be read without colours. Returns where it ends. */
static int draw_change(struct grid *grid, int row, const struct flame_cell *cell,
	struct style style, const struct report *report)
{
	const struct change *change = &report->difference->node[cell->node];
	struct format by = changed_by(report, change);
	int x = (int)cell->x;

	if (!change->real || !by.text[0])
		return x;
	by.text[strlen(by.text) - 1] = '\0'; /* the star: the sign is there only then */
	if ((int)cell->width < (int)strlen(by.text) + LEAST_NAME)
		by.text[1] = '\0';
	return grid_put(grid, row, x + 1, style, by.text);
}

void flame_draw_cell(struct grid *grid, int row, const struct flame_cell *cell,
	bool selected, const struct view_state *state, const struct report *report)
{
	const char *ellipsis = grid_glyph(grid, GLYPH_ELLIPSIS);
	struct style style = cell_style(cell, state, report);
	int x = (int)cell->x, width = (int)cell->width;
	char text[ELIDE_MAX];

	if (selected)
		style = STYLE(view_cursor_role(state),
			style.role == ROLE_MATCH ? ATTR_UNDERLINE : 0);
	grid_fill(grid, row, x, 1, width, style);
	if (x > 0)
		grid_put(grid, row, x, style, grid_glyph(grid, GLYPH_EDGE));
	if (width < 2)
		return;
	if (cell->merged == 0 && cell->folded == 0 && report->difference) {
		x = draw_change(grid, row, cell, style, report);
		width -= x - (int)cell->x;
		if (width < 2)
			return;
	}
	if (cell->merged > 0)
		snprintf(text, sizeof(text), "%s %u more", ellipsis, cell->merged);
	else if (cell->folded > 0)
		describe_fold(text, sizeof(text), cell, width - 1, report, ellipsis);
	else
		elide_name(text, sizeof(text),
			flame_node_name(report, &report->nodes[cell->node]), width - 1,
			ellipsis);
	if ((cell->merged > 0 || cell->folded > 0) && grid_text_width(text) > width - 1)
		snprintf(text, sizeof(text), "%s", ellipsis);
	grid_put(grid, row, x + 1, style, text);
}

static void title_name(const struct grid *grid, const struct report *report,
	uint32_t function, char *out)
{
	elide_name(out, ELIDE_MAX, profile_function(report->profile, function)->name,
		TITLE_NAME, grid_glyph(grid, GLYPH_ELLIPSIS));
}

/* The index of the first function of PATH that is shown; the last one always is. */
static size_t first_that_fits(const struct grid *grid, const struct report *report,
	const uint32_t *path, size_t length, int room)
{
	char name[ELIDE_MAX];
	size_t first = length;

	while (first > 0) {
		title_name(grid, report, path[first - 1], name);
		room -= grid_text_width(name) + 3;
		if (room < 0 && first < length)
			break;
		first--;
	}
	return first;
}

void flame_draw_title(struct grid *grid, const struct report *report,
	const uint32_t *path, size_t length, const struct flame_cell *root)
{
	struct style style = STYLE(ROLE_COLUMN);
	char name[ELIDE_MAX];

	grid_fill(grid, 0, 0, 1, grid->columns, style);
	int column = grid_put(grid, 0, 0, style, "Zoom ");
	size_t first = first_that_fits(
		grid, report, path, length, grid->columns - column - TITLE_SHARE);
	if (first > 0)
		column = grid_put(
			grid, 0, column, style, grid_glyph(grid, GLYPH_ELLIPSIS));
	for (size_t i = first; i < length; i++) {
		title_name(grid, report, path[i], name);
		if (i > 0)
			column = grid_printf(grid, 0, column, style, " %s ",
				grid_glyph(grid, GLYPH_RIGHT));
		column = grid_put(grid, 0, column,
			i + 1 == length ? STYLE(ROLE_COLUMN_SORTED) : style, name);
	}
	if (root)
		grid_printf(grid, 0, column, style, "  %s of all",
			format_percent(root->weight,
				metric_of(view_metric(report), report_around(report)))
				.text);
}

void flame_draw_absence(
	struct grid *grid, int top, const struct report *report, uint32_t function)
{
	char first[ELIDE_MAX + 64], name[ELIDE_MAX];
	const char *const lines[] = {
		first, "It comes back with its samples; Esc goes back up.", NULL};

	title_name(grid, report, function, name);
	snprintf(first, sizeof(first), "%s has not run in this window.", name);
	notice_draw(grid, top, lines);
}

void flame_status(char *text, size_t size, const struct report *report,
	const struct flame_layout *layout, const struct flame_cursor *cursor, bool zoomed)
{
	const struct flame_cell *cell = &layout->cells.data[cursor->cell];
	enum metric metric = view_metric(report);
	uint64_t all = metric_of(metric, report_around(report)), self, total;
	char name[ELIDE_MAX], zoom[64] = "", change[128];

	/* The cursor may be on a node inside an "other" cell, for example after a search;
	   then that node is named. */
	bool mixed = cell->merged > 0 && cursor->node == cell->node;
	const struct report_node *node =
		&report->nodes[mixed || !cursor->exact ? cell->node : cursor->node];
	self = mixed ? 0 : metric_of(metric, &node->self);
	total = mixed ? cell->weight : metric_of(metric, &node->total);
	if (zoomed)
		snprintf(zoom, sizeof(zoom), ", %s of zoom",
			format_percent(total, layout->cells.data[0].weight).text);
	if (mixed) {
		snprintf(text, size, "%u functions too narrow to show: %s of all%s",
			cell->merged, format_percent(total, all).text, zoom);
		return;
	}
	if (cell->folded > 0 && node == &report->nodes[cell->node]) {
		snprintf(text, size,
			"%u callers in a row without a branch: Enter or s shows them",
			cell->folded);
		return;
	}
	elide_name(name, sizeof(name), flame_node_name(report, node), 60, "~");
	if (report->difference) {
		changed_describe(report, &report->difference->node[node - report->nodes],
			change, sizeof(change));
		snprintf(text, size, "%s  total %s", name, change);
		return;
	}
	/* The least important comes last, because the line may be cut. */
	snprintf(text, size, "%s  %s of all%s, self %s; %s  %s", name,
		format_percent(total, all).text, zoom, format_percent(self, all).text,
		view_samples_told(&node->total).text,
		node->function == PROFILE_NONE
			? ""
			: view_module(profile_function(report->profile, node->function)));
}
