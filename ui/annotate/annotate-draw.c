/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/annotate/annotate-draw.h"

#include "ui/draw/elide.h"
#include "ui/draw/format.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	PERCENT_COLUMNS = FORMAT_PERCENT_WIDTH + 1,
	BAR_COLUMNS = 8,
	BAR_FROM_COLUMNS = 100, /* a narrower screen has no bars */
	TOTAL_FROM_COLUMNS = 60,
	LINE_COLUMNS = 6,
	BYTES_SHOWN = 8,
	HOT_SHARE = 20, /* what is hot: a twentieth of its function or more */
};

struct words {
	char text[256];
};

/* Where the columns are. */
struct places {
	int self, total, bar, line, text; /* -1: left out */
};

static struct places places_of(const struct grid *grid)
{
	bool has_total = grid->columns >= TOTAL_FROM_COLUMNS;
	bool has_bar = grid->columns >= BAR_FROM_COLUMNS;
	struct places places = {.self = 0, .total = -1, .bar = -1};
	int at = PERCENT_COLUMNS;
	if (has_total) {
		places.total = at;
		at += PERCENT_COLUMNS;
	}
	if (has_bar) {
		places.bar = at;
		at += BAR_COLUMNS + 1;
	}
	places.line = at;
	places.text = at + LINE_COLUMNS + 1;
	return places;
}

static uint64_t whole_of(const struct annotate_frame *frame)
{
	return metric_of(view_metric(frame->report), &frame->report->total);
}

/* --- above the rows -------------------------------------------------------------------- */

void annotate_draw_function(
	const struct annotate_frame *frame, struct grid *grid, int row)
{
	enum metric metric = view_metric(frame->report);
	const struct cost *cost = &frame->parts->cost;
	char name[ELIDE_MAX];
	if (cost->function == PROFILE_NONE)
		return;
	const struct function *function =
		profile_function(frame->report->profile, cost->function);
	char sums[96];
	snprintf(sums, sizeof(sums), "  self %s  total %s",
		format_percent(metric_of(metric, &cost->self), whole_of(frame)).text,
		format_percent(metric_of(metric, &cost->total), whole_of(frame)).text);
	int room = grid->columns - (int)strlen(sums);
	elide_name(name, sizeof(name), function->name, room > 8 ? room : 8,
		grid_glyph(grid, GLYPH_ELLIPSIS));
	int at = grid_put(grid, row, 0, STYLE(ROLE_NORMAL, ATTR_BOLD), name);
	const char *module = view_module(function);
	if (module[0] && at + (int)strlen(module) + 2 <= room)
		at = grid_printf(grid, row, at, STYLE(ROLE_DIM), "  %s", module);
	grid_put(grid, row, at, STYLE(ROLE_VALUE), sums);
}

void annotate_draw_titles(const struct annotate_frame *frame, struct grid *grid, int row)
{
	struct places places = places_of(grid);
	grid_fill(grid, row, 0, 1, grid->columns, STYLE(ROLE_COLUMN));
	grid_put_field(grid, row, places.self, FORMAT_PERCENT_WIDTH, ALIGN_RIGHT,
		STYLE(ROLE_COLUMN), "Self");
	if (places.total >= 0)
		grid_put_field(grid, row, places.total, FORMAT_PERCENT_WIDTH, ALIGN_RIGHT,
			STYLE(ROLE_COLUMN), "Total");
	grid_put_field(grid, row, places.line, LINE_COLUMNS, ALIGN_RIGHT,
		STYLE(ROLE_COLUMN), "Line");
	grid_put(grid, row, places.text, STYLE(ROLE_COLUMN),
		frame->parts->annotation.has_lines ? "Source" : "Instructions");
}

/* --- a row ------------------------------------------------------------------------------ */

static void draw_weight(const struct annotate_frame *frame, struct grid *grid, int row,
	const struct places *places, const struct annotation_row *of)
{
	enum metric metric = view_metric(frame->report);
	uint64_t self = metric_of(metric, &of->self);
	uint64_t total = metric_of(metric, &of->total);
	uint64_t all = metric_of(metric, &frame->parts->cost.self);
	bool is_hot = self > 0 && self >= all / HOT_SHARE;
	struct style hot = is_hot ? STYLE(ROLE_VALUE, ATTR_BOLD) : STYLE(ROLE_NORMAL);
	if (self > 0)
		grid_put_field(grid, row, places->self, FORMAT_PERCENT_WIDTH, ALIGN_RIGHT,
			hot, format_percent(self, whole_of(frame)).text);
	if (total > 0 && places->total >= 0)
		grid_put_field(grid, row, places->total, FORMAT_PERCENT_WIDTH,
			ALIGN_RIGHT, STYLE(ROLE_NORMAL),
			format_percent(total, whole_of(frame)).text);
	if (self > 0 && all > 0 && places->bar >= 0)
		grid_bar(grid, row, places->bar, BAR_COLUMNS, (double)self / (double)all,
			STYLE(ROLE_BAR));
}

