/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * golden: compare a grid with a stored screen, text and styles.
 *
 * The screens are tests/golden/screens/NAME.txt, one for each (see grid_dump_styles).
 * After an intended change, write them again and read the difference:
 *
 *	make golden && git diff tests/golden/screens
 */
#ifndef CPROFTOP_TESTS_GOLDEN_H
#define CPROFTOP_TESTS_GOLDEN_H

#include "ui/draw/grid.h"

/* Fail the running test if GRID is not the screen NAME; write it instead if
   CPROFTOP_GOLDEN is in the environment. Needs $srcdir. */
void golden_check(const char *name, const struct grid *grid);

#endif
