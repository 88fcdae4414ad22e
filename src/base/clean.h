/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clean: make a string from the target safe to show and to write. Done once for each
 * string, where it comes in.
 *
 * Thread names, symbol names and paths come from a program that may be hostile; printed
 * as they are, they could control the terminal (htop GHSA-q64m-h5hc-c4qq) or break a
 * line-based format. Control characters (C0, DEL, C1), bytes that are not UTF-8 and
 * characters that reorder or hide text (of direction, U+061C, U+200E-F, U+202A-E,
 * U+2066-9; without a width, U+00AD, U+180E, U+200B-D, U+2060-5, U+206A-F, U+FEFF; line
 * separators, U+2028-9; annotations, U+FFF9-B; tags, U+E0000-7F) become \xNN, byte by
 * byte.
 * Everything else is kept. Any thread.
 */
#ifndef CPROFTOP_CLEAN_H
#define CPROFTOP_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Longest name kept, in bytes, with its NUL; longer ones are cut at a character
   boundary. */
enum {
	CLEAN_MAX = 4096
};

/* Write at most SIZE bytes, NUL included, of the cleaned LENGTH bytes of TEXT to OUT;
   stops at a NUL in TEXT. Returns the length written. */
size_t clean_text(char *out, size_t size, const char *text, size_t length);

/* Would clean_text, with room enough, write these bytes as they are? */
bool clean_is(const char *text, size_t length);

/* Decode the UTF-8 character that TEXT, LENGTH bytes, begins with; LENGTH is not 0. Returns
   its size, or 0 if it is not one (overlong forms, surrogates and code points past
   U+10FFFF are not: RFC 3629). */
size_t clean_decode(const char *text, size_t length, uint32_t *point);

/* Write POINT, at most U+1FFFFF, to OUT, which has room for four bytes. Returns how many it
   takes. */
size_t clean_encode(uint32_t point, char *out);

#endif
