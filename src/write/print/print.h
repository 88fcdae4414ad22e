/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * print: a report as `cproftop report` prints it: functions, a call graph, callers or
 * groups, to read or for a program.
 *
 * Main thread.
 */
#ifndef CPROFTOP_PRINT_H
#define CPROFTOP_PRINT_H

#include "src/base/error.h"
#include "src/write/listing.h"
#include "src/write/print/annotated.h"

#include <stddef.h>
#include <stdio.h>

enum print_what {
	PRINT_FUNCTIONS,
	PRINT_GRAPH,	 /* each function with its callers and callees */
	PRINT_GROUPS,	 /* functions by thread, process or label */
	PRINT_LOCKS,	 /* what threads waited for; text only */
	PRINT_ANNOTATED, /* functions as source; text, json and html only */
};

/* Strings are borrowed for the call. */
struct print_how {
	const char *format; /* of listing_formats, by name */
	enum print_what what;
	enum listing_order order;
	size_t most;	      /* rows; SIZE_MAX: all */
	const char *peek;     /* PRINT_GRAPH: only functions that match; NULL: all */
	const char *by;	      /* PRINT_GROUPS: see groups.h */
	const char *annotate; /* PRINT_ANNOTATED: which functions; and what they need */
	const struct annotated_means *means;
	const char *command; /* what was sampled, cleaned; NULL: a file */
};

void print_report(const struct report *report, const struct print_how *how, FILE *out);

#endif
