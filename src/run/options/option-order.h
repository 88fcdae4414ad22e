/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * option-order: words among options: a subcommand after them (`cproftop --no-color demo`), help
 * and version as words, and a subcommand that somebody has mistyped.
 *
 * Pure; any thread.
 */
#ifndef CPROFTOP_OPTION_ORDER_H
#define CPROFTOP_OPTION_ORDER_H

#include "src/run/options/options.h"

#include <stdbool.h>

/* Move a subcommand in ARGV that only follows flags to the front of them. Of an option with a
   value, the word after it may be that value, so it stays. */
void option_command_first(int argc, char **argv);

/* The subcommand that WORD is nearly called, or NULL. */
const char *option_command_meant(const char *word);

/* `help [COMMAND]`, `--help all` and `version` in OPTIONS; false: the words are none of these. */
bool option_help_words(struct options *options, int argc, char **argv);

/* Of words that were: false if they are `help WORD` and no command is called so. */
bool option_help_known(
	const struct options *options, int argc, char **argv, struct error *err);

#endif
