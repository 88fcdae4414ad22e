/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * json-text: a text as JSON has it (RFC 8259). Pure; any thread.
 */
#ifndef CPROFTOP_JSON_TEXT_H
#define CPROFTOP_JSON_TEXT_H

#include <stdio.h>

/* TEXT, which is UTF-8, in quotes. */
void json_text_put(const char *text, FILE *out);

/* "KEY": TEXT, and END as it is: what separates it from the next pair. */
void json_text_put_pair(const char *key, const char *text, const char *end, FILE *out);

#endif
