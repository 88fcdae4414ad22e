/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * gzip: compress bytes (RFC 1952), always with the same result.
 *
 * The header has no file name and no time, so equal bytes make equal files. Any thread.
 */
#ifndef CPROFTOP_GZIP_H
#define CPROFTOP_GZIP_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Write the SIZE bytes as one gzip member. Fails if OUT does. */
bool gzip_write(const void *bytes, size_t size, FILE *out, struct error *err);

#endif
