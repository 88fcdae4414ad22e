/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/term-curses-answers.h"

#include "src/base/clock.h"
#include "ui/draw/oklch.h"

#include <curses.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	KEY_BACKGROUND = 0x800, /* beyond those that curses gives to keys */
	BELL = 7,
	ESCAPE = 27,
	LAST_WAIT_MS = 100 /* at the end, for an answer that is on its way */
};

/* An answer that has not come after so long will not. */
#define HOPELESS_NS (2 * NS_PER_SEC)

/* As the luminance of a background: it is dark below, light above (theme.c). */
#define MIDDLE_LUMINANCE 0.1791

void curses_answers_ask(struct curses_answers *answers)
{
	static const char question[] = "\033]11;?\a";

	define_key("\033]11;rgb:", KEY_BACKGROUND);
	answers->is_awaited = true;
	answers->asked_ns = clock_monotonic_ns();
	fflush(stdout);
	(void)!write(STDOUT_FILENO, question, sizeof(question) - 1);
}

enum theme_ground curses_answers_ground(const char *text)
{
	uint32_t rgb = 0;

	for (int part = 0; part < 3; part++) {
		char *end;
		unsigned long value = strtoul(text, &end, 16);
		int digits = (int)(end - text);
		if (digits < 1 || digits > 4 || *end != (part < 2 ? '/' : '\0'))
			return GROUND_UNKNOWN;
		unsigned long most = (1ul << 4 * digits) - 1;
		rgb = rgb << 8 | (uint32_t)(value * 255 / most);
		text = end + 1;
	}
	return rgb_luminance(rgb) > MIDDLE_LUMINANCE ? GROUND_LIGHT : GROUND_DARK;
}

/* An answer ends with BEL or ESC \. */
bool curses_answers_take(struct curses_answers *answers, wint_t c, bool is_key)
{
	if (is_key && c == KEY_BACKGROUND) {
		answers->is_begun = true;
		answers->length = 0;
		return true;
	}
	if (!answers->is_begun || is_key) {
		answers->is_begun = false;
		return false;
	}
	bool is_over =
		c == BELL || c == '\\' || answers->length + 1 >= sizeof(answers->text);
	if (!is_over && c != ESCAPE)
		answers->text[answers->length++] = (char)c;
	if (is_over) {
		answers->text[answers->length] = '\0';
		answers->is_begun = answers->is_awaited = false;
		enum theme_ground said = curses_answers_ground(answers->text);
		if (said != GROUND_UNKNOWN)
			answers->ground = said;
	}
	return true;
}

void curses_answers_end(struct curses_answers *answers)
{
	struct pollfd polled = {.fd = STDIN_FILENO, .events = POLLIN};

	if (!answers->is_awaited ||
		clock_monotonic_ns() - answers->asked_ns > HOPELESS_NS)
		return;
	if (poll(&polled, 1, LAST_WAIT_MS) > 0)
		flushinp();
}
