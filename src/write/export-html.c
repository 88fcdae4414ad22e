/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A flame graph as a page (src/write/page/page.h). */
#include "src/write/caption.h"
#include "src/write/export.h"
#include "src/write/file-metric.h"
#include "src/write/page/page.h"
#include "src/write/picture-hues.h"

#include <stdlib.h>

static bool write_page(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	const struct file_metric metric = file_metric_of(report);
	const char *command = caption_command(report, facts);
	struct module_hues hues = picture_hues(report, &metric);
	char *caption = caption_line(report, facts);
	const struct page_facts say = {.title = command ? command : "Flame graph",
		.caption = caption,
		.metric = metric.name,
		.kind = metric.kind,
		.hues = &hues};
	bool done = page_write(report, metric.of, &say, out, err);
	module_hues_finish(&hues);
	free(caption);
	return done;
}

const struct export_format export_html = {
	.name = "html",
	.suffix = ".html",
	.description = "a page: a flame graph and a table, with search and filters",
	.open_with = "xdg-open %s",
	.write = write_page,
};
