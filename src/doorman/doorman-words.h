/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doorman-words: taking a path apart, for the rules of the doorman.
 */
#ifndef CPROFTOP_DOORMAN_WORDS_H
#define CPROFTOP_DOORMAN_WORDS_H

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* PATH without the '/' at its end. */
static inline size_t bare_length(const char *path)
{
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	return length;
}

/* Take a number off *TEXT; -1: it does not begin with one. */
static inline long take_number(const char **text)
{
	char *end;
	if (!isdigit((unsigned char)**text) || strspn(*text, "0123456789") > 9)
		return -1;
	long number = strtol(*text, &end, 10);
	*text = end;
	return number;
}

static inline bool take_word(const char **text, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(*text, word, length) != 0)
		return false;
	*text += length;
	return true;
}

#endif
