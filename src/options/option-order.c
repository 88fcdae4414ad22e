/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/options/option-order.h"

#include "src/options/options-table.h"

#include <stdbool.h>
#include <string.h>

static bool is_command(const char *word)
{
	for (enum command command = COMMAND_TOP; command < COMMAND_HELP; command++)
		if (command_rows[command].name &&
			strcmp(word, command_rows[command].name) == 0)
			return true;
	return false;
}

/* Is WORD an option that takes no value, such as --ascii? */
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
	if (at >= argc || !is_command(argv[at]))
		return;
	char *command = argv[at];
	memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof(*argv));
	argv[1] = command;
}
