/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header: the lines above the views: the target, and the figures of what is shown.
 *
 * While the picture is held, what is of now and not of the range shown says so ("live").
 *
 * Pure: what it shows is in its arguments. UI thread.
 */
#ifndef CPROFTOP_UI_HEADER_H
#define CPROFTOP_UI_HEADER_H

#include "src/count/activity.h"
#include "src/count/report.h"
#include "src/count/source.h"
#include "ui/draw/grid.h"
#include "ui/header/gauges.h"
#include "ui/view/view.h"

struct header_input {
	const struct source_facts *facts;
	const struct gauges *gauges;
	const struct view_state *state;
	const struct report *report; /* NULL before the first one */
	const struct activity *activity;
};

/* How many rows the header takes of a screen of ROWS x COLUMNS; 0 if there is no room.
   IS_PAIR: it is of two files that are compared. */
int header_rows(int rows, int columns, bool is_pair);

void header_draw(const struct header_input *input, struct grid *grid);

#endif
