/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * provenance: how the samples of a report were taken and which of them it counts, as
 * comments in a file that is written from it.
 *
 * `record` and the screen use it alike. The screen writes what it shows, filters
 * included, and a reader of the file could not know of a filter that is not written down.
 * Main thread.
 */
#ifndef CPROFTOP_PROVENANCE_H
#define CPROFTOP_PROVENANCE_H

#include "src/export/export.h"
#include "src/export/summary.h"
#include "src/report/report.h"

#include <stddef.h>

struct provenance {
	char *lines[3]; /* owned */
	size_t n_lines;
};

/* Make the lines: the program; what sampling cost and achieved; and, if the report leaves
   out anything of the history, what it counts. */
void provenance_init(struct provenance *provenance, const struct report *report,
	const struct summary *summary);
void provenance_finish(struct provenance *provenance);

/* Make them the comments of FACTS, which borrows them. */
void provenance_comment(const struct provenance *provenance, struct export_facts *facts);

#endif
