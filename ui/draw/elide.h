/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elide: a long function name in few columns, with what tells functions apart kept.
 *
 * A C++ or Rust name of 500 characters is mostly its arguments' types. What is left out,
 * one after the other until it fits: the parameters, the template arguments (<…>), the
 * scopes from the outermost on (…::push_back), and at last the middle of the function's
 * own name. A line or an address behind the name (src/model/naming.h) stays if there is
 * room for some of the name, too. A name that fits is never changed. Pure; any thread.
 */
#ifndef CPROFTOP_UI_ELIDE_H
#define CPROFTOP_UI_ELIDE_H

#include <stddef.h>

enum {
	ELIDE_MAX = 1024 /* bytes that OUT needs; enough for 255 columns */
};

/* NAME, cleaned UTF-8, in at most COLUMNS columns into OUT[SIZE]; ELLIPSIS stands for
   what was left out and is one column wide. */
void elide_name(
	char *out, size_t size, const char *name, int columns, const char *ellipsis);

#endif
