/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/timeline/strip.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "ui/draw/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	LABEL_COLUMNS = 7, /* "12.3h " and "1200% " at the left */
	LEAST_COLUMNS = 30,
	NOTE_LEAST = 4, /* columns of the text of a note */
	NOTE_MOST = 24,
};

/* A column of bars. */
struct bar {
	uint64_t value;	 /* of what is counted, or what the kernel charged */
	uint64_t length; /* the part of the column that is kept, in ns */
};

int strip_rows(int rows, int columns)
{
	if (columns < LEAST_COLUMNS)
		return 0;
	return rows >= 48 ? 4 : rows >= 36 ? 3 : rows >= 20 ? 2 : rows >= 16 ? 1 : 0;
}

struct time_scale strip_scale(const struct timeline *timeline, int columns)
{
	return time_scale_all(timeline, LABEL_COLUMNS, columns);
}

/* --- bars --------------------------------------------------------------------------- */

/* What the kernel charged is the truth of the whole; of a part only samples tell. */
static bool shows_charged(const struct timeline *timeline)
{
	return timeline->is_charged && !timeline->is_part;
}

static void measure(
	const struct timeline *timeline, const struct time_scale *scale, struct bar *bars)
{
	for (int x = scale->left; x < scale->columns; x++) {
		uint64_t from_ns = time_scale_time(scale, x);
		uint64_t to_ns = from_ns + scale->column_ns;
		struct timeline_cell sum = timeline_sum(timeline, from_ns, to_ns);
		if (from_ns < timeline->start_ns)
			from_ns = timeline->start_ns;
		if (to_ns > timeline->end_ns)
			to_ns = timeline->end_ns;
		bars[x] = (struct bar){
			.value = shows_charged(timeline) ? sum.charged_ns : sum.value,
			.length = to_ns > from_ns ? to_ns - from_ns : 1,
		};
	}
}

/* The first and the last column may be short; a sample in them must not look like the
   highest load of all. */
static double height_of(
	const struct bar *bar, const struct time_scale *scale, enum value_kind kind)
{
	uint64_t least = scale->column_ns / 4;

	if (kind != VALUE_TIME)
		return (double)bar->value;
	return (double)bar->value / (double)(bar->length > least ? bar->length : least);
}

/* The next round share of a CPU: 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 6, 8, 10, 20... */
static double round_up(double share)
{
	static const double steps[] = {1, 2, 3, 4, 6, 8, 10};
	double power = 0.01;

	if (share <= 0.05)
		return 0.05;
	while (power * 10 < share)
		power *= 10;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (share <= steps[i] * power * 1.0001)
			return steps[i] * power;
	return 10 * power;
}

static bool is_inside(
	const struct strip_input *input, const struct time_scale *scale, int x)
{
	return input->to_ns > input->from_ns &&
	       x >= time_scale_column(scale, input->from_ns) &&
	       x <= time_scale_column(scale, input->to_ns - 1);
}

static void draw_bars(const struct strip_input *input, const struct time_scale *scale,
	struct grid *grid, int rows)
{
	struct bar *bars = mem_zalloc(((size_t)grid->columns + 1) * sizeof(*bars));
	double highest = 0;

	measure(input->timeline, scale, bars);
	for (int x = scale->left; x < scale->columns; x++) {
		double height = height_of(&bars[x], scale, input->kind);
		highest = height > highest ? height : highest;
	}
	double top = input->kind == VALUE_TIME ? round_up(highest) : highest;
	for (int x = scale->left; x < scale->columns && top > 0; x++) {
		double part = height_of(&bars[x], scale, input->kind) / top * rows;
		enum role role = is_inside(input, scale, x) ? ROLE_BAR_TOTAL : ROLE_DIM;
		for (int row = 0; row < rows; row++)
			grid_spark(grid, rows - 1 - row, x, part - row, STYLE(role));
	}
	char scale_text[32];
	if (input->kind == VALUE_TIME)
		snprintf(scale_text, sizeof(scale_text), "%.0f%%", top * 100);
	else
		snprintf(scale_text, sizeof(scale_text), "%s",
			input->kind == VALUE_BYTES ? format_bytes((uint64_t)top).text
						   : format_count((uint64_t)top).text);
	grid_put_field(grid, 0, 0, LABEL_COLUMNS - 1, ALIGN_RIGHT, STYLE(ROLE_LABEL),
		scale_text);
	free(bars);
}

/* --- the line below ----------------------------------------------------------------- */

static void draw_bracket(const struct strip_input *input, const struct time_scale *scale,
	struct grid *grid, int row)
{
	if (input->to_ns <= input->from_ns)
		return;
	int left = time_scale_column(scale, input->from_ns);
	int right = time_scale_column(scale, input->to_ns - 1);
	if (left == right) { /* one column: both ends of the bracket in a cell */
		grid_put(grid, row, left, STYLE(ROLE_VALUE), grid->ascii ? "#" : "█");
		return;
	}
	grid_put(grid, row, left, STYLE(ROLE_VALUE), "[");
	grid_put(grid, row, right, STYLE(ROLE_VALUE), "]");
}

