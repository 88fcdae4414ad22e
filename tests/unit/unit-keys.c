/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/unit.h"

#include "ui/keys/action.h"
#include "ui/keys/key.h"

#include <string.h>

static void names_and_keys_go_both_ways(void **unused)
{
	static const char *const names[] = {"a", "A", "/", "\\", "?", "é", "語", "F1",
		"F12", "Up", "PgDn", "Enter", "Esc", "Tab", "S-Tab", "Space", "Backspace",
		"Ctrl-L", "Ctrl-C"};
	char name[KEY_NAME_MAX];

	(void)unused;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		uint32_t key = key_parse(names[i], NULL);
		assert_int_not_equal(key, K_NONE);
		key_describe(key, name);
		assert_string_equal(name, names[i]);
	}
	assert_int_equal(key_parse("F13", NULL), K_NONE);
	assert_int_equal(key_parse("F", NULL), 'F');
	assert_int_equal(key_parse("Fx", NULL), K_NONE);
	assert_int_equal(key_parse("", NULL), K_NONE);
	assert_int_equal(key_parse("Ctrl-C q", NULL), 3);
}

/* Every key in the table can be typed, and does one thing only. */
static void the_table_of_actions_is_sound(void **unused)
{
	(void)unused;
	for (enum action action = ACTION_NONE + 1; action < ACTION_COUNT; action++) {
		const char *keys = action_rows[action].keys;
		assert_non_null(action_rows[action_row_of(action)].help);
		assert_true(action_rows[action].help || action_rows[action].title[0] ||
			    action_rows[action].group == GROUP_MOVE);
		assert_true(action_key(action) != K_NONE);
		while (*keys != '\0') {
			size_t length;
			uint32_t key = key_parse(keys, &length);
			assert_int_not_equal(key, K_NONE);
			assert_int_equal(action_of_key(key), action);
			keys += length + (keys[length] == ' ');
		}
	}
	assert_int_equal(action_of_key(K_NONE), ACTION_NONE);
	assert_int_equal(action_of_key('Z'), ACTION_NONE);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_and_keys_go_both_ways),
		cmocka_unit_test(the_table_of_actions_is_sound),
	};

	return unit_run(tests);
}
