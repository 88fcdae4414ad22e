/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * typed: how well a name fits what somebody typed of it.
 *
 * Words of the query, with blanks between them, are found each by itself, in any order, and all
 * must be. One that begins a word of the name (after "::", "_", "/", a blank, or at a capital) fits
 * better. Case counts only in a query with capitals. Pure. Any thread.
 */
#ifndef CPROFTOP_TYPED_H
#define CPROFTOP_TYPED_H

#include <stdbool.h>
#include <stddef.h>

enum {
	TYPED_NAME_MAX = 512, /* bytes of a name that count */
	TYPED_NONE = -1,
};

/* TYPED_NONE: NAME does not fit. Else the higher, the better; 0 for a query without words.
   FOUND[i] says whether byte i of NAME is one of those that were found; NULL: not wanted. */
int typed_score(const char *query, const char *name, bool found[TYPED_NAME_MAX]);

#endif