static void draw_bytes(const struct annotate_frame *frame, char *text, size_t size,
	const struct instruction *code)
{
	const unsigned char *bytes = assembly_bytes_of(frame->parts->assembly, code);
	size_t used = 0;
	for (int i = 0; i < BYTES_SHOWN && used + 4 < size; i++)
		used += (size_t)snprintf(text + used, size - used,
			i < code->length ? "%02x " : "   ",
			bytes[i < code->length ? i : 0]);
	if (code->length > BYTES_SHOWN && used + 2 < size)
		snprintf(text + used - 1, size - used, "+");
}

/* The columns before an instruction's text: its address, its bytes, and arrows. */
static int code_indent(const struct annotate_frame *frame)
{
	int lanes = frame->arrows->lanes;
	return 9 + (frame->bytes ? 3 * BYTES_SHOWN + 1 : 0) + (lanes ? lanes + 2 : 1);
}

/* What an instruction says, without a destination that is told behind it. */
static struct words words_of(
	const struct annotate_frame *frame, const struct instruction *code)
{
	struct words words;
	snprintf(words.text, sizeof(words.text), "%.*s",
		(int)assembly_text_length(code, frame->syntax),
		code->texts[frame->syntax]);
	return words;
}

static void draw_code(const struct annotate_frame *frame, struct grid *grid, int row,
	const struct annotation_row *of)
{
	const struct assembly *assembly = frame->parts->assembly;
	const struct instruction *code = &assembly->instructions[of->instruction];
	char bytes[4 * BYTES_SHOWN + 4] = "";
	int at = -frame->left;
	grid_printf(grid, row, at, STYLE(ROLE_DIM), "%8" PRIx64,
		(code->address - assembly->bias) & 0xffffffff);
	if (frame->bytes) {
		draw_bytes(frame, bytes, sizeof(bytes), code);
		grid_put(grid, row, at + 9, STYLE(ROLE_DIM), bytes);
	}
	at = grid_put(grid, row, at + code_indent(frame),
		code->kind == INSTRUCTION_UNKNOWN || code->is_changed
			? STYLE(ROLE_WARN)
			: STYLE(ROLE_NORMAL),
		words_of(frame, code).text);
	if (!code->has_target)
		return;
	if (code->to != ASSEMBLY_NONE)
		grid_printf(grid, row, at, STYLE(ROLE_DIM), "  %s %" PRIx64,
			grid_glyph(grid, GLYPH_RIGHT),
			(assembly->instructions[code->to].address - assembly->bias) &
				0xffffffff);
	else if (code->target_name[0])
		grid_printf(grid, row, at, STYLE(ROLE_LABEL), "  %s %s",
			grid_glyph(grid, GLYPH_RIGHT), code->target_name);
}

static const char *name_of_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

static void draw_file(const struct annotate_frame *frame, struct grid *grid, int row,
	const struct annotation_row *of)
{
	const char *path = of->text[0] ? of->text : "no source file is known";
	int at = grid_put(
		grid, row, -frame->left, STYLE(ROLE_LABEL, ATTR_UNDERLINE), path);
	if (of->source && strcmp(source_file_path(of->source), of->text) != 0)
		grid_printf(grid, row, at, STYLE(ROLE_DIM), "  found at %s",
			source_file_path(of->source));
}

/* What stands right of the numbers, in a grid of its own. */
static void draw_text(const struct annotate_frame *frame, struct grid *grid, int row,
	const struct annotation_row *of)
{
	switch (of->kind) {
	case ANNOTATION_FILE:
		draw_file(frame, grid, row, of);
		break;
	case ANNOTATION_LINE:
		if (of->words)
			grid_put(grid, row, -frame->left, STYLE(ROLE_NORMAL),
				of->words->text);
		else
			grid_put(grid, row, -frame->left, STYLE(ROLE_DIM),
				of->line ? name_of_path(of->file) : "line unknown");
		break;
	case ANNOTATION_CODE:
		draw_code(frame, grid, row, of);
		break;
	case ANNOTATION_INLINE:
		grid_printf(grid, row, -frame->left, STYLE(ROLE_LABEL),
			"   inlined %s  %s:%u", of->text, name_of_path(of->file),
			of->line);
		break;
	case ANNOTATION_GAP:
		grid_printf(grid, row, -frame->left, STYLE(ROLE_DIM),
			"%u lines without cost", of->left_out);
		break;
	case ANNOTATION_NOTE:
		grid_put(grid, row, -frame->left, STYLE(ROLE_WARN), of->text);
		break;
	}
}

