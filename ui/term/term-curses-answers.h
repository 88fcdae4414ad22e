/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term-curses-answers: what the terminal answers to questions, in the midst of keys.
 *
 * A terminal answers through its keyboard, some milliseconds later over a network, or never.
 * So nothing waits but the end: curses knows the first bytes of an answer as a key, and what follows up to
 * its end is taken here, so that it is never mistaken for what a person types. Asked is for the
 * colour of the background (xterm's OSC 11, which most terminals know), and whether the terminal can
 * show a picture as a whole (mode 2026, "synchronized output"). Main thread.
 */
#ifndef CPROFTOP_UI_TERM_CURSES_ANSWERS_H
#define CPROFTOP_UI_TERM_CURSES_ANSWERS_H

#include "ui/draw/theme.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

struct curses_answers {
	bool is_awaited;   /* asked, and not answered yet */
	uint64_t asked_ns; /* when */
	wint_t begun;	   /* the first bytes of an answer, which have come; 0: none */
	char text[32];	   /* what came after them */
	size_t length;
	enum theme_ground ground; /* as answered; GROUND_UNKNOWN: not, or not yet */
	bool can_sync;
};

/* After newterm: ask for one, or both, or do nothing. */
void curses_answers_ask(struct curses_answers *answers, bool ground, bool sync);

/* Is C, as get_wch gave it (IS_KEY: a key code), a part of an answer? Then it is no key, and
   *ANSWERS may have changed. */
bool curses_answers_take(struct curses_answers *answers, wint_t c, bool is_key);

/* How long the end waits for what is on its way, so that the shell does not get it; 0: all has come. */
int curses_answers_wait_ms(const struct curses_answers *answers);

/* "ffff/ffff/dcdc", as it follows "rgb:"; GROUND_UNKNOWN if it is no colour. */
enum theme_ground curses_answers_ground(const char *text);

#endif
