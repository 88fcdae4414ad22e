/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * health-sheet: a page about broken stacks: how many, where, why, and what helps.
 *
 * UI thread.
 */
#ifndef CPROFTOP_UI_HEALTH_SHEET_H
#define CPROFTOP_UI_HEALTH_SHEET_H

#include "src/count/report.h"
#include "ui/widget/sheet.h"

/* Fill SHEET with the figures of REPORT. */
void sheet_health(struct sheet *sheet, const struct report *report);

#endif
