/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parts: all that the annotation of one function is made of, kept together.
 *
 * A person asks for a function; its cost is counted at once, and anew with each report.
 * The instructions, their lines and the source files may come later: whoever gets one puts
 * it here, and has the annotation made again. One thread at a time.
 */
#ifndef CPROFTOP_ANNOTATE_PARTS_H
#define CPROFTOP_ANNOTATE_PARTS_H

#include "src/count/annotate/annotation.h"
#include "src/read/sources/source-reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	PARTS_SOURCES_MAX = 16,
	PARTS_REMEDY_MAX = 512,
};

/* A zeroed one is empty. */
struct parts {
	struct cost cost;
	struct assembly *assembly; /* owned; NULL */
	struct code_lines *lines;  /* owned; NULL */
	uint32_t mapping;	   /* of the assembly's addresses */
	struct annotation_source sources[PARTS_SOURCES_MAX]; /* owned, with their texts */
	size_t n_sources;
	struct annotation annotation;
	char remedy[PARTS_REMEDY_MAX];
};

void parts_finish(struct parts *parts);

/* Ask READER for the source files; NULL: there are none. True if one is still looked for. */
bool parts_ask_sources(
	struct parts *parts, const struct report *report, struct source_reader *reader);

/* Make the annotation of what is there now. */
void parts_annotate(struct parts *parts, const struct report *report, bool by_address);

#endif
