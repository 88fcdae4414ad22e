/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pattern: a regular expression a person typed, with '!' in front to mean "not".
 *
 * PCRE2 syntax, UTF-8, smart case: a pattern without upper-case letters ignores case (as
 * less -i, ripgrep --smart-case). Matching is bounded, so a pattern that would backtrack
 * for ever simply does not match. One thread at a time.
 */
#ifndef CPROFTOP_PATTERN_H
#define CPROFTOP_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

struct pattern;

/* NULL if TEXT is empty (or only "!") or not valid. OFFSET and WHY, if given, say what is
   wrong and where in TEXT; WHY is "" if nothing is. */
struct pattern *pattern_create(
	const char *text, size_t *offset, char *why, size_t why_size);
void pattern_destroy(struct pattern *pattern); /* NULL is fine */

/* Does TEXT contain a match? The '!' is not applied here: what is inverted is the
   caller's question ("no frame matches"), not a single text. */
bool pattern_matches(const struct pattern *pattern, const char *text);
bool pattern_is_inverted(const struct pattern *pattern);

#endif
