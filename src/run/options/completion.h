/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * completion: what a shell completes behind "cproftop", from the tables of options and
 * commands.
 *
 * Each shell has a script (completion.bash, .zsh, .fish) that works on rows, which stand in
 * it in place of the line "@ROWS@". A row has five fields, apart by tabs: the
 * command ("top" for the live screen), the spellings of an option, the name of its value,
 * the values if they are words, and its help:
 *
 *	record	-m --mode	MODE	cpu wall	count 'cpu' time, or ...
 *
 * The row of a command itself has no spelling; its third and fourth fields are what its
 * synopsis names (NAME, FILE, CMD) and words that it takes (start, stop). Any thread.
 */
#ifndef CPROFTOP_COMPLETION_H
#define CPROFTOP_COMPLETION_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* Is there a script for this shell? */
bool completion_knows(const char *shell, struct error *err);

/* Write the script for SHELL, which is known. */
void completion_print(const char *shell, FILE *out);

#endif
