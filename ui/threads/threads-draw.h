/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads-draw: the columns of the threads view, and how one row of it looks.
 *
 * Pure: into a grid, from a row and the report that it was made of. UI thread.
 */
#ifndef CPROFTOP_UI_THREADS_DRAW_H
#define CPROFTOP_UI_THREADS_DRAW_H

#include "src/count/report.h"
#include "ui/draw/columns.h"
#include "ui/draw/grid.h"
#include "ui/threads/thread-rows.h"
#include "ui/view/search.h"

#include <stdbool.h>

enum threads_column {
	THREADS_TAG,
	THREADS_CPU,
	THREADS_BAR,
	THREADS_CHANGE, /* shown only of a report of two */
	THREADS_SAMPLES,
	THREADS_PID, /* hidden if there is only one process */
	THREADS_TID,
	THREADS_NAME,
	THREADS_STATE,
	THREADS_FUNCTION,
	THREADS_COLUMNS
};

enum thread_tag {
	THREAD_UNTAGGED,
	THREAD_TAGGED, /* tagged with a key, to be selected together */
	THREAD_CHOSEN  /* selected: the views show only such threads */
};

/* An array of THREADS_COLUMNS columns. The PID is shown only of several processes. */
const struct column *threads_columns(const struct report *report);

/* Draw THREAD in row ROW of GRID. Matches of SEARCH are highlighted. */
void threads_draw_row(const struct columns *columns, struct grid *grid, int row,
	const struct thread_row *thread, enum thread_tag tag, const struct search *search,
	const struct report *report);

#endif
