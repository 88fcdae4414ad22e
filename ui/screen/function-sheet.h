/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function-sheet: everything about one function, as a page to read, because its name may
 * be longer than any column.
 *
 * UI thread.
 */
#ifndef CPROFTOP_UI_FUNCTION_SHEET_H
#define CPROFTOP_UI_FUNCTION_SHEET_H

#include "src/report/report.h"
#include "ui/widget/sheet.h"

#include <stdint.h>

/* Fill SHEET with what REPORT says of FUNCTION, an id of its profile. */
void sheet_function(struct sheet *sheet, const struct report *report, uint32_t function);

#endif
