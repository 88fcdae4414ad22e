/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * markup-text: text in HTML and SVG. Any thread.
 */
#ifndef CPROFTOP_MARKUP_TEXT_H
#define CPROFTOP_MARKUP_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Write the first LENGTH bytes of TEXT, or all before its NUL, so that they are read as text:
   between tags; not in an attribute. */
void markup_put_text(const char *text, size_t length, FILE *out);

#endif
