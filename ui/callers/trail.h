/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * trail: the functions that one has walked through, and the line that shows them.
 *
 * The last one is where one is. The line leaves out what is far back if there is no room:
 * "… > main > run > work". UI thread.
 */
#ifndef CPROFTOP_UI_TRAIL_H
#define CPROFTOP_UI_TRAIL_H

#include "src/count/report.h"
#include "ui/draw/grid.h"

#include <stddef.h>
#include <stdint.h>

enum {
	TRAIL_MOST = 64 /* functions; then the oldest are forgotten */
};

/* Zeroed it is empty. */
struct trail {
	uint32_t functions[TRAIL_MOST];
	size_t length;
};

void trail_start(struct trail *trail, uint32_t function);
void trail_push(struct trail *trail, uint32_t function);

/* Where one is; PROFILE_NONE: the trail is empty. */
uint32_t trail_end(const struct trail *trail);

/* Draw it into row ROW of GRID. */
void trail_draw(const struct trail *trail, const struct report *report, struct grid *grid,
	int row);

/* The place in the trail that is drawn at screen column X of a line of COLUMNS columns; -1:
   none. */
int trail_at(const struct trail *trail, const struct report *report, int columns, int x);

#endif
