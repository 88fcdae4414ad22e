/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time-scale: which column of the screen shows which time.
 *
 * A column is a whole number of a timeline's cells and begins at a multiple of its length,
 * so that a bar keeps its height while time goes on and the picture moves to the left. The
 * newest column is at the right edge. Pure; any thread.
 */
#ifndef CPROFTOP_UI_TIME_SCALE_H
#define CPROFTOP_UI_TIME_SCALE_H

#include "src/keep/timeline.h"

#include <stdint.h>

struct time_scale {
	uint64_t column_ns;
	uint64_t first_ns; /* when the column at LEFT begins */
	int left,
		columns; /* on the screen: the first column that has a time, and the end */
};

/* All of TIMELINE in the columns [LEFT, COLUMNS) of the screen. */
struct time_scale time_scale_all(const struct timeline *timeline, int left, int columns);

/* When COLUMN begins; of one outside, as if there were more. Never before time 0. */
uint64_t time_scale_time(const struct time_scale *scale, int column);

/* The column of TIME_NS, or the nearest one. */
int time_scale_column(const struct time_scale *scale, uint64_t time_ns);

#endif
