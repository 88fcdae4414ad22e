/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/options-table.h"

#include <string.h>

#define ROW(NAME, name, brief, synopsis, what) \
	{COMMAND_##NAME == COMMAND_TOP ? NULL : #name, synopsis, brief, what},
const struct command_row command_rows[COMMAND_HELP] = {COMMANDS(ROW)};

bool command_find(const char *name, enum command *command)
{
	for (enum command c = COMMAND_TOP; c < COMMAND_HELP; c++)
		if (command_rows[c].name && strcmp(name, command_rows[c].name) == 0) {
			*command = c;
			return true;
		}
	return false;
}
