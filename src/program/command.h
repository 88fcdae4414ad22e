/*
 * command: what `cproftop SUBCOMMAND` does; one file each (src/program/command-NAME.c).
 *
 * Each returns the exit status and has told the person everything on standard error.
 * Main thread.
 */
#ifndef CPROFTOP_COMMAND_H
#define CPROFTOP_COMMAND_H

#include "src/program/options.h"

int command_top(const struct options *options);
int command_record(const struct options *options);
int command_dump(const struct options *options);
int command_demo(const struct options *options);

/* "cproftop: " and the text, one line on standard error. Returns the exit status 1. */
int command_fail(const struct error *err);

/* One line on standard error: FILES have no lines, because line_resolver_deaths. */
void command_tell_lines_deaths(unsigned files);

#endif
