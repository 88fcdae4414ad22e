/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opened: the profiles that a command was given, read and added up. Main thread.
 */
#ifndef CPROFTOP_OPENED_H
#define CPROFTOP_OPENED_H

#include "src/base/error.h"
#include "src/import/recording.h"
#include "src/options/options.h"

#include <stdbool.h>
#include <stddef.h>

/* Read FILES into RECORDING, which the caller finishes in any case, and show the type that
   TYPE names; NULL: the file's own choice. */
bool opened_read(struct recording *recording, char *const *files, size_t n_files,
	const char *type, struct error *err);

#endif
