/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * changed: how views show a change, in a report of two (src/count/difference/difference.h).
 *
 * By sign and colour: red for more, blue for less, dim if it may be noise. What is more
 * than noise also has a star, so that it can be read without colours. Pure. UI thread.
 */
#ifndef CPROFTOP_UI_CHANGED_H
#define CPROFTOP_UI_CHANGED_H

#include "src/count/report.h"
#include "ui/draw/format.h"
#include "ui/draw/theme.h"

#include <stddef.h>

enum {
	CHANGED_WIDTH = 10 /* "+1234ms/s*" */
};

enum role changed_role(const struct change *change);
enum role changed_cell_role(const struct change *change);

/* VALUE, before or after: a share of the whole, "12.34%"; what it is per second, "12.3ms/s"; or
   the value itself. */
struct format changed_value(const struct report *report, double value);

/* The change: "+1.23%*". "" if nothing has changed that could be seen. */
struct format changed_by(const struct report *report, const struct change *change);

/* "12.34% before, 13.57% now: +1.23%, more than noise" */
void changed_describe(const struct report *report, const struct change *change,
	char *text, size_t size);

#endif
