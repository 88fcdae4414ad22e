/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-session: what the command line asks of a session, the same for every command.
 * Main thread.
 */
#ifndef CPROFTOP_OPTIONS_SESSION_H
#define CPROFTOP_OPTIONS_SESSION_H

#include "src/options/options.h"
#include "src/program/session.h"

/* All that OPTIONS say of a session. The caller adds what depends on the command. Borrows
   what OPTIONS point to. */
struct session_options options_session(const struct options *options);

#endif
