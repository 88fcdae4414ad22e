/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/timeline/heat-draw.h"

#include "src/base/clock.h"
#include "ui/draw/format.h"

#include <stdio.h>
#include <string.h>

enum {
	LABEL_COLUMNS = 5, /* "980 " and a blank */
	LABELS_FROM = 24,  /* columns of the screen */
	TITLE_FROM = 4,	   /* rows of the screen */
	AXIS_EVERY = 10,   /* columns of the screen, at least */
	WIDEST = 4,
	FEW_SAMPLES = 3,
};

static const struct {
	const char *unicode, *ascii;
	enum role role;
} levels[HEAT_LEVELS + 1] = {
	{" ", " ", ROLE_NORMAL},
	{"·", ".", ROLE_BAR_TOTAL},
	{"░", ":", ROLE_BAR_TOTAL},
	{"▒", "+", ROLE_BAR_TOTAL},
	{"▓", "%", ROLE_BAR},
	{"█", "#", ROLE_BAR},
};

int heat_rows(int rows)
{
	return rows >= TITLE_FROM ? rows - 2 : rows;
}

struct heat_frame heat_frame_of(const struct heat_map *map, int rows, int columns)
{
	bool titled = rows >= TITLE_FROM;
	struct heat_frame frame = {
		.row = titled,
		.column = columns >= LABELS_FROM ? LABEL_COLUMNS : 0,
		.rows = heat_rows(rows),
		.width = 1,
	};
	if (map->rows > 0 && frame.rows > (int)map->rows)
		frame.rows = (int)map->rows;
	size_t room = columns > frame.column ? (size_t)(columns - frame.column) : 0;

	while (frame.width < WIDEST && map->columns * ((size_t)frame.width + 1) <= room)
		frame.width++;
	frame.columns = (int)room / frame.width;
	return frame;
}

/* With few samples in a cell its darkness is chance, and a reader must know that. */
static void draw_title(const struct heat_picture *picture, struct grid *grid)
{
	const struct heat_map *map = picture->map;
	double samples = map->samples_per_cell;
	const char *few = samples < FEW_SAMPLES ? "only " : "";
	char darkest[64];

	if (picture->kind == VALUE_TIME)
		snprintf(darkest, sizeof(darkest), " %s of a CPU",
			format_share(map->densest).text);
	else
		snprintf(darkest, sizeof(darkest), " %s a second",
			format_count((uint64_t)(map->densest * NS_PER_SEC)).text);
	grid_fill(grid, 0, 0, 1, grid->columns, STYLE(ROLE_COLUMN));
	int column = grid_printf(grid, 0, 1, STYLE(ROLE_COLUMN), "column %s, row %s, ",
		format_duration(map->column_ns).text, format_duration(map->row_ns).text);
	column = grid_put(grid, 0, column, STYLE(ROLE_COLUMN_SORTED),
		grid->ascii ? levels[HEAT_LEVELS].ascii : levels[HEAT_LEVELS].unicode);
	column = grid_put(grid, 0, column, STYLE(ROLE_COLUMN), darkest);
	grid_printf(grid, 0, column, STYLE(ROLE_COLUMN), ", %s%.1f samples in %s", few,
		samples, format_duration(picture->timeline->cell_ns).text);
}

static void draw_labels(const struct heat_picture *picture,
	const struct heat_frame *frame, struct grid *grid)
{
	const struct heat_map *map = picture->map;

	for (int y = 0; y < frame->rows; y++) {
		size_t row = picture->top + (size_t)y;
		if (row >= map->rows || frame->column == 0)
			break;
		uint64_t offset_ns = row * map->row_ns;
		if (map->column_ns == NS_PER_SEC)
			grid_printf(grid, frame->row + y, 0, STYLE(ROLE_DIM), "%*u",
				LABEL_COLUMNS - 2, (unsigned)(offset_ns / NS_PER_MS));
		else
			grid_printf(grid, frame->row + y, 0, STYLE(ROLE_DIM), "%*.1f",
				LABEL_COLUMNS - 1, (double)offset_ns / NS_PER_SEC);
	}
}

static bool overlaps(const struct heat_picture *picture, struct heat_place place)
{
	return heat_map_from(picture->map, place) < picture->to_ns &&
	       heat_map_to(picture->map, place) > picture->from_ns;
}

static void draw_cell(const struct heat_picture *picture, struct heat_place place,
	struct grid *grid, int y, int x, int width)
{
	int level = heat_map_level(picture->map, place);
	struct style style = STYLE(levels[level].role);

