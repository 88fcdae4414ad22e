/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-settings: the settings file of the person who started us, as options want it.
 *
 * Main thread.
 */
#ifndef CPROFTOP_OPTIONS_SETTINGS_H
#define CPROFTOP_OPTIONS_SETTINGS_H

#include "src/base/settings/rc-place.h"
#include "src/run/options/options.h"

/* Must not move while RC is used. */
struct settings {
	struct rc_place place;
	struct rc_file file; /* read when a command heeds it */
	void (*complain)(const char *text);
	struct error first;   /* what was wrong with it at first; "" */
	struct options_rc rc; /* for options_parse */
};

/* COMPLAIN is told of each line that makes no sense, and of a file that cannot be read. */
void settings_init(struct settings *settings, char *(*getenv)(const char *name),
	void (*complain)(const char *text));
void settings_finish(struct settings *settings);

/* Say in OPTIONS, which were parsed with rc, where changes are kept, and what was wrong. */
void settings_for(const struct settings *settings, struct options *options);

#endif
