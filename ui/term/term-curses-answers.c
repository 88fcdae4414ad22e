/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/term-curses-answers.h"

#include "src/base/clock.h"
#include "ui/draw/oklch.h"

#include <curses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	KEY_COLOUR = 0x800, /* beyond those that curses gives to keys */
	KEY_PRIVATE,
	BELL = 7,
	ESCAPE = 27,
};

/* An answer that has not come after so long will not. */
#define HOPELESS_NS NS_PER_SEC

/* As the luminance of a background: it is dark below, light above (theme.c). */
#define MIDDLE_LUMINANCE 0.1791

/* Every terminal says what it is (DA1), and answers in the order in which it was asked: with that the
   others have come, or never will. */
void curses_answers_ask(struct curses_answers *answers, bool ground, bool sync)
{
	char question[32];
	int length = snprintf(question, sizeof(question), "%s%s\033[c",
		ground ? "\033]11;?\a" : "", sync ? "\033[?2026$p" : "");

	if (!ground && !sync)
		return;
	define_key("\033]11;rgb:", KEY_COLOUR);
	define_key("\033[?", KEY_PRIVATE);
	answers->is_awaited = true;
	answers->asked_ns = clock_monotonic_ns();
	fflush(stdout);
	(void)!write(STDOUT_FILENO, question, (size_t)length);
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

/* DECRPM: CSI ? 2026 ; N $ y, with N 1 or 2 if the mode can be set and reset. DA1: CSI ? ... c. */
static void take_private(struct curses_answers *answers, wint_t last)
{
	const char *text = answers->text;

	if (last == 'y' && strncmp(text, "2026;", 5) == 0)
		answers->can_sync = text[5] == '1' || text[5] == '2';
	if (last == 'c')
		answers->is_awaited = false;
}

static void take_colour(struct curses_answers *answers)
{
	enum theme_ground said = curses_answers_ground(answers->text);

	if (said != GROUND_UNKNOWN)
		answers->ground = said;
}

/* A colour ends with BEL or ESC \, what is private with a letter. */
bool curses_answers_take(struct curses_answers *answers, wint_t c, bool is_key)
{
	if (is_key && (c == KEY_COLOUR || c == KEY_PRIVATE)) {
		answers->begun = c;
		answers->length = 0;
		return true;
	}
	if (!answers->begun || is_key) {
		answers->begun = 0;
		return false;
	}
	bool is_colour = answers->begun == KEY_COLOUR;
	bool is_over = (is_colour ? c == BELL || c == '\\' : c >= '@' && c <= '~') ||
		       answers->length + 1 >= sizeof(answers->text);
	if (!is_over && c != ESCAPE)
		answers->text[answers->length++] = (char)c;
	if (is_over) {
		answers->text[answers->length] = '\0';
		answers->begun = 0;
		if (is_colour)
			take_colour(answers);
		else
			take_private(answers, c);
	}
	return true;
}

int curses_answers_wait_ms(const struct curses_answers *answers)
{
	uint64_t waited_ns = clock_monotonic_ns() - answers->asked_ns;

	return answers->is_awaited && waited_ns < HOPELESS_NS
		       ? (int)((HOPELESS_NS - waited_ns) / NS_PER_MS) + 1
		       : 0;
}
