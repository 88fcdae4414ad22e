/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * remedy: how to get names for the code of a module that has none.
 *
 * For generated code: the option of the runtime that called it, if that runtime can write
 * a perf map. For a file: the package with its symbols, if dpkg installed this very file
 * on this machine; and the debuginfod server of the distribution. The records of dpkg and
 * os-release(5) are read at each call, which takes some milliseconds; nothing is executed
 * and nothing is fetched. Any thread.
 */
#ifndef CPROFTOP_REMEDY_H
#define CPROFTOP_REMEDY_H

#include "src/count/nameless.h"

#include <stddef.h>

enum {
	REMEDY_MAX = 256, /* bytes of a remedy, with NUL */
};

/* Write the remedy for ROW to OUT: a sentence without its period, cut off at SIZE. ROOT
   is the folder with the records: "" is the machine's own root; a test uses another. */
void remedy_for(const struct nameless_row *row, const char *root, char *out, size_t size);

#endif
