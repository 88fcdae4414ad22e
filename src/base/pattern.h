/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern: a regular expression that a person typed; a leading '!' means "not".
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

#endif
