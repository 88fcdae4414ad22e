/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-session: make a session's options from the command line, for all commands
 * alike. Main thread.
 */
#ifndef CPROFTOP_OPTIONS_SESSION_H
#define CPROFTOP_OPTIONS_SESSION_H

#include "src/read/sources/source-reader.h"
#include "src/run/options/options.h"
#include "src/run/session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* All session options that OPTIONS determine. The caller sets those that depend on the
   command. The result borrows what OPTIONS point to. */
struct session_options options_session(const struct options *options);

/* What reads source files, where OPTIONS say that they are. The caller destroys it. */
struct source_reader *options_source_reader(const struct options *options);

/* Find the processes called NAME, the busiest first, other than this one. The first MOST go
   into PIDS; *FOUND is how many there are. False and ERR if there is none. */
bool options_named_pids(
	const char *name, pid_t *pids, size_t most, size_t *found, struct error *err);

/* The processes that OPTIONS give by number, or all that have the name. */
bool options_targets(const struct options *options, pid_t pids[OPTIONS_PIDS_MAX],
	size_t *n, struct error *err);

#endif
