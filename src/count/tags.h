/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tags: the labels of samples, and which of them a person wants, as pprof's tagfocus.
 *
 * The labels of what we sampled are those that export-pprof.c writes of a thread: thread,
 * tid, process, pid. A file has its own (src/facts/origin.h). Pure, except that a filter is
 * used by one thread at a time.
 */
#ifndef CPROFTOP_TAGS_H
#define CPROFTOP_TAGS_H

#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/count/report.h"
#include "src/facts/origin.h"

#include <stdbool.h>
#include <stdint.h>

/* A zeroed list is empty; vec_free ends it. Texts belong to the profile. */
struct tags {
	struct label *data;
	size_t len, cap;
};

/* Replace TAGS by the labels of THREAD, an id of the report's profile. */
void tags_of(const struct report *report, uint32_t thread, struct tags *tags);

struct tag_filter;

/* TEXT is KEY=VALUE, or VALUE alone for any key. VALUE is a number or a range (N, N:, :N,
   N:M), which numbers are compared with in their own unit; or else regular expressions
   with commas between them, of which one must match the text of KEY, or without KEY= each
   must match "KEY:TEXT" of some label. NULL and ERR if it is not valid. */
struct tag_filter *tag_filter_create(const char *text, struct error *err);
void tag_filter_destroy(struct tag_filter *filter); /* NULL is fine */

bool tag_filter_matches(const struct tag_filter *filter, const struct tags *tags);

#endif
