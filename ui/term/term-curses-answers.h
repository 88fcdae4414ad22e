/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term-curses-answers: what the terminal answers to questions, in the midst of keys.
 *
 * A terminal answers through its keyboard, some milliseconds later over a network, or never.
 * So nothing waits: curses knows the first bytes of an answer as a key, and what follows up to
 * its end is taken here, so that it is never mistaken for what a person types. Asked is for the
 * colour of the background (xterm's OSC 11, which most terminals know). Main thread.
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
	bool is_begun;	   /* the first bytes of an answer have come */
	char text[32];	   /* what came after them */
	size_t length;
	enum theme_ground ground; /* as answered; GROUND_UNKNOWN: not, or not yet */
};

/* After newterm: ask. */
void curses_answers_ask(struct curses_answers *answers);

/* Is C, as get_wch gave it (IS_KEY: a key code), a part of an answer? Then it is no key, and
   *ANSWERS may have changed. */
bool curses_answers_take(struct curses_answers *answers, wint_t c, bool is_key);

/* Before the end: throw away an answer that is on its way, so that the shell does not get it. */
void curses_answers_end(struct curses_answers *answers);

/* "ffff/ffff/dcdc", as it follows "rgb:"; GROUND_UNKNOWN if it is no colour. */
enum theme_ground curses_answers_ground(const char *text);

#endif
