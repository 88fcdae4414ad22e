/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health-sheet: which stacks broke, where, why, and what helps, as a page to read.
 *
 * UI thread.
 */
#ifndef CPROFTOP_UI_HEALTH_SHEET_H
#define CPROFTOP_UI_HEALTH_SHEET_H

#include "src/report/report.h"
#include "ui/widget/sheet.h"

/* Fill SHEET from what REPORT counts. */
void sheet_health(struct sheet *sheet, const struct report *report);

#endif
