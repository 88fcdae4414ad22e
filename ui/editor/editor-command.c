/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/editor/editor-command.h"

#include <stdio.h>
#include <string.h>

enum way {
	WAY_PLUS,  /* +LINE FILE */
	WAY_GOTO,  /* -g FILE:LINE */
	WAY_COLON, /* FILE:LINE */
};

static enum way way_of(const char *name)
{
	static const struct {
		const char *name;
		enum way way;
	} rows[] = {
		{"code", WAY_GOTO},
		{"code-insiders", WAY_GOTO},
		{"codium", WAY_GOTO},
		{"cursor", WAY_GOTO},
		{"subl", WAY_COLON},
		{"zed", WAY_COLON},
		{"hx", WAY_COLON},
		{"helix", WAY_COLON},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].way;
	return WAY_PLUS;
}

void editor_name(const char *editor, char *out, size_t size)
{
	editor += strspn(editor, " ");
	size_t length = strcspn(editor, " ");
	const char *slash = memrchr(editor, '/', length);

	if (slash) {
		length -= (size_t)(slash + 1 - editor);
		editor = slash + 1;
	}
	snprintf(out, size, "%.*s", (int)length, editor);
}

void editor_command_make(struct editor_command *command, const char *editor,
	const char *file, unsigned line)
{
	char name[64];
	int n = 0;

	editor_name(editor, name, sizeof(name));
	enum way way = way_of(name);
	snprintf(command->script, sizeof(command->script), "%.*s \"$@\"", PATH_MAX,
		editor);
	command->argv[n++] = "/bin/sh";
	command->argv[n++] = "-c";
	command->argv[n++] = command->script;
	command->argv[n++] = "sh";
	if (line > 0 && way != WAY_COLON) {
		snprintf(command->words[0], sizeof(command->words[0]),
			way == WAY_GOTO ? "-g" : "+%u", line);
		command->argv[n++] = command->words[0];
	}
	snprintf(command->words[1], sizeof(command->words[1]),
		line > 0 && way != WAY_PLUS ? "%.*s:%u" : "%.*s", PATH_MAX, file, line);
	command->argv[n++] = command->words[1];
	command->argv[n] = NULL;
}
