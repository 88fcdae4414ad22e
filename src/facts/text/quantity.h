/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * quantity: a value as a person reads it, in three digits and a unit that suits them.
 *
 * Pure; any thread.
 */
#ifndef CPROFTOP_QUANTITY_H
#define CPROFTOP_QUANTITY_H

#include "src/facts/origin.h"

#include <stdint.h>

struct quantity {
	char text[32];
};

/* "1.23s", "45.6ms" for ns; "1.50MB", in powers of 1024 as pprof has them, for bytes; the
   whole number for a count. */
struct quantity quantity_say(enum value_kind kind, uint64_t value);

#endif
