/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation-lines: the rows in the order of source lines.
 *
 * Private to src/count/annotate.
 */
#ifndef CPROFTOP_ANNOTATION_LINES_H
#define CPROFTOP_ANNOTATION_LINES_H

#include "src/count/annotate/annotation-rows.h"

void annotation_by_line(const struct rows_builder *rows);

#endif
