/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fuzzy: how well a name fits what somebody typed of it.
 *
 * A name fits if it has the letters of the query in their order, with anything between. Of all
 * ways to find them the best one counts, as in fzf (its algo.go, FuzzyMatchV2): each letter
 * found is worth points; more if it begins a word (after "::", "_", "/", a blank, or at a
 * capital), or follows the letter before it at once; each letter left out between two found
 * ones costs. Words of the query, with blanks between them, are found each by itself, in any
 * order, and all must be. Case counts only in a query with capitals. Pure. Any thread.
 */
#ifndef CPROFTOP_FUZZY_H
#define CPROFTOP_FUZZY_H

#include <stdbool.h>
#include <stddef.h>

enum {
	FUZZY_QUERY_MAX = 64, /* bytes of a query that count */
	FUZZY_NAME_MAX = 512, /* and of a name */
	FUZZY_NONE = -1,
};

/* FUZZY_NONE: NAME does not fit. Else the higher, the better; 0 for a query without words. */
int fuzzy_score(const char *query, const char *name);

/* The same; FOUND[i] says whether byte i of NAME is one of those that were found, for
   i below FUZZY_NAME_MAX. */
int fuzzy_find(const char *query, const char *name, bool found[FUZZY_NAME_MAX]);

#endif
