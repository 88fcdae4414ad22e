/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function-names: functions of the profile, by the names that they go by elsewhere.
 *
 * Private to src/names. Analyst thread only.
 */
#ifndef CPROFTOP_FUNCTION_NAMES_H
#define CPROFTOP_FUNCTION_NAMES_H

#include "src/model/profile.h"

#include <stdint.h>

/* The function called NAME, which is clean, as it is. */
uint32_t function_named(struct profile *profile, const char *name, const char *module);

/* Code of which nothing is known. */
uint32_t function_unknown(struct profile *profile);

/* A function by what the compiler calls it: demangled, and cleaned. FILE is clean. */
uint32_t function_mangled(struct profile *profile, const char *symbol, const char *module,
	const char *file, uint32_t start_line);

#endif
