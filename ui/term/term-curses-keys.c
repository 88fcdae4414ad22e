/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/term-curses-keys.h"

#include "ui/keys/key.h"

#include <curses.h>
#include <stddef.h>

uint32_t curses_key(wint_t code)
{
	static const struct {
		wint_t code;
		uint32_t key;
	} codes[] = {
		{KEY_UP, K_UP},
		{KEY_DOWN, K_DOWN},
		{KEY_LEFT, K_LEFT},
		{KEY_RIGHT, K_RIGHT},
		{KEY_PPAGE, K_PAGE_UP},
		{KEY_NPAGE, K_PAGE_DOWN},
		{KEY_HOME, K_HOME},
		{KEY_END, K_END},
		{KEY_LL, K_END},
		{KEY_IC, K_INSERT},
		{KEY_DC, K_DELETE},
		{KEY_BTAB, K_BACK_TAB},
		{KEY_BACKSPACE, K_BACKSPACE},
		{KEY_ENTER, K_ENTER},
		{KEY_SUSPEND, K_CTRL('Z')},
	};

	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (codes[i].code == code)
			return codes[i].key;
	if (code >= KEY_F(1) && code <= KEY_F(12))
		return K_F1 + (uint32_t)(code - KEY_F(1));
	return K_NONE;
}

uint32_t curses_character(wint_t character)
{
	if (character == '\n')
		return K_ENTER;
	return character == 8 ? K_BACKSPACE : (uint32_t)character;
}
