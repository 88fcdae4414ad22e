/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/term/term-curses-sync.h"

#include "src/base/clock.h"

#include <curses.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* DECRPM: CSI ? 2026 ; N $ y, with N one of these. */
enum answer {
	ANSWER_UNKNOWN, /* the terminal does not know the mode */
	ANSWER_SET,
	ANSWER_RESET,
	ANSWER_ALWAYS_SET,
	ANSWER_ALWAYS_RESET,
	ANSWERS
};

enum {
	/* curses' own keys end at KEY_MAX, and terminfo's further ones follow. */
	KEY_ANSWER = KEY_MAX + 2026,
	LAST_WAIT_MS = 100 /* at the end, for an answer that is on its way */
};

/* An answer that has not come after so long will not. */
#define HOPELESS_NS (2 * NS_PER_SEC)

static void put(const char *text)
{
	fflush(stdout);
	(void)!write(STDOUT_FILENO, text, strlen(text));
}

/* The console of Linux before 5.13 ends the sequence at its '$' and prints the rest; those of
   DEC and hardware like them never have the mode. */
static bool may_print_it(const char *type)
{
	return !type || strncmp(type, "linux", 5) == 0 || strncmp(type, "vt", 2) == 0 ||
	       strncmp(type, "ansi", 4) == 0 || strncmp(type, "cons25", 6) == 0;
}

void curses_sync_ask(struct curses_sync *sync, const char *type)
{
	char answer[32];

	sync->is_awaited = false;
	sync->is_on = false;
	if (may_print_it(type))
		return;
	for (int n = ANSWER_UNKNOWN; n < ANSWERS; n++) {
		snprintf(answer, sizeof(answer), "\033[?2026;%d$y", n);
		define_key(answer, KEY_ANSWER + n);
	}
	sync->is_awaited = true;
	sync->asked_ns = clock_monotonic_ns();
	put("\033[?2026$p");
}

void curses_sync_finish(const struct curses_sync *sync)
{
	struct pollfd polled = {.fd = STDIN_FILENO, .events = POLLIN};

	if (sync->is_awaited && clock_monotonic_ns() - sync->asked_ns < HOPELESS_NS &&
		poll(&polled, 1, LAST_WAIT_MS) > 0)
		flushinp();
}

bool curses_sync_heard(struct curses_sync *sync, wint_t code)
{
	if (code < KEY_ANSWER || code >= KEY_ANSWER + ANSWERS)
		return false;
	sync->is_awaited = false;
	sync->is_on =
		code == KEY_ANSWER + ANSWER_SET || code == KEY_ANSWER + ANSWER_RESET;
	return true;
}

void curses_sync_begin(const struct curses_sync *sync)
{
	if (sync->is_on)
		put("\033[?2026h");
}

void curses_sync_end(const struct curses_sync *sync)
{
	if (sync->is_on)
		put("\033[?2026l");
}
