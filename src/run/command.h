/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command: what `cproftop SUBCOMMAND` does, one file each (src/run/command-NAME.c).
 *
 * Each returns the exit status, and reports failures itself on standard error. Main
 * thread.
 */
#ifndef CPROFTOP_COMMAND_H
#define CPROFTOP_COMMAND_H

#include "src/run/options/commands.h"
#include "src/run/options/options.h"

#define COMMAND_DECLARE(NAME, name, brief, synopsis, what) \
	int command_##name(const struct options *options);
COMMANDS(COMMAND_DECLARE)
#undef COMMAND_DECLARE

int command_open(const struct options *options); /* of command_top, for files */

#endif
