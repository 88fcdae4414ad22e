/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotated-page: what the writers of annotated functions share. Main thread.
 */
#ifndef CPROFTOP_ANNOTATED_PAGE_H
#define CPROFTOP_ANNOTATED_PAGE_H

#include "src/count/annotate/parts.h"
#include "src/read/sources/source-reader.h"
#include "src/write/listing.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Where the parts come from. */
struct annotated_means {
	struct source_reader *sources; /* NULL: none are read */
	/* The instructions around a place, and their lines; may wait. The caller owns what
	   they return, which may be NULL. Both NULL: no instructions are wanted. */
	struct assembly *(*assemble)(
		void *context, const struct assembly_request *request);
	struct code_lines *(*find_lines)(void *context,
		const struct assembly_request *request, const struct assembly *assembly);
	void *context;
	enum assembly_syntax syntax;
};

/* What is written now. */
struct page {
	const struct listing *listing;
	const struct annotated_means *means;
	const struct parts *parts;
	FILE *out;
};

/* Find the parts of FUNCTION, into PARTS, zeroed: source files are waited for. False if it has
   no code. The caller calls parts_finish in either case. */
bool page_gather(struct parts *parts, const struct listing *listing, uint32_t function,
	const struct annotated_means *means);

#endif
