/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * provenance: comments for an exported file: how the samples were taken, and which of
 * them the file contains.
 *
 * Used by `record` and by the screen. The screen exports what it shows, with filters
 * applied, so the file must mention the filters. Main thread.
 */
#ifndef CPROFTOP_PROVENANCE_H
#define CPROFTOP_PROVENANCE_H

#include "src/base/vec.h"
#include "src/count/report.h"
#include "src/count/summary.h"
#include "src/write/export.h"

#define PROVENANCE_HOST "host: " /* how the comment that names the machine begins */

struct provenance {
	VEC(char *) lines; /* owned */
};

/* What REPORT counts, as a text that the caller frees: "30.0 s; below main > parse; module
   libc.so.6; threads /worker/". */
char *provenance_what(const struct report *report);

/* Make the lines: the program's version; the HOST, unless it is NULL; what sampling cost and achieved; if the report
   does not count the whole history, what it counts; and its time marks
   (src/facts/text/time-mark.h). Of a file, only what is not among its own comments. */
void provenance_init(struct provenance *provenance, const struct report *report,
	const struct summary *summary, const char *host);
void provenance_finish(struct provenance *provenance);

/* Make them the comments of FACTS, which borrows them. */
void provenance_comment(const struct provenance *provenance, struct export_facts *facts);

#endif
