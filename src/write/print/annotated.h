/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotated: functions as source, with what each line costs, as text, JSON or a page (HTML).
 *
 * As pprof's -list, with instructions if they were asked for. Main thread.
 */
#ifndef CPROFTOP_ANNOTATED_H
#define CPROFTOP_ANNOTATED_H

#include "src/write/listing.h"
#include "src/write/print/annotated-page.h"

#include <stddef.h>
#include <stdio.h>

/* Keep the rows of LISTING whose function is called NAME; if there is none, those whose name
   matches it as a pattern. */
void annotated_select(struct listing *listing, const char *name);

void annotated_write_text(const struct listing *listing, size_t most,
	const struct annotated_means *means, FILE *out);
/* One file without scripts that asks no server for anything; NAME is what was looked for. */
void annotated_write_html(const struct listing *listing, size_t most, const char *name,
	const struct annotated_means *means, FILE *out);
void annotated_write_json(const struct listing *listing, size_t most,
	const struct annotated_means *means, FILE *out);

#endif
