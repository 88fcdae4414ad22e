#include "ui/function-sheet.h"

#include "ui/format.h"
#include "ui/view.h"

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
		format_seconds(view_time_ns(report, weight)).text);
	sheet_add(sheet, false, key, text);
}

void sheet_function(struct sheet *sheet, const struct report *report, uint32_t id)
{
	const struct function *function = profile_function(report->profile, id);
	sheet_start(sheet, "Function");
	sheet_add(sheet, false, "Name", function->name);
	if (strcmp(function->system_name, function->name) != 0)
		sheet_add(sheet, false, "Symbol", function->system_name);
	sheet_add(sheet, false, "Module", function->module);
	if (function->file[0] != '\0')
		sheet_add(sheet, false, "File", function->file);
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];
		if (row->function != id)
			continue;
		add_weight(sheet, report, "Self", &row->self);
		add_weight(sheet, report, "Total", &row->total);
	}
}
