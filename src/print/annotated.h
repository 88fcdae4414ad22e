/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotated: functions as source, with what each line costs, as text or JSON.
 *
 * As pprof's -list, with instructions if they were asked for. Main thread.
 */
#ifndef CPROFTOP_ANNOTATED_H
#define CPROFTOP_ANNOTATED_H

#include "src/annotate/parts.h"
#include "src/export/listing.h"
#include "src/sourcefile/source-reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Where the parts come from. */
struct annotated_means {
	struct source_reader *sources; /* NULL: none are read */
	/* The instructions around a place, and their lines; may wait. The caller owns what
	   they return, which may be NULL. Both NULL: no instructions are wanted. */
	struct assembly *(*assemble)(
		const void *context, const struct assembly_request *request);
	struct code_lines *(*find_lines)(const void *context,
		const struct assembly_request *request, const struct assembly *assembly);
	const void *context;
	enum assembly_syntax syntax;
};

/* Keep the rows of LISTING whose function is called NAME; if there is none, those whose name
   matches it as a pattern. */
void annotated_select(struct listing *listing, const char *name);

void annotated_write_text(const struct listing *listing, size_t most,
	const struct annotated_means *means, FILE *out);
void annotated_write_json(const struct listing *listing, size_t most,
	const struct annotated_means *means, FILE *out);

#endif
