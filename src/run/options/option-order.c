/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/option-order.h"

#include "src/run/options/options-table.h"

#include <string.h>

/* Is WORD an option that takes no value, such as --children? */
static bool is_flag(const char *word)
{
	for (const struct option_row *row = option_rows; row->name; row++) {
		bool is_long = strncmp(word, "--", 2) == 0;
		bool is_it = is_long ? strcmp(word + 2, row->name) == 0
				     : word[0] == '-' && word[1] == row->letter &&
					       word[1] && !word[2];
		if (is_it && !row->value)
			return true;
	}
	return false;
}

void option_command_first(int argc, char **argv)
{
	int at = 1;
	while (at < argc && is_flag(argv[at]))
		at++;
	enum command command;
	if (at >= argc || !command_find(argv[at], &command))
		return;
	char *word = argv[at];
	memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
	argv[1] = word;
}

enum {
	WORD_MAX = 16,
	TYPOS_MAX = 2,
};

/* How many letters are to be changed, put in, taken out or swapped to make B of A. */
static int typos(const char *a, const char *b)
{
	int n = (int)strlen(a), m = (int)strlen(b);
	int far[WORD_MAX + 1][WORD_MAX + 1];
	if (n > WORD_MAX || m > WORD_MAX)
		return WORD_MAX;
	for (int i = 0; i <= n; i++)
		for (int j = 0; j <= m; j++) {
			int least = i + j;
			if (i && j)
				least = far[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
			if (i && far[i - 1][j] + 1 < least)
				least = far[i - 1][j] + 1;
			if (j && far[i][j - 1] + 1 < least)
				least = far[i][j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
				a[i - 2] == b[j - 1] && far[i - 2][j - 2] + 1 < least)
				least = far[i - 2][j - 2] + 1;
			far[i][j] = least;
		}
	return far[n][m];
}

const char *option_command_meant(const char *word)
{
	const char *meant = NULL;
	int least = strlen(word) > 3 ? TYPOS_MAX + 1 : TYPOS_MAX;
	for (enum command command = COMMAND_TOP; command < COMMAND_HELP; command++) {
		const char *name = command_rows[command].name;
		int far = name ? typos(word, name) : WORD_MAX;
		if (far > 0 && far < least) {
			least = far;
			meant = name;
		}
	}
	return meant;
}

bool option_help_words(struct options *options, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "", *on = argc > 2 ? argv[2] : "";
	bool is_help = strcmp(word, "help") == 0;
	bool is_option = strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
	if (strcmp(word, "version") == 0 && argc == 2)
		options->command = COMMAND_VERSION;
	if (is_help || is_option) {
		options->command = options->help_on = COMMAND_HELP;
		if (strcmp(on, "all") == 0 || strcmp(on, "top") == 0)
			options->help_on = COMMAND_TOP;
		command_find(on, &options->help_on);
	}
	return options->command >= COMMAND_HELP;
}

bool option_help_known(
	const struct options *options, int argc, char **argv, struct error *err)
{
	const char *on = argc > 2 ? argv[2] : "-", *meant = option_command_meant(on);
	if (options->help_on != COMMAND_HELP || strcmp(argv[1], "help") != 0 ||
		on[0] == '-' || strcmp(on, "help") == 0 || strcmp(on, "version") == 0)
		return true;
	return meant ? error_set(err, "'%s' is no command: did you mean '%s'?", on, meant)
		     : error_set(err, "'%s' is no command: see 'cproftop help'", on);
}
