/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/options-row.h"

#include "src/facts/rewrite.h"
#include "src/run/options/option-values.h"

#include <stdio.h>
#include <string.h>

enum {
	WHAT_MAX = 32,
	WORDS_MAX = 128,
};

/* "'cpu', 'samples' and 'none'", of "cpu samples none". */
static void list_words(const char *words, char out[WORDS_MAX])
{
	int used = 0;
	while (*words && used < WORDS_MAX) {
		int length = (int)strcspn(words, " ");
		bool is_last = !words[length];
		used += snprintf(out + used, WORDS_MAX - (size_t)used, "%s'%.*s'",
			!used	  ? ""
			: is_last ? " and "
				  : ", ",
			length, words);
		words += length + !is_last;
	}
}

static bool take_choice(unsigned *choice, const char *words, const char *value,
	const char *what, struct error *err)
{
	const char *word = words;
	for (unsigned i = 0; *word; i++) {
		size_t length = strcspn(word, " ");
		if (strlen(value) == length && strncmp(word, value, length) == 0) {
			*choice = i;
			return true;
		}
		word += length + (word[length] == ' ');
	}
	char list[WORDS_MAX];
	list_words(words, list);
	return error_set(err, "%s '%s' is none of %s", what, value, list);
}

static bool take_count(unsigned *count, const struct option_row *row, const char *value,
	const char *what, struct error *err)
{
	double number;
	if (!option_number(value, what, row->least, row->most, true, &number, err))
		return false;
	*count = (unsigned)number;
	return true;
}

static bool take_flag(bool *flag, const char *value, const char *what, struct error *err)
{
	if (value) /* of the settings file */
		return option_switch(value, what, flag, err);
	*flag = true;
	return true;
}

bool options_row_take(struct options *options, const struct option_row *row,
	const char *value, struct error *err)
{
	char *base = (char *)options, what[WHAT_MAX];
	snprintf(what, sizeof(what), "%s%s", row->commands == ON_RC ? "" : "--",
		row->name);
	if (row->take)
		return row->take(options, value, err);
	if (row->flag)
		return take_flag((bool *)(base + row->flag), value, row->name, err);
	if (row->choice)
		return take_choice(
			(unsigned *)(base + row->choice), row->words, value, what, err);
	if (row->count)
		return take_count((unsigned *)(base + row->count), row, value, what, err);
	if (row->seconds)
		return option_time(value, what, row->least, row->most,
			(double *)(base + row->seconds), err);
	if (row->share)
		return option_budget(
			value, what, row->most, (double *)(base + row->share), err);
	if (row->rule)
		return rewrite_append(options->naming.edits, row->rule, value, err);
	*(const char **)(base + row->text) = value;
	return true;
}
