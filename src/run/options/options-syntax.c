/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/options-syntax.h"

#include <stddef.h>
#include <string.h>

enum {
	LONG_ONLY = 256, /* and up: what getopt returns for the rows of option_rows */
};

/* For getopt(3): "+" stops at each word that is not an option, unless all words are files
   (options_syntax_next); ":" distinguishes a missing value from an unknown option. */
void options_syntax_of(struct options_syntax *syntax, enum command command)
{
	size_t n = 0;
	char *letters = stpcpy(syntax->letters, 1u << command & ON_WORDS ? ":" : "+:");
	for (int i = 0; option_rows[i].name; i++) {
		const struct option_row *row = &option_rows[i];
		if (!(row->commands & 1u << command))
			continue;
		syntax->options[n++] = (struct option){
			.name = row->name,
			.has_arg = row->value ? required_argument : no_argument,
			.val = LONG_ONLY + i,
		};
		if (row->letter) {
			*letters++ = row->letter;
			if (row->value)
				*letters++ = ':';
		}
	}
	syntax->options[n] = (struct option){0};
	*letters = '\0';
}

const struct option_row *options_row_found(enum command command, int found)
{
	if (found >= LONG_ONLY)
		return &option_rows[found - LONG_ONLY];
	const struct option_row *row = option_rows;
	while (row->letter != found || !(row->commands & 1u << command))
		row++;
	return row;
}

int options_syntax_next(
	const struct options_syntax *syntax, int argc, char **argv, size_t *n_words)
{
	for (;;) {
		int found =
			getopt_long(argc, argv, syntax->letters, syntax->options, NULL);
		bool is_word = found == -1 && syntax->letters[0] == '+' &&
			       optind < argc &&
			       (optind == 0 || strcmp(argv[optind - 1], "--") != 0);
		if (!is_word)
			return found;
		/* What was read before is needed no more. */
		if (n_words)
			argv[++*n_words] = argv[optind];
		optind++;
	}
}

bool options_syntax_no_rc(const struct options_syntax *syntax, int argc, char **argv)
{
	int found;
	optind = 0; /* glibc: begin anew */
	opterr = 0;
	while ((found = options_syntax_next(syntax, argc, argv, NULL)) != -1)
		if (found >= LONG_ONLY && option_rows[found - LONG_ONLY].flag ==
						  offsetof(struct options, no_rc))
			return true;
	return false;
}
