/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/callers/callers-draw.h"

#include "ui/draw/elide.h"
#include "ui/draw/format.h"
#include "ui/view/view.h"

const struct column callers_columns[CALLERS_COLUMNS] = {
	[CALLERS_SHARE] = {"Share%", 7, 0, 0, -1, ALIGN_RIGHT},
	[CALLERS_OF_ALL] = {"All%", 7, 0, 1, -1, ALIGN_RIGHT},
	[CALLERS_BAR] = {"", 8, 24, 3, -1, ALIGN_LEFT},
	[CALLERS_TIME] = {"Time", FORMAT_SECONDS_WIDTH, 0, 5, -1, ALIGN_RIGHT},
	[CALLERS_SAMPLES] = {"Samples", 8, 0, 6, -1, ALIGN_RIGHT},
	[CALLERS_NAME] = {"Function, callers, callees", 30, 120, 0, -1, ALIGN_LEFT, 42},
	[CALLERS_MODULE] = {"Module", 12, 32, 2, -1, ALIGN_LEFT},
};

static const char *mark_of(const struct grid *grid, enum callers_kind kind)
{
	switch (kind) {
	case CALLERS_OUTERMOST:
	case CALLERS_CALLER:
		return grid_glyph(grid, GLYPH_UP);
	case CALLERS_FUNCTION:
		return "";
	case CALLERS_SELF:
		return grid_glyph(grid, GLYPH_BULLET);
	case CALLERS_CALLEE:
		return grid_glyph(grid, GLYPH_DOWN);
	}
	return "";
}

const char *callers_row_name(const struct report *report, const struct callers_row *row)
{
	if (row->kind == CALLERS_OUTERMOST)
		return "(no caller: stacks begin with it)";
	if (row->kind == CALLERS_SELF)
		return "(itself: stacks end in it)";
	return profile_function(report->profile, row->function)->name;
}

static void draw_name(const struct callers_frame *frame, struct grid *grid, int at_row,
	const struct callers_row *row)
{
	int at = frame->columns->at[CALLERS_NAME];
	int width = frame->columns->width[CALLERS_NAME];
	bool is_middle = row->kind == CALLERS_FUNCTION;
	bool is_function =
		is_middle || row->kind == CALLERS_CALLER || row->kind == CALLERS_CALLEE;
	struct style style = STYLE(is_function ? ROLE_NORMAL : ROLE_DIM);
	char text[ELIDE_MAX];

	if (is_middle)
		style = STYLE(ROLE_VALUE, ATTR_BOLD);
	if (is_function && search_hit(frame->search, row->function))
		style = STYLE(ROLE_MATCH);
	if (!is_middle) {
		int indent = row->depth > 1 ? 2 * (row->depth - 1) : 0;
		at += indent < width / 2 ? indent : width / 2;
		grid_put(grid, at_row, at, STYLE(ROLE_DIM), mark_of(grid, row->kind));
		at += 2;
		width -= at - frame->columns->at[CALLERS_NAME];
	}
	bool is_closed = row->has_callers && !row->is_open;
	if (frame->left > 0 && is_function) {
		struct grid part = grid_part(grid, at_row, at, 1, width);
		grid_put(&part, 0, -frame->left, style,
			callers_row_name(frame->report, row));
		return;
	}
	elide_name(text, sizeof(text), callers_row_name(frame->report, row),
		width - 2 * is_closed, grid_glyph(grid, GLYPH_ELLIPSIS));
	at = grid_put(grid, at_row, at, style, text);
	if (is_closed)
		grid_put(grid, at_row, at + 1, STYLE(ROLE_DIM),
			grid_glyph(grid, GLYPH_RIGHT));
}

void callers_draw_row(const struct callers_frame *frame, const struct callers_rows *rows,
	struct grid *grid, int at_row, size_t index, bool is_selected)
{
	const struct callers_row *row = &rows->data[index];
	const struct report *report = frame->report;
	bool is_middle = row->kind == CALLERS_FUNCTION;
	enum metric metric = view_metric(report);
	uint64_t weight = metric_of(metric, &row->weight);
	uint64_t total = metric_of(metric, &rows->data[0].weight);
	uint64_t whole = metric_of(metric, &report->total);
	struct style style = STYLE(is_middle ? ROLE_VALUE : ROLE_NORMAL);

	columns_put(frame->columns, grid, at_row, CALLERS_SHARE, style,
		format_percent(weight, total).text);
	columns_put(frame->columns, grid, at_row, CALLERS_OF_ALL, style,
		format_percent(weight, whole).text);
	if (frame->columns->width[CALLERS_BAR] > 0 && total > 0)
		grid_bar(grid, at_row, frame->columns->at[CALLERS_BAR],
			frame->columns->width[CALLERS_BAR],
			(double)weight / (double)total,
			STYLE(is_middle ? ROLE_BAR_TOTAL : ROLE_BAR));
	columns_put(frame->columns, grid, at_row, CALLERS_TIME, style,
		view_value(report, &row->weight).text);
	columns_put(frame->columns, grid, at_row, CALLERS_SAMPLES, style,
		view_samples(&row->weight).text);
	draw_name(frame, grid, at_row, row);
	if (row->kind != CALLERS_OUTERMOST && row->kind != CALLERS_SELF) {
		const struct function *function =
			profile_function(report->profile, row->function);
		columns_put(frame->columns, grid, at_row, CALLERS_MODULE,
			STYLE(hues_ink(frame->hues, function)), view_module(function));
	}
	if (is_selected)
		grid_restyle(grid, at_row, 0, 1, grid->columns, STYLE(ROLE_CURSOR));
}
