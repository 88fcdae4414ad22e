/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function-names: make functions of the profile from names of several kinds.
 *
 * Private to src/read/names. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_FUNCTION_NAMES_H
#define CPROFTOP_FUNCTION_NAMES_H

#include "src/facts/profile.h"

#include <stdint.h>

/* The function with exactly the name NAME, which has been cleaned. */
uint32_t function_named(struct profile *profile, const char *name, const char *module);

/* The function for code of which nothing is known. */
uint32_t function_unknown(struct profile *profile);

/* The function for the name SYMBOL of a compiler, which is demangled and cleaned. FILE
   has been cleaned. */
uint32_t function_mangled(struct profile *profile, const char *symbol, const char *module,
	const char *file, uint32_t start_line);

#endif
