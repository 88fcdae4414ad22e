/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-row: the value of an option, taken as its row in options-table.c says. Main thread.
 */
#ifndef CPROFTOP_OPTIONS_ROW_H
#define CPROFTOP_OPTIONS_ROW_H

#include "src/run/options/options-table.h"

/* Store VALUE in OPTIONS; NULL: the option was given without one. False, and ERR names the
   option and says what it may be, if it is not valid. */
bool options_row_take(struct options *options, const struct option_row *row,
	const char *value, struct error *err);

#endif
