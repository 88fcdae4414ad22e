/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * key: one press of a key, as a number with a name.
 *
 * A key with a character is its Unicode code point (Ctrl-C is 3, as a terminal sends it);
 * the other keys have numbers after the last code point. Scripts, the help and the table
 * of actions use these names: "a", "/", "F1", "PgDn", "Enter", "Esc", "Ctrl-L", "S-Tab",
 * "Space". Any thread.
 */
#ifndef CPROFTOP_UI_KEY_H
#define CPROFTOP_UI_KEY_H

#include <stddef.h>
#include <stdint.h>

/* The prefix is K_, because curses.h uses KEY_. */
#define K_CTRL(letter) ((uint32_t)(letter)&0x1f)

enum {
	K_NONE = 0,
	K_TAB = 9,
	K_ENTER = 13,
	K_ESC = 27,
	K_SPACE = 32,
	K_BACKSPACE = 127,
	K_FIRST_SPECIAL = 0x110000, /* one past the last code point */
	K_UP = K_FIRST_SPECIAL,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_PAGE_UP,
	K_PAGE_DOWN,
	K_HOME,
	K_END,
	K_INSERT,
	K_DELETE,
	K_BACK_TAB,
	K_F1,
	K_F12 = K_F1 + 11,
};

/* Longest name, with its NUL. */
enum {
	KEY_NAME_MAX = 16
};

/* The key whose name is at the start of TEXT, up to a space or the end; *LENGTH, if
   given, is the length of the name. K_NONE if no key has that name. */
uint32_t key_parse(const char *text, size_t *length);

/* The name into OUT, KEY_NAME_MAX bytes. */
void key_describe(uint32_t key, char *out);

#endif
