/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * firefox-tables: the tables of a profile for the Firefox Profiler: strings, functions,
 * frames, stacks, libraries, and the samples that refer to them.
 *
 * Indices are those of the file. export-cpuprofile.c makes its own of the stacks and samples.
 * Main thread.
 */
#ifndef CPROFTOP_FIREFOX_TABLES_H
#define CPROFTOP_FIREFOX_TABLES_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/count/report.h"
#include "src/write/file-metric.h"
#include "src/write/timed-samples.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define FIREFOX_MARK "mark" /* the name and the type of a time mark */

enum firefox_category {
	FIREFOX_OTHER,
	FIREFOX_CODE,
	FIREFOX_WAITING, /* what a thread waits for */
};

/* PROFILE_NONE stands for what a row has not. */

struct firefox_func {
	uint32_t name, source, library;
	uint32_t function; /* in the profile */
};

struct firefox_frame {
	uint32_t func, line;
	uint32_t category; /* enum firefox_category */
};

struct firefox_node {
	uint32_t prefix, frame;
};

struct firefox_library {
	uint32_t name;
	uint32_t mapping; /* in the profile */
};

struct firefox_tables {
	const struct report *report;
	struct file_metric metric;
	VEC(const char *) strings; /* the profile's */
	VEC(uint32_t) sources;	   /* the names of files, in STRINGS */
	VEC(struct firefox_func) funcs;
	VEC(struct firefox_frame) frames;
	VEC(struct firefox_node) nodes;
	VEC(struct firefox_library) libraries;
	struct timed_samples samples;
	uint32_t *leaves;   /* a node for each stack of the report */
	uint32_t mark_name; /* FIREFOX_MARK, if there are time marks */

	struct idmap string_ids, source_ids, func_ids, frame_ids, node_ids, library_ids;
};

/* All stacks that weigh anything. REPORT is borrowed. */
void firefox_tables_init(struct firefox_tables *tables, const struct report *report);
void firefox_tables_finish(struct firefox_tables *tables);

/* What the markers of firefox_put_markers have, and where the reader shows it. */
void firefox_put_schema(const struct firefox_tables *tables, FILE *out);

/* The "markers" of a thread, with a comma: the time marks of the report if this is the
   FIRST thread, for the format knows no others; else none. */
void firefox_put_markers(const struct firefox_tables *tables, bool first, FILE *out);

#endif
