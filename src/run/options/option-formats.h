/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option-formats: the formats that -f and the suffix of -o name. What is not known is answered
 * with all that are. Pure; any thread.
 */
#ifndef CPROFTOP_OPTION_FORMATS_H
#define CPROFTOP_OPTION_FORMATS_H

#include "src/base/error.h"

#include <stdbool.h>

/* Is FORMAT the name of an output format, or if it is NULL, does the suffix of PATH tell one?
   Standard output and other things without a suffix, such as /dev/null or a FIFO, need
   none. */
bool option_format(const char *format, const char *path, struct error *err);

/* What `report` writes, to PATH or NULL: a listing's format or an output format by its name, by
   the suffix of PATH, or "text". NULL and ERR: FORMAT is neither. */
const char *option_report_format(const char *format, const char *path, struct error *err);

#endif
