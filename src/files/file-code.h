/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * file-code: instructions and their lines for a report of files that is printed, which waits
 * for them. Main thread.
 */
#ifndef CPROFTOP_FILE_CODE_H
#define CPROFTOP_FILE_CODE_H

#include "src/options/options.h"
#include "src/print/annotated.h"

/* Fill in what MEANS needs for instructions; OPTIONS are borrowed. */
void file_code_means(struct annotated_means *means, const struct options *options);

#endif
