/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remedy: what gives names to the code of a module that has none.
 *
 * For generated code, what the runtime that it was called from must be told, for the
 * runtimes that can write a perf map. For a file, what the machine's own records say: its
 * package, if dpkg installed just this file here, so that the package with its symbols is
 * known; and the debuginfod server of the distribution. These files are read when it is
 * asked, in some milliseconds; nothing is run, nothing is fetched. Any thread.
 */
#ifndef CPROFTOP_REMEDY_H
#define CPROFTOP_REMEDY_H

#include "src/report/nameless.h"

#include <stddef.h>

enum {
	REMEDY_MAX = 256, /* bytes of one, with NUL */
};

/* Where the records are: "" is the machine's own root, a test has another one. A sentence
   without its period, cut off at SIZE. */
void remedy_for(const struct nameless_row *row, const char *root, char *out, size_t size);

#endif
