/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * options-store: whether the options about folders of profiles, and stores for them, fit
 * together. Main thread.
 */
#ifndef CPROFTOP_OPTIONS_STORE_H
#define CPROFTOP_OPTIONS_STORE_H

#include "src/run/options/options.h"

/* Also makes what --push implies: no labels of threads. */
bool options_check_store(struct options *options, struct error *err);

#endif
