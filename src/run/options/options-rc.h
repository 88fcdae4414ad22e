/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-rc: the settings file as options.
 *
 * A line `NAME = VALUE` says what `--NAME=VALUE` would say before all other options. Only
 * options that change how a person sees things can be settings (ON_RC in options-table.h):
 * no line names a target, a file or a command. Main thread.
 */
#ifndef CPROFTOP_OPTIONS_RC_H
#define CPROFTOP_OPTIONS_RC_H

#include "src/run/options/options.h"

/* OPTIONS have their defaults and their command. Lines that make no sense are told to RC's
   complain, one by one, and skipped. */
void options_take_rc(struct options *options, const struct options_rc *rc);

#endif
