/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/text/fuzzy.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* Points as fzf gives them: a gap must never pay for a boundary, and a run of letters in the
   middle of a word is worth as much as one that begins a word only when it is long. */
enum {
	POINTS_FOUND = 16,
	POINTS_GAP_BEGIN = -3,
	POINTS_GAP_GOES_ON = -1,
	BONUS_BOUNDARY = 8,
	BONUS_CAMEL = 7,
	BONUS_RUN = 4,
	BONUS_FIRST_TIMES =
		2, /* the first letter typed is the one that people mean most */
	IMPOSSIBLE = INT16_MIN / 2,
};

struct word {
	const char *text;
	int length;
};

static bool is_wordy(char c)
{
	return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* What a letter found at place I of NAME is worth besides. */
static int bonus_at(const char *name, int i)
{
	if (i == 0 || (is_wordy(name[i]) && !is_wordy(name[i - 1])))
		return BONUS_BOUNDARY;
	if (isupper((unsigned char)name[i]) && islower((unsigned char)name[i - 1]))
		return BONUS_CAMEL;
	if (isdigit((unsigned char)name[i]) && !isdigit((unsigned char)name[i - 1]))
		return BONUS_CAMEL;
	return 0;
}

static bool is_same(char typed, char c, bool exact)
{
	return exact ? typed == c
		     : tolower((unsigned char)typed) == tolower((unsigned char)c);
}

/* Are all letters there, in their order? Most names are out by this. */
static bool may_fit(const struct word *word, const char *name, int length, bool exact)
{
	int found = 0;

	for (int i = 0; i < length && found < word->length; i++)
		found += is_same(word->text[found], name[i], exact);
	return found == word->length;
}

/* Row Q, column I: the best score of the first Q + 1 letters of WORD with the last one found
   at I (at), or found at I or before (best); and whether that last one follows the one before
   it at once, from where the run's bonus comes. */
struct cell {
	int16_t at, best;
	int8_t bonus; /* of the run that ends here */
	bool runs;
};

struct matrix {
	struct cell cells[FUZZY_QUERY_MAX][FUZZY_NAME_MAX];
};

static struct cell cell_of(const struct matrix *matrix, const struct word *word,
	const char *name, int q, int i, bool exact)
{
	const struct cell *left = i > 0 ? &matrix->cells[q][i - 1] : NULL;
	const struct cell *before = q > 0 && i > 0 ? &matrix->cells[q - 1][i - 1] : NULL;
	struct cell cell = {.at = IMPOSSIBLE, .best = IMPOSSIBLE};
	int bonus = bonus_at(name, i);

	if (left && left->best > IMPOSSIBLE)
		cell.best = (int16_t)(left->best + (left->at == left->best
								   ? POINTS_GAP_BEGIN
								   : POINTS_GAP_GOES_ON));
	if (!is_same(word->text[q], name[i], exact))
		return cell;
	if (q == 0) {
		cell.at = (int16_t)(POINTS_FOUND + bonus * BONUS_FIRST_TIMES);
		cell.bonus = (int8_t)bonus;
	} else if (before && before->best > IMPOSSIBLE) {
		int run = before->bonus > bonus ? before->bonus : bonus;
		run = run > BONUS_RUN ? run : BONUS_RUN;
		int after_gap = before->best + POINTS_FOUND + bonus;
		int in_run = before->at > IMPOSSIBLE ? before->at + POINTS_FOUND + run
						     : IMPOSSIBLE;
		cell.runs = in_run >= after_gap;
		cell.at = (int16_t)(cell.runs ? in_run : after_gap);
		cell.bonus = (int8_t)(cell.runs ? run : bonus);
	}
	if (cell.at >= cell.best)
		cell.best = cell.at;
	return cell;
}

/* Mark the places of the best way that ends at column I of the last row. */
static void mark(const struct matrix *matrix, int rows, int i, bool *found)
{
	for (int q = rows - 1; q >= 0; q--) {
		bool must = q < rows - 1 && matrix->cells[q + 1][i + 1].runs;
		while (i > 0 && !must &&
			matrix->cells[q][i].at != matrix->cells[q][i].best)
			i--;
		found[i--] = true;
	}
}

static int score_word(
	const struct word *word, const char *name, int length, bool exact, bool *found)
{
	struct matrix matrix; /* as much of it as the name needs is touched */
	int best = FUZZY_NONE, end = 0;

	if (!may_fit(word, name, length, exact))
		return FUZZY_NONE;
	for (int q = 0; q < word->length; q++)
		for (int i = 0; i < length; i++)
			matrix.cells[q][i] = cell_of(&matrix, word, name, q, i, exact);
	for (int i = 0; i < length; i++) {
		int at = matrix.cells[word->length - 1][i].at;
		if (at > IMPOSSIBLE / 2 && (best == FUZZY_NONE || at > best)) {
			best = at > 0 ? at : 0;
			end = i;
		}
	}
	if (found && best != FUZZY_NONE)
		mark(&matrix, word->length, end, found);
	return best;
}

static bool has_capitals(const char *query)
{
	for (; *query; query++)
		if (isupper((unsigned char)*query))
			return true;
	return false;
}

static int score(const char *query, const char *name, bool *found)
{
	int length = (int)strnlen(name, FUZZY_NAME_MAX), sum = 0;
	bool exact = has_capitals(query);

	for (query += strspn(query, " "); *query; query += strspn(query, " ")) {
		struct word word = {query, (int)strcspn(query, " ")};
		query += word.length;
		if (word.length > FUZZY_QUERY_MAX)
			word.length = FUZZY_QUERY_MAX;
		int points = score_word(&word, name, length, exact, found);
		if (points == FUZZY_NONE)
			return FUZZY_NONE;
		sum += points;
	}
	return sum;
}

int fuzzy_score(const char *query, const char *name)
{
	return score(query, name, NULL);
}

int fuzzy_find(const char *query, const char *name, bool found[FUZZY_NAME_MAX])
{
	memset(found, 0, FUZZY_NAME_MAX * sizeof(found[0]));
	return score(query, name, found);
}
