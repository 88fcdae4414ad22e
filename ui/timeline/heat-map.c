/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/timeline/heat-map.h"

#include <math.h>

void heat_map_finish(struct heat_map *map)
{
	vec_free(&map->cells);
	*map = (struct heat_map){0};
}

static size_t rows_of(size_t merge)
{
	return (TIMELINE_COLUMN + merge - 1) / merge;
}

size_t heat_map_merge(int rows)
{
	size_t merge = 1;

	while (merge < TIMELINE_COLUMN && rows_of(merge) > (size_t)(rows > 0 ? rows : 0))
		merge++;
	return merge;
}

static void count(struct heat_map *map, const struct timeline *timeline, size_t merge)
{
	uint64_t samples = 0, busy = 0;

	map->cells.len = 0;
	vec_reserve(&map->cells, map->columns * map->rows);
	for (size_t i = 0; i < map->columns * map->rows; i++)
		vec_push(&map->cells, (struct heat_cell){0});
	for (size_t i = 0; i < timeline->n_cells; i++) {
		const struct timeline_cell *from = &timeline->cells[i];
		struct heat_cell *to = &map->cells.data[i / TIMELINE_COLUMN * map->rows +
							i % TIMELINE_COLUMN / merge];
		to->value += from->value;
		to->samples += from->samples;
		samples += from->samples;
		busy += from->samples > 0;
	}
	map->counted += timeline->n_cells;
	map->samples_per_cell = busy > 0 ? (double)samples / (double)busy : 0;
}

void heat_map_make(struct heat_map *map, const struct timeline *timeline, uint64_t serial,
	size_t merge)
{
	uint64_t row_ns = timeline->cell_ns * merge;

	if (map->serial == serial && map->row_ns == row_ns)
		return;
	map->serial = serial;
	map->first_ns = timeline->first_ns;
	map->start_ns = timeline->start_ns;
	map->end_ns = timeline->end_ns;
	map->column_ns = timeline->cell_ns * TIMELINE_COLUMN;
	map->row_ns = row_ns;
	map->columns = (timeline->n_cells + TIMELINE_COLUMN - 1) / TIMELINE_COLUMN;
	map->rows = rows_of(merge);
	count(map, timeline, merge);
	map->densest = 0;
	for (size_t column = 0; column < map->columns; column++)
		for (size_t row = 0; row < map->rows; row++) {
			double density =
				heat_map_density(map, (struct heat_place){column, row});
			map->densest = density > map->densest ? density : map->densest;
		}
}

struct heat_place heat_map_place(const struct heat_map *map, uint64_t time_ns)
{
	if (time_ns < map->first_ns)
		time_ns = map->first_ns;
	uint64_t since_ns = time_ns - map->first_ns;
	if (since_ns / map->column_ns >= map->columns)
		return (struct heat_place){map->columns - 1, map->rows - 1};
	return (struct heat_place){(size_t)(since_ns / map->column_ns),
		(size_t)(since_ns % map->column_ns / map->row_ns)};
}

uint64_t heat_map_from(const struct heat_map *map, struct heat_place place)
{
	return map->first_ns + place.column * map->column_ns + place.row * map->row_ns;
}

uint64_t heat_map_to(const struct heat_map *map, struct heat_place place)
{
	if (place.row + 1 == map->rows)
		return map->first_ns + (place.column + 1) * map->column_ns;
	return heat_map_from(map, place) + map->row_ns;
}

const struct heat_cell *heat_map_at(const struct heat_map *map, struct heat_place place)
{
	return &map->cells.data[place.column * map->rows + place.row];
}

double heat_map_density(const struct heat_map *map, struct heat_place place)
{
	return (double)heat_map_at(map, place)->value /
	       (double)(heat_map_to(map, place) - heat_map_from(map, place));
}

int heat_map_level(const struct heat_map *map, struct heat_place place)
{
	double density = heat_map_density(map, place);

	if (density <= 0)
		return 0;
	int level = (int)ceil(density / map->densest * HEAT_LEVELS - 1e-9);
	return level < 1 ? 1 : level < HEAT_LEVELS ? level : HEAT_LEVELS;
}
