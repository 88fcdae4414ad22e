/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/options-rc.h"

#include "src/base/settings/rc-file.h"
#include "src/run/options/options-row.h"
#include "src/run/options/options-table.h"

#include <stdio.h>
#include <string.h>

/* Only what draws a screen. Of diff, which may also write what it finds, only how a screen
   looks: what is written depends on the command line alone. */
static bool is_heeded(const struct option_row *row, enum command command)
{
	if (command == COMMAND_DIFF)
		return row->flag || strcmp(row->name, "theme") == 0 ||
		       strcmp(row->name, "colors") == 0;
	return (1u << command & ON_SCREEN) &&
	       (row->commands & 1u << command || !(row->commands & ON_SCREEN));
}

static const struct option_row *row_of(const char *name)
{
	for (const struct option_row *row = option_rows; row->name; row++)
		if (row->commands & ON_RC && strcmp(row->name, name) == 0)
			return row;
	return NULL;
}

void options_take_rc(struct options *options, const struct options_rc *rc)
{
	if (!(1u << options->command & (ON_SCREEN | ON_DIFF)))
		return;
	const struct rc_file *file = rc->read(rc->context);
	for (size_t i = 0; i < file->lines.len; i++) {
		const struct rc_line *line = &file->lines.data[i];
		const struct option_row *row = line->name ? row_of(line->name) : NULL;
		struct error why = {""};

		if (line->is_bad)
			error_set(&why, "this is not NAME = VALUE");
		else if (line->name && !row)
			error_set(&why, "there is no setting '%.60s'", line->name);
		else if (row && is_heeded(row, options->command))
			options_row_take(options, row, line->value, &why);
		if (!why.text[0])
			continue;
		char text[sizeof(why.text) + 256];
		snprintf(text, sizeof(text), "%.200s:%zu: %s; the line is skipped",
			rc->path, i + 1, why.text);
		rc->complain(rc->context, text);
	}
}
