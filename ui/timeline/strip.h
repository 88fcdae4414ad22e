/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * strip: the timeline below the header: all that is kept, what of it is shown in brackets,
 * and what went wrong when.
 *
 *	200% ▁▂▃▄▅▆▇█▁▁▂▃▄▅▅▆▇█▁▁▂▃▄▅▅▆▇█▁▁▂▃▄▅▅▆▇█▁▁▂▃▄▅▅▆▇█▁▁▂▃▄▅▅▆▇█
 *	2m05s ──────!!──────▾load begins──────────hhhh────[━━━━━━━━━━━]
 *
 * Pure: what it shows is in its arguments. UI thread.
 */
#ifndef CPROFTOP_UI_STRIP_H
#define CPROFTOP_UI_STRIP_H

#include "src/facts/origin.h"
#include "src/keep/timeline.h"
#include "ui/draw/grid.h"
#include "ui/timeline/time-scale.h"

#include <stdbool.h>
#include <stdint.h>

struct strip_input {
	const struct timeline *timeline; /* NULL: there is none (yet) */
	bool has_no_times;		 /* and there will be none: it is of a file */
	enum value_kind kind;		 /* of the values */
	uint64_t from_ns, to_ns;	 /* what is shown; both 0: nothing */
};

/* How many rows the strip takes of a screen of ROWS x COLUMNS; 0 if there is no room. */
int strip_rows(int rows, int columns);

/* The scale by which a strip of COLUMNS is drawn. */
struct time_scale strip_scale(const struct timeline *timeline, int columns);

void strip_draw(const struct strip_input *input, struct grid *grid);

#endif
