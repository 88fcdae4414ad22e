/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callers: under each function who called it, and who called those: the call tree upside
 * down, as perf report --stdio -g caller prints it.
 *
 * Main thread.
 */
#ifndef CPROFTOP_CALLERS_H
#define CPROFTOP_CALLERS_H

#include "src/write/listing.h"

#include <stddef.h>
#include <stdio.h>

/* The first MOST functions of LISTING with self weight, each with its callers. Those with
   less than 1/200 of the function are left out. */
void callers_write(const struct listing *listing, size_t most, FILE *out);

#endif
