/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare: the difference of two reports (src/count/difference/difference.h) written to a file.
 *
 * One format is one function and one row of the table in src/write/compare/compare.c. Main
 * thread.
 */
#ifndef CPROFTOP_COMPARE_H
#define CPROFTOP_COMPARE_H

#include "src/base/error.h"
#include "src/count/report.h"
#include "src/write/listing.h"

#include <stdbool.h>
#include <stdio.h>

/* Strings are borrowed for the call, and cleaned. */
struct compare_facts {
	const char *before, *after; /* what the two are called */
	enum listing_order order;   /* of the functions: by the size of which change */
	size_t most;		    /* rows; 0: all */
};

struct compare_format {
	const char *name;   /* "csv": -f NAME */
	const char *suffix; /* ".csv": what a file name ends in */
	bool (*write)(const struct report *both, const struct compare_facts *facts,
		FILE *out, struct error *err);
};

extern const struct compare_format compare_formats[]; /* ends with a NULL name */

/* By its NAME, or if that is NULL by the suffix of PATH, or if that has none of ours the
   text to read. NULL, and ERR: there is none called NAME. */
const struct compare_format *compare_format_find(
	const char *name, const char *path, struct error *err);

/* BOTH is a report of two. Write it to PATH, completely or not at all; "-" is standard
   output. */
bool compare_to_file(const struct compare_format *format, const struct report *both,
	const struct compare_facts *facts, const char *path, struct error *err);

#endif
