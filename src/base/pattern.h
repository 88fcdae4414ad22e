/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern: a regular expression that a person typed; a leading '!' means "not". And sed's
 * substitution, s/REGEX/TEXT/.
 *
 * PCRE2 syntax, UTF-8, smart case: a pattern without upper-case letters ignores case
 * (like less -i and ripgrep --smart-case). The steps of a match are limited: a pattern
 * that would backtrack for ever does not match. One thread at a time.
 */
#ifndef CPROFTOP_PATTERN_H
#define CPROFTOP_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

struct pattern;

/* NULL if TEXT is empty (or only "!") or not valid. If TEXT is not valid, WHY says what
   is wrong and OFFSET where in TEXT; else WHY is "". Both may be NULL. */
struct pattern *pattern_create(
	const char *text, size_t *offset, char *why, size_t why_size);
void pattern_destroy(struct pattern *pattern); /* NULL is fine */

/* Does TEXT contain a match? The '!' is not applied here: the caller inverts its own
   question ("no frame matches"). */
bool pattern_matches(const struct pattern *pattern, const char *text);
bool pattern_is_inverted(const struct pattern *pattern);

/* SPELT as sed has it: s/REGEX/TEXT/ with another delimiter than '/' if that is wanted,
   '&' and \1 in TEXT, and the flags g (every match) and i (ignore case). REGEX is PCRE2
   and heeds case otherwise. NULL if it is not valid; then WHY says what is wrong. */
struct substitution;

struct substitution *substitution_create(const char *spelt, char *why, size_t why_size);
void substitution_destroy(struct substitution *substitution); /* NULL is fine */

/* Put TEXT with its matches replaced into OUT, cut to SIZE bytes. False if nothing matches;
   then OUT is not changed. */
bool substitution_apply(const struct substitution *substitution, const char *text,
	char *out, size_t size);

#endif