static void draw_row(const struct annotate_frame *frame, struct grid *grid, int row,
	const struct annotation_row *of)
{
	struct places places = places_of(grid);
	bool is_wide = of->kind == ANNOTATION_FILE || of->kind == ANNOTATION_NOTE;
	int text = is_wide ? places.line : places.text;
	struct grid part = grid_part(grid, row, text, 1, grid->columns - text);
	if (of->kind != ANNOTATION_NOTE && of->kind != ANNOTATION_GAP)
		draw_weight(frame, grid, row, &places, of);
	if (of->kind == ANNOTATION_LINE && of->line > 0) {
		grid_printf(grid, row, places.line, STYLE(ROLE_DIM), "%*u",
			LINE_COLUMNS - 1, of->line);
		if (of->n_below > 0)
			grid_put(grid, row, places.line + LINE_COLUMNS - 1,
				STYLE(ROLE_DIM),
				grid_glyph(grid, shown_rows_is_unfolded(frame->rows, of)
							 ? GLYPH_DOWN
							 : GLYPH_RIGHT));
	}
	draw_text(frame, &part, 0, of);
}

const char *annotate_words(const struct annotate_frame *frame, size_t place)
{
	const struct annotation_row *row = shown_row(frame->rows, place);
	if (!row)
		return "";
	if (row->kind == ANNOTATION_CODE)
		return frame->parts->assembly->instructions[row->instruction]
			.texts[frame->syntax];
	return row->kind == ANNOTATION_LINE ? row->words ? row->words->text : ""
					    : row->text;
}

void annotate_draw_rows(const struct annotate_frame *frame, struct grid *grid, int row,
	size_t top, size_t cursor)
{
	struct places places = places_of(grid);
	size_t bottom = top + (size_t)(grid->rows > row ? grid->rows - row : 0);
	if (bottom > frame->rows->list.len)
		bottom = frame->rows->list.len;
	for (size_t i = top; i < bottom; i++)
		draw_row(frame, grid, row + (int)(i - top), shown_row(frame->rows, i));
	if (frame->left == 0 && frame->arrows->lanes > 0)
		arrows_draw(frame->arrows, grid, row, top, bottom,
			places.text + code_indent(frame));
	for (size_t i = top; i < bottom; i++) {
		int y = row + (int)(i - top);
		if (frame->search->pattern &&
			pattern_matches(frame->search->pattern, annotate_words(frame, i)))
			grid_restyle(
				grid, y, places.line, 1, LINE_COLUMNS, STYLE(ROLE_MATCH));
		if (i == cursor)
			grid_restyle(grid, y, 0, 1, grid->columns, STYLE(ROLE_CURSOR));
	}
}

/* --- the status line -------------------------------------------------------------------- */

void annotate_describe(
	const struct annotate_frame *frame, size_t place, char *text, size_t size)
{
	const struct annotation_row *row = shown_row(frame->rows, place);
	if (!row || row->kind == ANNOTATION_GAP)
		return;
	if (row->kind == ANNOTATION_NOTE || row->kind == ANNOTATION_FILE) {
		snprintf(text, size, "%s", row->text);
		return;
	}
	int used = 0;
	if (row->kind == ANNOTATION_CODE)
		used = snprintf(text, size, "0x%" PRIx64 "  ",
			frame->parts->assembly->instructions[row->instruction].address -
				frame->parts->assembly->bias);
	if (used >= 0 && (size_t)used < size)
		snprintf(text + used, size - (size_t)used, "%s:%u  self %s  total %s%s%s",
			row->file[0] ? name_of_path(row->file) : "?", row->line,
			view_value(frame->report, &row->self).text,
			view_value(frame->report, &row->total).text,
			row->kind == ANNOTATION_INLINE ? "  inlined " : "",
			row->kind == ANNOTATION_INLINE ? row->text : "");
}
