/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * listing: the functions of a report in an order, as a table to read or for a program.
 *
 * Main thread.
 */
#ifndef CPROFTOP_LISTING_H
#define CPROFTOP_LISTING_H

#include "src/base/vec.h"
#include "src/count/report.h"
#include "src/write/file-metric.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum listing_order {
	LISTING_BY_SELF,
	LISTING_BY_TOTAL,
	LISTING_BY_NAME,
};

struct listing {
	const struct report *report;
	struct file_metric metric;
	uint64_t whole; /* what percentages are of: at first, all that is counted */
	VEC(const struct report_function *) rows;
};

void listing_init(
	struct listing *listing, const struct report *report, enum listing_order order);
/* The same of N rows that were counted otherwise; borrowed. */
void listing_init_rows(struct listing *listing, const struct report *report,
	const struct report_function *rows, size_t n, enum listing_order order);
void listing_finish(struct listing *listing);

/* The first MOST rows (SIZE_MAX: all) in the manner of pprof -top: a line of titles, and a
   line each. Those with a total below LEAST are left out; returns how many these were. */
size_t listing_write_text(
	const struct listing *listing, size_t most, uint64_t least, FILE *out);

struct listing_format {
	const char *name; /* "csv": of report --format */
	/* Write the first MOST rows to OUT. */
	void (*write)(const struct listing *listing, size_t most, FILE *out);
};

extern const struct listing_format listing_formats[]; /* ends with a NULL name */

const struct listing_format *listing_format_by_name(const char *name); /* or NULL */

/* The same rows as a table of Markdown. */
void listing_write_md(const struct listing *listing, size_t most, FILE *out);

/* Parts of the formats for programs, for tables of more than one listing: the rows as RFC
   4180 wants them, each after the field GROUP if that is not NULL; what a JSON object, whose
   keys docs/cproftop.1 has, begins with, up to the rows; the rows as the value of
   "functions". Values are ns, bytes or counts. */
void listing_put_rows_csv(
	const struct listing *listing, size_t most, const char *group, FILE *out);
void listing_begin_json(const struct listing *listing, FILE *out);
void listing_put_rows_json(
	const struct listing *listing, size_t most, const char *indent, FILE *out);
/* What ends the row of a function: its last fields of CSV, whose titles are
   LISTING_FUNCTION_CSV, and its last keys in a JSON object. */
#define LISTING_FUNCTION_CSV "function,module,file,line"
void listing_put_function_csv(const struct function *function, FILE *out);
void listing_put_function_json(const struct function *function, FILE *out);
/* One field of CSV, and a name in a table of Markdown. */
void listing_put_csv(const char *text, FILE *out);
void listing_put_md(const char *text, FILE *out);

#endif
