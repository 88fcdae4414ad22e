/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * help-sheet: the keys of the view that is shown, then all others, and what colours mean.
 *
 * Into a sheet. UI thread.
 */
#ifndef CPROFTOP_UI_HELP_SHEET_H
#define CPROFTOP_UI_HELP_SHEET_H

#include "ui/view/hues.h"
#include "ui/view/view.h"
#include "ui/widget/sheet.h"

void sheet_help(
	struct sheet *sheet, const struct view_ops *view, const struct module_hues *hues);

#endif
