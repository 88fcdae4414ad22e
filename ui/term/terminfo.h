/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * terminfo: descriptions of common terminals, for systems that have none.
 *
 * In an empty root, or in a small image, there is no /usr/share/terminfo. The ten
 * descriptions here are those of the system that cproftop was built on. Curses takes one
 * from the environment: TERMINFO may hold a description instead of naming a folder
 * (terminfo(5), "Fetching compiled descriptions"). Main thread.
 */
#ifndef CPROFTOP_UI_TERMINFO_H
#define CPROFTOP_UI_TERMINFO_H

#include <stdbool.h>

struct terminfo_loan {
	char *before; /* private */
};

/* Have TERMINFO describe TERMINAL until terminfo_take_back, so that what we start does not
   inherit it. False, and nothing is changed, if TERMINAL is NULL or not one of the ten. */
bool terminfo_lend(const char *terminal, struct terminfo_loan *loan);

/* The same for a description, as TERMINFO may hold one. */
void terminfo_lend_description(const char *description, struct terminfo_loan *loan);

void terminfo_take_back(struct terminfo_loan *loan);

#endif
