/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-apply: options that were given and would have no effect.
 *
 * Somebody who writes `--weight cpu -f pprof` expects something of it, so it is an error
 * that says what the option is for. Any thread.
 */
#ifndef CPROFTOP_OPTIONS_APPLY_H
#define CPROFTOP_OPTIONS_APPLY_H

#include "src/base/error.h"
#include "src/run/options/options.h"

#include <stdbool.h>

/* GIVEN: for each row of option_rows, was it given? OPTIONS are checked otherwise. False
   and ERR if one of them does not apply to what the others say. */
bool options_apply(const struct options *options, const bool *given, struct error *err);

#endif
