/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tags: the labels of samples.
 *
 * The labels of what we sampled are those that export-pprof.c writes of a thread: thread,
 * tid, process, pid. A file has its own (src/facts/origin.h). Pure.
 */
#ifndef CPROFTOP_TAGS_H
#define CPROFTOP_TAGS_H

#include "src/base/vec.h"
#include "src/count/report.h"
#include "src/facts/origin.h"

#include <stdint.h>

/* A zeroed list is empty; vec_free ends it. Texts belong to the profile. */
struct tags {
	struct label *data;
	size_t len, cap;
};

/* Replace TAGS by the labels of THREAD, an id of the report's profile. */
void tags_of(const struct report *report, uint32_t thread, struct tags *tags);

#endif
