/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/keys/action.h"

#include "ui/keys/key.h"

#include <stddef.h>

#define ACTION_ROW(id, in_group, key_list, bar_label, help_text) \
	[id] = {                                                 \
		.name = #id,                                     \
		.keys = key_list,                                \
		.label = bar_label,                              \
		.help = help_text,                               \
		.group = in_group,                               \
	},
const struct action_row action_rows[ACTION_COUNT] = {ACTIONS(ACTION_ROW)};

const char *const action_group_titles[GROUP_COUNT] = {
	[GROUP_MOVE] = "Moving",
	[GROUP_LOOK] = "Looking",
	[GROUP_NARROW] = "Narrowing down",
	[GROUP_TIME] = "Time",
	[GROUP_OUTPUT] = "Files and other programs",
	[GROUP_PROGRAM] = "Program",
};

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

uint32_t action_key(enum action action)
{
	return action == ACTION_NONE ? K_NONE : key_parse(action_rows[action].keys, NULL);
}