	if (place.column == picture->cursor.column && place.row == picture->cursor.row)
		style = STYLE(ROLE_MATCH);
	else if (overlaps(picture, place))
		style = STYLE(ROLE_CURSOR);
	for (int i = 0; i < width; i++)
		grid_put(grid, y, x + i, style,
			grid->ascii ? levels[level].ascii : levels[level].unicode);
}

/* What stands below a column: a note before what went wrong, that before nothing. */
static const char *sign_of(const struct timeline *timeline, uint64_t from_ns,
	uint64_t to_ns, bool ascii, enum role *role)
{
	static const char *const signs[STRAIN_KINDS] = {"!", "~"};
	enum strain_kind worst = STRAIN_KINDS;

	for (size_t i = 0; i < timeline->n_notes; i++)
		if (timeline->notes[i].time_ns >= from_ns &&
			timeline->notes[i].time_ns < to_ns) {
			*role = ROLE_WARN;
			return ascii ? "v" : "▾";
		}
	for (size_t i = 0; i < timeline->n_strains; i++)
		if (timeline->strains[i].to_ns > from_ns &&
			timeline->strains[i].from_ns < to_ns &&
			timeline->strains[i].kind < worst)
			worst = timeline->strains[i].kind;
	*role = worst == STRAIN_LOST ? ROLE_BAD : ROLE_WARN;
	return worst == STRAIN_KINDS ? NULL : signs[worst];
}

/* The sign below column COLUMN of the map, or NULL. */
static const char *sign_below(
	const struct heat_picture *picture, size_t column, bool ascii, enum role *role)
{
	const struct heat_map *map = picture->map;
	uint64_t from_ns = map->first_ns + column * map->column_ns;

	if (column >= map->columns)
		return NULL;
	return sign_of(picture->timeline, from_ns, from_ns + map->column_ns, ascii, role);
}

/* "-1m30s": how long before the end; of a file, after its beginning. */
static void name_column(
	const struct heat_picture *picture, uint64_t from_ns, char *text, size_t size)
{
	const struct heat_map *map = picture->map;
	uint64_t ns = picture->is_file
			      ? from_ns > map->start_ns ? from_ns - map->start_ns : 0
		      : map->end_ns > from_ns ? map->end_ns - from_ns
					      : 0;

	ns -= ns % NS_PER_SEC;
	if (ns == 0) {
		snprintf(text, size, "%s", picture->is_file ? "0 s" : "now");
		return;
	}
	snprintf(text, size, "%s%s", picture->is_file ? "" : "-",
		format_duration(ns).text);
}

/* A column is named if there is no sign where its name would be. */
static void draw_axis(const struct heat_picture *picture, const struct heat_frame *frame,
	struct grid *grid)
{
	const struct heat_map *map = picture->map;
	int row = frame->row + frame->rows;
	size_t every = frame->width > 1 ? AXIS_EVERY / 2 : AXIS_EVERY;
	enum role role;

	for (int x = 0; x < frame->columns; x++) {
		size_t column = picture->left + (size_t)x;
		uint64_t from_ns = map->first_ns + column * map->column_ns;
		const char *sign = sign_below(picture, column, grid->ascii, &role);
		char name[40];
		if (sign)
			grid_put(grid, row, frame->column + x * frame->width, STYLE(role),
				sign);
		if (column >= map->columns || from_ns / map->column_ns % every != 0)
			continue;
		name_column(picture, from_ns, name, sizeof(name));
		size_t covered = (strlen(name) + 1) / (size_t)frame->width + 1;
		for (size_t i = 0; i < covered && !sign; i++)
			sign = sign_below(picture, column + i, grid->ascii, &role);
		if (!sign)
			grid_printf(grid, row, frame->column + x * frame->width,
				STYLE(ROLE_DIM), "%s%s", grid_glyph(grid, GLYPH_VERTICAL),
				name);
	}
}

void heat_draw(const struct heat_picture *picture, struct grid *grid)
{
	const struct heat_map *map = picture->map;
	struct heat_frame frame = heat_frame_of(map, grid->rows, grid->columns);

	if (frame.row > 0) {
		draw_title(picture, grid);
		draw_axis(picture, &frame, grid);
	}
	draw_labels(picture, &frame, grid);
	for (int x = 0; x < frame.columns; x++)
		for (int y = 0; y < frame.rows; y++) {
			struct heat_place place = {
				picture->left + (size_t)x, picture->top + (size_t)y};
			if (place.column < map->columns && place.row < map->rows)
				draw_cell(picture, place, grid, frame.row + y,
					frame.column + x * frame.width, frame.width);
		}
}