static void draw_line(const struct strip_input *input, const struct time_scale *scale,
	struct grid *grid, int row)
{
	for (int x = scale->left; x < scale->columns; x++) {
		bool inside = is_inside(input, scale, x);
		grid_put(grid, row, x, STYLE(inside ? ROLE_VALUE : ROLE_DIM),
			inside ? grid->ascii ? "=" : "━"
			       : grid_glyph(grid, GLYPH_HORIZONTAL));
	}
}

/* The worst last, so that it is on top. */
static void draw_strains(const struct timeline *timeline, const struct time_scale *scale,
	struct grid *grid, int row)
{
	static const struct {
		enum strain_kind kind;
		enum role role;
		const char *text;
	} signs[STRAIN_KINDS] = {
		{STRAIN_LATE, ROLE_WARN, "~"},
		{STRAIN_LOST, ROLE_BAD, "!"},
	};

	for (size_t sign = 0; sign < STRAIN_KINDS; sign++)
		for (size_t i = 0; i < timeline->n_strains; i++) {
			const struct strain *strain = &timeline->strains[i];
			if (strain->kind != signs[sign].kind)
				continue;
			int last = time_scale_column(scale, strain->to_ns - 1);
			for (int x = time_scale_column(scale, strain->from_ns); x <= last;
				x++)
				grid_put(grid, row, x, STYLE(signs[sign].role),
					signs[sign].text);
		}
}

/* The first column behind X that is taken: by the next note, or an end of the bracket. */
static int room_ends(const struct strip_input *input, const struct time_scale *scale,
	size_t note, int x)
{
	const struct timeline *timeline = input->timeline;
	int end = scale->columns;

	if (note + 1 < timeline->n_notes)
		end = time_scale_column(scale, timeline->notes[note + 1].time_ns);
	if (input->to_ns <= input->from_ns)
		return end;
	int left = time_scale_column(scale, input->from_ns);
	int right = time_scale_column(scale, input->to_ns - 1);
	if (right > x && right < end)
		end = right;
	return left > x && left < end ? left : end;
}

/* Each note, with as much of its text as there is room. */
static void draw_notes(const struct strip_input *input, const struct time_scale *scale,
	struct grid *grid, int row)
{
	const struct timeline *timeline = input->timeline;

	for (size_t i = 0; i < timeline->n_notes; i++) {
		const struct time_mark *note = &timeline->notes[i];
		if (note->time_ns < timeline->start_ns ||
			note->time_ns >= timeline->end_ns)
			continue;
		int x = time_scale_column(scale, note->time_ns);
		int room = room_ends(input, scale, i, x) - x - 1;
		int width = grid_text_width(note->text);
		width = width < NOTE_MOST ? width : NOTE_MOST;
		grid_put(grid, row, x, STYLE(ROLE_WARN), grid->ascii ? "v" : "▾");
		if (room >= NOTE_LEAST)
			grid_put_field(grid, row, x + 1, width < room ? width : room,
				ALIGN_LEFT, STYLE(ROLE_LABEL), note->text);
		else if (i == 0 && x - width > scale->left)
			/* A trigger's own is where its file ends. */
			grid_put_field(grid, row, x - width, width, ALIGN_LEFT,
				STYLE(ROLE_LABEL), note->text);
	}
}

static void draw_axis(const struct strip_input *input, const struct time_scale *scale,
	struct grid *grid, int row)
{
	const struct timeline *timeline = input->timeline;
	uint64_t length_ns = timeline->end_ns - timeline->start_ns;

	if (length_ns >= NS_PER_SEC)
		length_ns -= length_ns % NS_PER_SEC;
	grid_put_field(grid, row, 0, LABEL_COLUMNS - 1, ALIGN_RIGHT, STYLE(ROLE_DIM),
		format_duration(length_ns).text);
	draw_line(input, scale, grid, row);
	draw_strains(timeline, scale, grid, row);
	draw_bracket(input, scale, grid, row);
	draw_notes(input, scale, grid, row);
}

void strip_draw(const struct strip_input *input, struct grid *grid)
{
	if (grid->rows < 1 || grid->columns <= LABEL_COLUMNS)
		return;
	if (!input->timeline) {
		grid_put_field(grid, 0, 0, grid->columns, ALIGN_LEFT, STYLE(ROLE_DIM),
			input->has_no_times
				? "no timeline: the file does not say when its samples "
				  "were taken"
				: "");
		return;
	}
	struct time_scale scale = strip_scale(input->timeline, grid->columns);
	int bar_rows = grid->rows > 1 ? grid->rows - 1 : 1;
	draw_bars(input, &scale, grid, bar_rows);
	if (grid->rows > 1)
		draw_axis(input, &scale, grid, grid->rows - 1);
	else /* the brackets stand between the bars */
		draw_bracket(input, &scale, grid, 0);
}
