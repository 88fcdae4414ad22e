/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * search: the functions of a report that the search (key `/`) matches.
 *
 * The pattern is matched against each function once, not at each drawing: the answers are
 * kept by function id. UI thread.
 */
#ifndef CPROFTOP_UI_SEARCH_H
#define CPROFTOP_UI_SEARCH_H

#include "src/base/pattern.h"
#include "src/count/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct search {
	char text[REPORT_TEXT_MAX]; /* "": none */
	/* weight of the stacks with a match, in the last report */
	struct weight covered;
	size_t matches;		 /* functions of the last report that match */
	struct pattern *pattern; /* NULL: none */
	uint8_t *answers;	 /* by function id: 0 not asked yet, 1 no, 2 yes */
	size_t n_answers;
	/* the profile of these ids; compared, never dereferenced */
	const struct profile *profile;
};

/* Replace the pattern. False if TEXT is not a valid pattern; then nothing matches. With
   "" nothing matches either, as in a zeroed search. */
bool search_set(struct search *search, const char *text);
void search_finish(struct search *search);

/* Match the functions of REPORT that were not matched yet, and update `covered` and
   `matches`. */
void search_update(struct search *search, const struct report *report);

static inline bool search_hit(const struct search *search, uint32_t function)
{
	return function < search->n_answers && search->answers[function] == 2;
}

/* A pattern that matches NAME and nothing else; false, and "": it does not fit, or there is
   none. */
bool search_exact_pattern(const char *name, char *text, size_t size);

#endif
