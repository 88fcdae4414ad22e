/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * newest: how one process hands the newest value of something to another: shared memory, one
 * writer, one reader, and neither waits.
 *
 * A sequence lock: NUMBER is odd while the value is written. The reader takes a copy when it has
 * changed, and takes it again later if it changed meanwhile.
 */
#ifndef CPROFTOP_NEWEST_H
#define CPROFTOP_NEWEST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Writer: BYTES of VALUE into SHARED. */
void newest_put(_Atomic uint32_t *number, void *shared, const void *value, size_t bytes);

/* Reader. *TAKEN is the number of what was taken last, 0 at first. True if another value was
   copied to OUT; else what is in OUT is worth nothing. */
bool newest_take(_Atomic uint32_t *number, const void *shared, uint32_t *taken, void *out,
	size_t bytes);

#endif
