/* SPDX-License-Identifier: GPL-2.0-or-later */
/* term-curses-keys: the keys of curses as ours (ui/keys/key.h). Pure. Any thread. */
#ifndef CPROFTOP_UI_TERM_CURSES_KEYS_H
#define CPROFTOP_UI_TERM_CURSES_KEYS_H

#include <stdint.h>
#include <wchar.h>

uint32_t curses_key(wint_t code); /* KEY_...; K_NONE if we have no such key */
uint32_t curses_character(wint_t character);

#endif
