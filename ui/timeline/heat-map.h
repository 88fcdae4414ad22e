/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * heat-map: a timeline as columns of time, each cut into rows: fractions of a second.
 *
 * Brendan Gregg's FlameScope has such a map of whole seconds by 20 ms; it shows what
 * happens every second, for a moment, or to some requests only. Here a row is one or
 * several cells of the timeline. Made once for a timeline; after that no cell is counted
 * again, whatever is drawn. UI thread.
 */
#ifndef CPROFTOP_UI_HEAT_MAP_H
#define CPROFTOP_UI_HEAT_MAP_H

#include "src/base/vec.h"
#include "src/keep/timeline.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	HEAT_LEVELS = 5 /* besides none */
};

struct heat_cell {
	uint64_t value, samples;
};

struct heat_map {
	uint64_t serial; /* of the timeline that it was made of; 0: none */
	uint64_t first_ns, column_ns, row_ns;
	uint64_t start_ns, end_ns; /* what is kept */
	size_t columns, rows;
	VEC(struct heat_cell) cells; /* column by column */
	double densest;		     /* the highest value per ns */
	double samples_per_cell;     /* of the timeline's cells that have any */
	uint64_t counted;	     /* cells of timelines that were counted so far */
};

struct heat_place {
	size_t column, row;
};

void heat_map_finish(struct heat_map *map);

/* Make MAP of TIMELINE, the SERIAL-th (not 0), MERGE of whose cells are a row, unless it is
   made of that. */
void heat_map_make(struct heat_map *map, const struct timeline *timeline, uint64_t serial,
	size_t merge);

/* The smallest number of cells that can be one row, if there is room for ROWS. */
size_t heat_map_merge(int rows);

/* The cell at TIME_NS, or the nearest one; and the times of one: [from, to). */
struct heat_place heat_map_place(const struct heat_map *map, uint64_t time_ns);
uint64_t heat_map_from(const struct heat_map *map, struct heat_place place);
uint64_t heat_map_to(const struct heat_map *map, struct heat_place place);

const struct heat_cell *heat_map_at(const struct heat_map *map, struct heat_place place);

/* The value of a cell per ns: of CPU time, CPUs. */
double heat_map_density(const struct heat_map *map, struct heat_place place);

/* How dark a cell is: 0 for nothing, else 1 to HEAT_LEVELS. */
int heat_map_level(const struct heat_map *map, struct heat_place place);

#endif
