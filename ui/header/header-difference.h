/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header-difference: the header above two files that are compared, and the chip beside the
 * tabs that says what is.
 *
 * Pure. UI thread.
 */
#ifndef CPROFTOP_UI_HEADER_DIFFERENCE_H
#define CPROFTOP_UI_HEADER_DIFFERENCE_H

#include "src/count/report.h"
#include "src/count/source.h"
#include "ui/draw/grid.h"

/* GRID has at least one row; REPORT is of two. */
void header_draw_difference(
	const struct source_facts *facts, const struct report *report, struct grid *grid);

/* " +- 30 s, by time: 3 changed ", what is compared with and how: into row 0 of GRID from COLUMN on. Returns where it ends. */
int header_draw_against(const struct report *report, struct grid *grid, int column);

#endif
