/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * rewrite: rules that a person writes for names, compiled.
 *
 * A text has a rule on each line:
 *
 *	thread s/REGEX/TEXT/     another name for threads
 *	function s/REGEX/TEXT/   another name for functions
 *
 * All rules of a kind are applied, in their order. s/// is sed's (src/base/pattern.h).
 * Single-threaded.
 */
#ifndef CPROFTOP_REWRITE_H
#define CPROFTOP_REWRITE_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	REWRITE_TEXT_MAX = 1024
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
bool rewrite_has_functions(const struct rewrite *rewrite);

/* The new name of a thread, at most SIZE bytes; false if it keeps its own. */
bool rewrite_thread(
	const struct rewrite *rewrite, const char *name, char *out, size_t size);

/* The same of a function. */
bool rewrite_function(
	const struct rewrite *rewrite, const char *name, char *out, size_t size);

#endif
