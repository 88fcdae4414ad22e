/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminal: the terminal that the options ask for: a real one, a script that plays the
 * user, or one that is printed (--batch). Main thread.
 */
#ifndef CPROFTOP_TERMINAL_H
#define CPROFTOP_TERMINAL_H

#include "src/base/error.h"
#include "src/run/options/options.h"
#include "src/run/session/session.h"
#include "ui/screen/app.h"
#include "ui/screen/script.h"
#include "ui/term/term.h"

#include <stdbool.h>

/* A zeroed struct is closed. */
struct terminal {
	struct script *script; /* NULL: a person */
	struct term *term;
};

/* Can it be opened? Nothing is written to it yet. */
bool terminal_possible(const struct options *options, struct error *err);

/* If it is open already, nothing is done. */
bool terminal_open(
	struct terminal *terminal, const struct options *options, struct error *err);

/* For a screen on TERMINAL, once it is open: what OPTIONS and the environment say. */
struct app_options terminal_app(
	const struct terminal *terminal, const struct options *options);

/* Have it restored even if this process is killed. */
void terminal_guard(const struct terminal *terminal, struct session *session);

void terminal_close(struct terminal *terminal); /* more than once is fine */

#endif
