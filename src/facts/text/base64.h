/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base64: bytes as text (RFC 4648, section 4). Pure; any thread.
 */
#ifndef CPROFTOP_BASE64_H
#define CPROFTOP_BASE64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* With padding, without line breaks. */
void base64_put(const void *bytes, size_t size, FILE *out);

/* The bytes that the LENGTH characters of TEXT stand for, written to OUT, which has room for
   LENGTH / 4 * 3; *SIZE is how many. False: TEXT is not what base64_put writes. */
bool base64_get(const char *text, size_t length, uint8_t *out, size_t *size);

#endif
