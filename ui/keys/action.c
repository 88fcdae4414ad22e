/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/keys/action.h"

#include "ui/keys/key.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define ACTION_ROW(id, in_group, key_list, in_palette, help_text) \
	[id] = {                                                  \
		.name = #id,                                      \
		.keys = key_list,                                 \
		.title = in_palette,                              \
		.help = help_text,                                \
		.group = in_group,                                \
	},
const struct action_row action_rows[ACTION_COUNT] = {ACTIONS(ACTION_ROW)};

enum action action_of_key(uint32_t key)
{
	if (key == K_NONE)
		return ACTION_NONE;
	for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
		const char *keys = action_rows[action].keys;
		while (*keys != '\0') {
			size_t length;
			if (key_parse(keys, &length) == key)
				return action;
			keys += length;
			keys += *keys == ' ';
		}
	}
	return ACTION_NONE;
}

enum action action_row_of(enum action action)
{
	while (!action_rows[action].help)
		action--;
	return action;
}

/* The key of ACTION that stands for it among others: no F-key if there is another one. */
static void add_key(enum action action, char keys[ACTION_KEYS_MAX])
{
	const char *key = action_rows[action].keys, *next = strchr(key, ' ');

	if (key[0] == 'F' && next)
		key = next + 1;
	if (strncmp(key, "Ctrl-", 5) == 0) /* the help of the row names it */
		return;
	size_t used = strlen(keys);
	snprintf(keys + used, ACTION_KEYS_MAX - used, "%s%.*s", used > 0 ? " " : "",
		(int)strcspn(key, " "), key);
}

void action_row_keys(enum action row, char keys[ACTION_KEYS_MAX])
{
	enum action next = row + 1;

	keys[0] = '\0';
	if (next == ACTION_COUNT || action_rows[next].help) {
		snprintf(keys, ACTION_KEYS_MAX, "%s", action_rows[row].keys);
		return;
	}
	add_key(row, keys);
	for (; next < ACTION_COUNT && !action_rows[next].help; next++)
		add_key(next, keys);
}

uint32_t action_key(enum action action)
{
	return action == ACTION_NONE ? K_NONE : key_parse(action_rows[action].keys, NULL);
}
