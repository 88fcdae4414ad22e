/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampling-sheet: the page that says how sampling is doing: its rate, what it costs the
 * target and the machine, and what is missing. All of it is live. UI thread.
 */
#ifndef CPROFTOP_UI_SAMPLING_SHEET_H
#define CPROFTOP_UI_SAMPLING_SHEET_H

#include "src/count/source.h"
#include "ui/header/gauges.h"
#include "ui/widget/sheet.h"

/* REPORT may be NULL. */
void sheet_sampling(struct sheet *sheet, const struct gauges *gauges,
	const struct source_facts *facts, const struct report *report);

#endif
