/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-session: make a session's options from the command line, for all commands
 * alike. Main thread.
 */
#ifndef CPROFTOP_OPTIONS_SESSION_H
#define CPROFTOP_OPTIONS_SESSION_H

#include "src/options/options.h"
#include "src/session/session.h"

/* All session options that OPTIONS determine. The caller sets those that depend on the
   command. The result borrows what OPTIONS point to. */
struct session_options options_session(const struct options *options);

#endif
