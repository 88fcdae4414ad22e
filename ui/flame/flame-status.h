/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * flame-status: the text of the status line about the cell under the cursor, and the keys of
 * the bar below it.
 *
 * Pure. UI thread.
 */
#ifndef CPROFTOP_UI_FLAME_STATUS_H
#define CPROFTOP_UI_FLAME_STATUS_H

#include "src/count/report.h"
#include "ui/flame/flame-cursor.h"
#include "ui/flame/flame-layout.h"
#include "ui/view/view.h"

#include <stdbool.h>
#include <stddef.h>

extern const struct view_key flame_keys[]; /* of view_ops */

/* Write to TEXT of SIZE bytes. CURSOR is in LAYOUT, a layout of REPORT that has cells.
   ZOOMED: its root is not that of the whole tree. */
void flame_status(char *text, size_t size, const struct report *report,
	const struct flame_layout *layout, const struct flame_cursor *cursor,
	bool zoomed);

#endif
