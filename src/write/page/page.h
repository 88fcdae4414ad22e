/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page: a report as a page for a browser: one file that needs no other, with a flame graph,
 * a table, filters, and as many stacks as there are.
 *
 * Its data (src/write/page/page-data.h) is compressed by gzip, and in base64. It has each stack
 * with each thread once, as a node of a tree, so that the page itself adds up what is chosen
 * there; and it draws only what is to be seen. Main thread.
 */
#ifndef CPROFTOP_PAGE_H
#define CPROFTOP_PAGE_H

#include "src/base/error.h"
#include "src/count/report.h"
#include "src/write/page/page-data.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* VALUE is what counts of a weight. Fails if OUT does. */
bool page_write(const struct report *report,
	uint64_t (*value)(const struct weight *weight), const struct page_facts *facts,
	FILE *out, struct error *err);

#endif
