/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code-means: instructions and their lines for a report that is printed, which waits for them.
 * What reads them is the reader of an analyst (src/run/analyst/analyst.h). Main thread.
 */
#ifndef CPROFTOP_CODE_MEANS_H
#define CPROFTOP_CODE_MEANS_H

#include "src/run/analyst/analyst.h"
#include "src/run/options/options.h"
#include "src/write/print/annotated.h"

/* An analyst of no process, for instructions of files, which the caller destroys. NULL and ERR if
   there can be none. */
struct analyst *code_means_analyst(const struct options *options, struct error *err);

/* Fill in what MEANS needs for instructions; ANALYST is borrowed. */
void code_means_fill(struct annotated_means *means, struct analyst *analyst);

#endif
