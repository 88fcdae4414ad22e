/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/timeline/time-scale.h"

struct time_scale time_scale_all(const struct timeline *timeline, int left, int columns)
{
	uint64_t room = columns > left ? (uint64_t)(columns - left) : 1;
	uint64_t cells = (timeline->end_ns - timeline->start_ns) / timeline->cell_ns;
	uint64_t per_column = cells / room + 1, first, last;
	struct time_scale scale = {0};

	for (;; per_column++) {
		scale.column_ns = per_column * timeline->cell_ns;
		first = timeline->start_ns / scale.column_ns;
		last = (timeline->end_ns - 1) / scale.column_ns;
		if (last - first < room)
			break;
	}
	scale.first_ns = first * scale.column_ns;
	scale.left = columns - (int)(last - first) - 1;
	scale.columns = columns;
	return scale;
}

uint64_t time_scale_time(const struct time_scale *scale, int column)
{
	if (column >= scale->left)
		return scale->first_ns +
		       (uint64_t)(column - scale->left) * scale->column_ns;
	uint64_t before_ns = (uint64_t)(scale->left - column) * scale->column_ns;
	return scale->first_ns > before_ns ? scale->first_ns - before_ns : 0;
}

int time_scale_column(const struct time_scale *scale, uint64_t time_ns)
{
	if (time_ns < scale->first_ns)
		return scale->left;
	uint64_t column = (time_ns - scale->first_ns) / scale->column_ns;
	uint64_t last = (uint64_t)(scale->columns - 1 - scale->left);
	return scale->left + (int)(column < last ? column : last);
}
