/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/text/typed.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static bool is_wordy(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

static bool begins_word(const char *name, size_t at)
{
	return at == 0 || !is_wordy(name[at - 1]) ||
	       (isupper((unsigned char)name[at]) && islower((unsigned char)name[at - 1]));
}

static bool has_capitals(const char *query)
{
	for (; *query; query++)
		if (isupper((unsigned char)*query))
			return true;
	return false;
}

/* How well LENGTH bytes of WORD fit: 2 at the begin of a word, else 1; 0: not at all. */
static int score_word(
	const char *word, size_t length, bool exact, const char *name, bool *found)
{
	size_t bytes = strnlen(name, TYPED_NAME_MAX), best = 0;
	int score = 0;
	for (size_t at = 0; at + length <= bytes && score < 2; at++) {
		int differs = exact ? strncmp(name + at, word, length)
				    : strncasecmp(name + at, word, length);
		int here = differs ? 0 : 1 + begins_word(name, at);
		if (here <= score)
			continue;
		score = here;
		best = at;
	}
	if (found && score)
		memset(found + best, 1, length);
	return score;
}

int typed_score(const char *query, const char *name, bool found[TYPED_NAME_MAX])
{
	bool exact = has_capitals(query);
	int sum = 0;
	if (found)
		memset(found, 0, TYPED_NAME_MAX * sizeof(found[0]));
	for (query += strspn(query, " "); *query; query += strspn(query, " ")) {
		size_t length = strcspn(query, " ");
		int score = score_word(query, length, exact, name, found);
		if (!score)
			return TYPED_NONE;
		sum += score;
		query += length;
	}
	return sum;
}
