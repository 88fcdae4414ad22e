/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function a line: its samples, those of it with all that it called, and its name, with
   tabs between them. */
#include "src/export/export.h"

#include <inttypes.h>

static bool write_tsv(const struct report *report, const struct export_facts *facts,
	FILE *out, struct error *err)
{
	(void)facts;
	(void)err;
	for (size_t i = 0; i < report->n_functions; i++) {
		const struct report_function *row = &report->functions[i];

		fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t%s\n", row->self.samples,
			row->total.samples,
			profile_function(report->profile, row->function)->name);
	}
	return true;
}

const struct export_format export_tsv = {
	.name = "tsv",
	.suffix = ".tsv",
	.description = "a function and its samples a line, for sort and awk",
	.open_with = "sort -nr %s",
	.write = write_tsv,
};
