/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewrite: rules that a person writes for names and frames, compiled.
 *
 * A text has a rule on each line:
 *
 *	thread s/REGEX/TEXT/     another name for threads
 *	function s/REGEX/TEXT/   another name for functions
 *	fold REGEX               functions that match are one, called "[REGEX]"
 *	fold s/REGEX/TEXT/       the same, called what sed would make of them
 *	hide REGEX               leave these functions out of every stack
 *	show-from REGEX          stacks begin with the outermost function that matches;
 *	                         what has none is not counted
 *
 * Functions are renamed first, by all rules in their order, then folded by the first rule
 * that matches; hide and show-from see the new names. s/// is sed's
 * (src/base/pattern.h); a plain REGEX ignores case unless it has upper-case letters.
 * Single-threaded.
 */
#ifndef CPROFTOP_REWRITE_H
#define CPROFTOP_REWRITE_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	REWRITE_TEXT_MAX = 1024,
	REWRITE_RULES_MAX =
		REWRITE_TEXT_MAX / 7 /* the shortest is "fold x" and its end */
};

struct rewrite;

/* NULL and ERR, which quotes the rule, if TEXT has a rule that is not valid. "" is valid
   and changes nothing. */
struct rewrite *rewrite_create(const char *text, struct error *err);
void rewrite_destroy(struct rewrite *rewrite); /* NULL is fine */

/* Append the rule "KIND VALUE" to TEXT, which has room for REWRITE_TEXT_MAX bytes. False if
   it is not valid or does not fit; then TEXT is as it was. */
bool rewrite_append(char *text, const char *kind, const char *value, struct error *err);

/* Which kinds of rules are there? */
bool rewrite_has_threads(const struct rewrite *rewrite);
bool rewrite_has_names(const struct rewrite *rewrite); /* function, fold */
bool rewrite_has_folds(const struct rewrite *rewrite);
bool rewrite_has_cuts(const struct rewrite *rewrite);	/* hide, show-from */
bool rewrite_has_starts(const struct rewrite *rewrite); /* show-from */

/* The new name of a thread, at most SIZE bytes; false if it keeps its own. */
bool rewrite_thread(
	const struct rewrite *rewrite, const char *name, char *out, size_t size);

/* The new name of a function; false if it keeps its own. *FOLDED: it is one with all
   others of that name. */
bool rewrite_function(const struct rewrite *rewrite, const char *name, char *out,
	size_t size, bool *folded);

/* Of a function's new name. */
bool rewrite_hides(const struct rewrite *rewrite, const char *name);
bool rewrite_starts(const struct rewrite *rewrite, const char *name);

#endif
