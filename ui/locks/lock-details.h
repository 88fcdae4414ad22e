/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock-details: the lower part of the locks view: all that is known of one lock.
 *
 * Who held it, what the holders did meanwhile, the code that waits, and who waited: of each
 * as much as there is room for. Pure: into a grid. UI thread.
 */
#ifndef CPROFTOP_UI_LOCK_DETAILS_H
#define CPROFTOP_UI_LOCK_DETAILS_H

#include "src/count/locks/locks.h"
#include "src/count/report.h"
#include "ui/draw/grid.h"

/* Into all of GRID. */
void lock_details_draw(const struct lock *lock, const struct locks *locks,
	const struct report *report, struct grid *grid);

#endif
