/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/keys/key.h"

#include "ui/draw/utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	uint32_t key;
	const char *name;
} key_names[] = {
	{K_TAB, "Tab"},
	{K_ENTER, "Enter"},
	{K_ESC, "Esc"},
	{K_SPACE, "Space"},
	{K_BACKSPACE, "Backspace"},
	{K_UP, "Up"},
	{K_DOWN, "Down"},
	{K_LEFT, "Left"},
	{K_RIGHT, "Right"},
	{K_PAGE_UP, "PgUp"},
	{K_PAGE_DOWN, "PgDn"},
	{K_HOME, "Home"},
	{K_END, "End"},
	{K_INSERT, "Ins"},
	{K_DELETE, "Del"},
	{K_BACK_TAB, "S-Tab"},
};

enum {
	N_KEY_NAMES = sizeof(key_names) / sizeof(key_names[0])
};

uint32_t key_parse(const char *text, size_t *length)
{
	size_t n = strcspn(text, " ");
	uint32_t key = K_NONE;
	struct utf8 c = utf8_decode(text, n);

	if (n > 0 && c.valid && c.length == n && c.code > ' ')
		key = c.code;
	else if (n == 6 && strncmp(text, "Ctrl-", 5) == 0 && text[5] >= '@' &&
		 text[5] <= '_')
		key = K_CTRL(text[5]);
	else if ((n == 2 || n == 3) && text[0] == 'F') {
		char *end;
		unsigned long number = strtoul(text + 1, &end, 10);
		if (number >= 1 && number <= 12 && end == text + n)
			key = K_F1 + (uint32_t)number - 1;
	}
	for (size_t i = 0; i < N_KEY_NAMES && key == K_NONE; i++)
		if (strlen(key_names[i].name) == n &&
			memcmp(key_names[i].name, text, n) == 0)
			key = key_names[i].key;
	if (length)
		*length = n;
	return key;
}

void key_describe(uint32_t key, char *out)
{
	for (size_t i = 0; i < N_KEY_NAMES; i++)
		if (key_names[i].key == key) {
			snprintf(out, KEY_NAME_MAX, "%s", key_names[i].name);
			return;
		}
	if (key >= K_F1 && key <= K_F12)
		snprintf(out, KEY_NAME_MAX, "F%u", key - K_F1 + 1);
	else if (key < ' ')
		snprintf(out, KEY_NAME_MAX, "Ctrl-%c", (int)(key + '@'));
	else
		out[utf8_write(key, out)] = '\0';
}
