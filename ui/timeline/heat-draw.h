/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heat-draw: a heat map as cells of the screen.
 *
 * A title says what a cell is; at the left stand the fractions of a second, below the
 * times of the columns. Pure. UI thread.
 */
#ifndef CPROFTOP_UI_HEAT_DRAW_H
#define CPROFTOP_UI_HEAT_DRAW_H

#include "src/facts/origin.h"
#include "ui/draw/grid.h"
#include "ui/timeline/heat-map.h"

#include <stddef.h>
#include <stdint.h>

struct heat_picture {
	const struct heat_map *map;
	const struct timeline *timeline;
	enum value_kind kind;
	bool is_file;	  /* columns are named by the time since its beginning */
	size_t left, top; /* the first column and row that are shown */
	struct heat_place cursor;
	uint64_t from_ns, to_ns; /* what is marked; both 0: nothing */
};

/* Where the cells are in an area of ROWS x COLUMNS. */
struct heat_frame {
	int row, column, rows;
	int columns; /* of the map */
	int width; /* cells of the screen for one of them: as long as there are few, several */
};
/* The rows that there is room for in an area of ROWS. */
int heat_rows(int rows);
struct heat_frame heat_frame_of(const struct heat_map *map, int rows, int columns);

void heat_draw(const struct heat_picture *picture, struct grid *grid);

#endif
