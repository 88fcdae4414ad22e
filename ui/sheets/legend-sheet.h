/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * legend-sheet: what the colours of cells and modules mean, as the first lines of the help.
 */
#ifndef CPROFTOP_UI_LEGEND_SHEET_H
#define CPROFTOP_UI_LEGEND_SHEET_H

#include "ui/view/hues.h"
#include "ui/widget/sheet.h"

/* Add to SHEET each module of the report, the one with the most area first, and the other
   colours of the flame graph. Nothing if none is known. */
void sheet_legend(struct sheet *sheet, const struct module_hues *hues);

#endif
