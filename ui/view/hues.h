/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hues: the roles that draw the colours of modules (src/write/palette/module-hues.h). UI thread.
 */
#ifndef CPROFTOP_UI_HUES_H
#define CPROFTOP_UI_HUES_H

#include "src/count/report.h"
#include "src/write/palette/module-hues.h"
#include "ui/draw/theme.h"
#include "ui/view/metric.h"

/* Give the modules of REPORT that have none a hue. */
void hues_update(
	struct module_hues *hues, const struct report *report, enum metric metric);

/* The roles of FUNCTION's module: of its cells, in one of two tones, and of its name.
   ROLE_NO_CODE and ROLE_DIM for what has none. */
enum role hues_cell(const struct module_hues *hues, const struct function *function);
enum role hues_ink(const struct module_hues *hues, const struct function *function);

#endif
