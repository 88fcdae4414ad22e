/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function-sheet: a page with all details of one function, such as its whole name.
 *
 * UI thread.
 */
#ifndef CPROFTOP_UI_FUNCTION_SHEET_H
#define CPROFTOP_UI_FUNCTION_SHEET_H

#include "src/count/report.h"
#include "ui/widget/sheet.h"

#include <stdint.h>

/* Fill SHEET with the details of FUNCTION, an id of REPORT's profile. */
void sheet_function(struct sheet *sheet, const struct report *report, uint32_t function);

#endif
