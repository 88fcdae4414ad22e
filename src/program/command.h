/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command: what `cproftop SUBCOMMAND` does, one file each (src/program/command-NAME.c).
 *
 * Each returns the exit status, and reports failures itself on standard error. Main
 * thread.
 */
#ifndef CPROFTOP_COMMAND_H
#define CPROFTOP_COMMAND_H

#include "src/options/options.h"

int command_top(const struct options *options);
int command_record(const struct options *options);
int command_dump(const struct options *options);
int command_demo(const struct options *options);
int command_open(const struct options *options); /* of command_top, for files */
int command_convert(const struct options *options);
int command_report(const struct options *options);
int command_diff(const struct options *options);
int command_push(const struct options *options);
int command_ctl(const struct options *options);

#endif
