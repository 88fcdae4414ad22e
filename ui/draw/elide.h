/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elide: shorten a long function name, and keep what tells functions apart.
 *
 * A C++ or Rust name of 500 characters consists mostly of the types of its arguments.
 * These parts are left out, one after the other, until the name fits: the parameters, the
 * template arguments (<…>), the scopes from the outermost on (…::push_back), and at last
 * the middle of the function's own name. A line or an address behind the name
 * (src/facts/naming.h) stays if there is also room for some of the name. A name that fits
 * is not changed. Pure; any thread.
 */
#ifndef CPROFTOP_UI_ELIDE_H
#define CPROFTOP_UI_ELIDE_H

#include <stddef.h>

enum {
	ELIDE_MAX = 1024 /* bytes that OUT needs; enough for 255 columns */
};

/* Write NAME, cleaned UTF-8, in at most COLUMNS columns to OUT[SIZE]. ELLIPSIS, one
   column wide, stands for what was left out. */
void elide_name(
	char *out, size_t size, const char *name, int columns, const char *ellipsis);

#endif
