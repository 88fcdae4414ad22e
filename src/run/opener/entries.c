/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/opener/entries.h"

#include <stddef.h>
#include <string.h>

enum {
	DIGITS_MAX = 10, /* of a pid, of a descriptor */
};

static bool take_word(const char **text, const char *word)
{
	size_t length = strlen(word);
	if (strncmp(*text, word, length) != 0)
		return false;
	*text += length;
	return true;
}

static bool take_number(const char **text)
{
	size_t digits = strspn(*text, "0123456789");
	*text += digits;
	return digits > 0 && digits <= DIGITS_MAX;
}

/* WORD with a number behind it, and nothing else. */
static bool is_numbered(const char *text, const char *word)
{
	return take_word(&text, word) && take_number(&text) && !*text;
}

bool entries_may_open(const char *name, bool *is_folder)
{
	static const char *const whole[] = {
		"maps", "mem", "stat", "status", "cmdline", "comm"};
	const char *below = name;
	*is_folder = strcmp(name, "task") == 0;
	if (*is_folder || is_numbered(name, "fdinfo/"))
		return true;
	if (take_word(&below, "task/") && take_number(&below) && *below == '/')
		name = below + 1;
	for (size_t i = 0; i < sizeof(whole) / sizeof(*whole); i++)
		if (strcmp(name, whole[i]) == 0)
			return true;
	return false;
}

bool entries_may_follow(const char *name)
{
	if (is_numbered(name, "fd/") || strcmp(name, "cwd") == 0)
		return true;
	return take_word(&name, "map_files/") && *name &&
	       strspn(name, "0123456789abcdef-") == strlen(name);
}

bool entries_may_look_for(const char *name)
{
	return strcmp(name, "stat") == 0 || is_numbered(name, "task/");
}

bool entries_is_public(const char *path)
{
	if (strcmp(path, "/proc/locks") == 0)
		return true;
	return take_word(&path, "/proc/") && take_number(&path) &&
	       strcmp(path, "/comm") == 0;
}
