/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * header-file: the lines above the views when there is no process, but a file.
 *
 * Pure. UI thread.
 */
#ifndef CPROFTOP_UI_HEADER_FILE_H
#define CPROFTOP_UI_HEADER_FILE_H

#include "src/count/report.h"
#include "src/count/source.h"
#include "ui/draw/grid.h"

/* GRID has at least one row. REPORT is NULL before the first one. */
void header_draw_file(
	const struct source_facts *facts, const struct report *report, struct grid *grid);

#endif
