/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/sheets/function-sheet.h"

#include "src/count/nameless.h"
#include "ui/draw/format.h"
#include "ui/view/source-place.h"
#include "ui/view/view.h"

#include <stdio.h>
#include <string.h>

static void add_weight(struct sheet *sheet, const struct report *report, const char *key,
	const struct weight *weight)
{
	enum metric metric = view_metric(report);
	char text[80];
	snprintf(text, sizeof(text), "%s  %s",
		format_percent(
			metric_of(metric, weight), metric_of(metric, &report->total))
			.text,
		view_value(report, weight).text);
	sheet_add(sheet, false, key, text);
}

/* If FUNCTION has no name: how to get one. */
static void add_remedy(
	struct sheet *sheet, const struct report *report, const struct function *function)
{
	struct nameless nameless;
	if (!function_is_nameless(function))
		return;
	nameless_of(report, &nameless);
	for (size_t i = 0; i < nameless.n_rows; i++) {
		if (strcmp(nameless.rows[i].module, function->module) == 0)
			sheet_add(sheet, false, "Nameless",
				nameless_remedy(&nameless.rows[i]));
	}
}

void sheet_function(struct sheet *sheet, const struct report *report, uint32_t id)
{
	const struct function *function = profile_function(report->profile, id);
	sheet_start(sheet, "Function");
	sheet_add(sheet, false, "Name", function->name);
	if (strcmp(function->system_name, function->name) != 0)
		sheet_add(sheet, false, "Symbol", function->system_name);
	if (view_module(function)[0] != '\0')
		sheet_add(sheet, false, "Module", function->module);
	add_remedy(sheet, report, function);
	struct source_at at = source_place_of(report, id);
	if (at.file[0] != '\0')
		sheet_add(sheet, false, "File", at.file);
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		if (row->function != id)
			continue;
		add_weight(sheet, report, "Self", &row->self);
		add_weight(sheet, report, "Total", &row->total);
	}
}
