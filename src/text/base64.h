/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * base64: bytes as text (RFC 4648, section 4). Pure; any thread.
 */
#ifndef CPROFTOP_BASE64_H
#define CPROFTOP_BASE64_H

#include <stddef.h>
#include <stdio.h>

/* With padding, without line breaks. */
void base64_put(const void *bytes, size_t size, FILE *out);

#endif
