/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-syntax: the table of options as getopt_long(3) takes it. Main thread.
 */
#ifndef CPROFTOP_OPTIONS_SYNTAX_H
#define CPROFTOP_OPTIONS_SYNTAX_H

#include "src/run/options/options-table.h"

#include <getopt.h>
#include <stdbool.h>

/* The options of one command. */
struct options_syntax {
	struct option options[OPTION_ROWS_MAX + 1];
	char letters[2 * OPTION_ROWS_MAX + 3];
};

void options_syntax_of(struct options_syntax *syntax, enum command command);

/* The row for FOUND, what getopt_long returned of that syntax. */
const struct option_row *options_row_found(enum command command, int found);

/* Is --no-rc among the options? The settings come before all options, so it must be known
   first. What is wrong with the others is said later. */
bool options_syntax_no_rc(const struct options_syntax *syntax, int argc, char **argv);

/* As getopt_long, but words that name a process or files may stand before options: the next
   ones are moved to ARGV[1], ARGV[2]... and counted, unless N_WORDS is NULL. */
int options_syntax_next(
	const struct options_syntax *syntax, int argc, char **argv, size_t *n_words);

#endif
