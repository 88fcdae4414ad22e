/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * utf8: one character at a time.
 *
 * Decoded by src/base/clean.h and not by the C library, so that text means the same in every locale.
 * Pure. Any thread.
 */
#ifndef CPROFTOP_UI_UTF8_H
#define CPROFTOP_UI_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct utf8 {
	uint32_t code;	/* the code point; U+FFFD if not valid */
	uint8_t length; /* bytes; 1 if not valid, 0 at the end of the text */
	bool valid;
};

/* The first character of the SIZE bytes of TEXT. Overlong forms, surrogates and values
   above U+10FFFF are not valid. */
struct utf8 utf8_decode(const char *text, size_t size);

/* Write CODE as UTF-8 to OUT, which has room for 4 bytes, and return the number of bytes.
   If CODE is not a character, U+FFFD is written. */
size_t utf8_write(uint32_t code, char *out);

/* Columns on the screen: 2, 1, 0 for a combining mark, -1 for what cannot be shown. Uses
   wcwidth, so it depends on the locale. */
int utf8_columns(uint32_t code);

#endif
