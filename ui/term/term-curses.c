/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A real terminal, by ncurses (term.h). Only the files named term-curses know of curses.
 *
 * ncurses is used for terminfo, for keys, and to send only what has changed. term-guard
 * handles signals and restores the terminal.
 */
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "ui/draw/utf8.h"
#include "ui/keys/key.h"
#include "ui/term/term-curses-answers.h"
#include "ui/term/term-curses-colours.h"
#include "ui/term/term-curses-keys.h"
#include "ui/term/term-curses-mouse.h"
#include "ui/term/term-curses-rgb.h"
#include "ui/term/term-guard.h"
#include "ui/term/term.h"

#include <curses.h>
#include <errno.h>
#include <langinfo.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* How long an Esc waits for the rest of a key's bytes. */
enum {
	ESC_WAIT_MS = 25
};

struct curses {
	struct term term;
	struct term_guard *guard;
	SCREEN *screen;
	struct curses_mouse mouse;
	struct grid shown; /* what curses shows; empty: not known */
	struct curses_colours colours;
	struct curses_answers answers;
	bool asks_ground; /* the terminal: no person has said what its background is */
};

static void curses_size(struct term *term, int *rows, int *columns)
{
	struct winsize size;

	(void)term;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 &&
		size.ws_col > 0) {
		if (is_term_resized(size.ws_row, size.ws_col))
			resizeterm(size.ws_row, size.ws_col);
	}
	*rows = LINES;
	*columns = COLS;
}

static void curses_redraw(struct term *term)
{
	grid_resize(&((struct curses *)term)->shown, 0, 0);
	clearok(curscr, TRUE);
}

/* All is drawn again, because curses does not know which cells have other colours now. */
static void show_ground(struct curses *curses, enum theme_ground ground)
{
	if (ground == curses->colours.theme.ground)
		return;
	curses_colours_set_ground(&curses->colours, ground);
	curses_redraw(&curses->term);
}

/* Vim and terminal-colorsaurus (delta, bat) do it in this order, too: what the terminal says is
   so, and the environment is only for one that does not answer. */
static void show_ground_of_terminal(struct curses *curses)
{
	enum theme_ground said = curses->answers.ground;

	show_ground(curses, said != GROUND_UNKNOWN ? said : curses_colours_guess());
}

static void put(const char *text)
{
	fflush(stdout);
	(void)!write(STDOUT_FILENO, text, strlen(text));
}

static bool may_ask_ground(const struct curses *curses)
{
	return curses->asks_ground && curses->colours.theme.depth != DEPTH_NONE;
}

/* The console of Linux before 5.13 ends DECRQM at its '$' and prints the rest, as older ones do with
   an OSC; those of DEC and hardware like them never have the mode. */
static void ask(struct curses *curses, bool sync)
{
	static const char *const old[] = {"linux", "vt", "ansi", "cons25"};
	const char *type = getenv("TERM");

	for (size_t i = 0; i < sizeof(old) / sizeof(old[0]); i++)
		if (!type || strncmp(type, old[i], strlen(old[i])) == 0)
			sync = false;
	curses_answers_ask(&curses->answers,
		may_ask_ground(curses) && !(type && strcmp(type, "linux") == 0), sync);
}

/* A key that has been typed already; false if there is none. */
static bool read_key(struct curses *curses, struct term_event *event)
{
	wint_t c;

	*event = curses_mouse_event(&curses->mouse);
	while (event->kind == EVENT_NONE) {
		int result = get_wch(&c);
		if (result == ERR)
			return false;
		if (curses_answers_take(&curses->answers, c, result == KEY_CODE_YES)) {
			if (curses->asks_ground)
				show_ground_of_terminal(curses);
			continue;
		}
		*event = (struct term_event){.kind = EVENT_KEY};
		if (result == KEY_CODE_YES && c == KEY_MOUSE)
			*event = curses_mouse_event(&curses->mouse);
		else if (result == KEY_CODE_YES && c == KEY_RESIZE)
			event->kind = EVENT_RESIZE;
		else
			event->key = result == KEY_CODE_YES ? curses_key(c)
							    : curses_character(c);
		if (event->kind == EVENT_KEY && event->key == K_NONE)
			event->kind = EVENT_NONE;
	}
	return true;
}

static struct term_event signal_event(struct curses *curses)
{
	unsigned bits = term_guard_take(curses->guard);
	struct term_event event = {.kind = EVENT_NONE};

	/* the shell has changed the settings of the terminal */
	if (bits & GUARD_CONTINUED) {
		curses_mouse_end(&curses->mouse);
		endwin();
		curses_redraw(&curses->term);
		event.kind = EVENT_RESIZE;
	}
	if (bits & GUARD_RESIZE) {
		/* Two changes of the size may come as one, which leaves the old size:
		   curses would draw nothing, although the terminal has lost what was cut
		   off. */
		curses_redraw(&curses->term);
		event.kind = EVENT_RESIZE;
	}
	if (bits & GUARD_SUSPEND)
		event.kind = EVENT_SUSPEND;
	if (bits & GUARD_QUIT)
		event.kind = EVENT_QUIT;
	return event;
}

static struct term_event curses_event(
	struct term *term, int timeout_ms, const int *fds, size_t n_fds)
{
	struct curses *curses = (struct curses *)term;
	struct term_event event = {.kind = EVENT_NONE};
	struct pollfd polled[10] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = term_guard_fd(curses->guard), .events = POLLIN},
	};
	nfds_t n = 2;

	for (size_t i = 0; i < n_fds && n < 10; i++)
		polled[n++] = (struct pollfd){.fd = fds[i], .events = POLLIN};
	/* Look for signals first without waiting: curses may hold bytes that poll does
	   not see, and a fast typist must not keep signals from being handled. */
	if (poll(polled, 2, 0) > 0 && polled[1].revents)
		return signal_event(curses);
	if (read_key(curses, &event))
		return event;
	if (poll(polled, n, timeout_ms) <= 0)
		return event;
	if (polled[1].revents)
		return signal_event(curses);
	if (polled[0].revents & POLLIN && read_key(curses, &event))
		return event;
	if (polled[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		event.kind = EVENT_QUIT;
	return event;
}

static void draw_row(const struct curses *curses, const struct grid *grid, int row)
{
	for (int column = 0; column < grid->columns; column++) {
		const struct cell *cell = grid_cell(grid, row, column);
		wchar_t text[CCHARW_MAX + 1];
		size_t size = strlen(cell->text), at = 0, n = 0;
		cchar_t character;

		if (cell->width == 0)
			continue;
		while (at < size && n < CCHARW_MAX) {
			struct utf8 c = utf8_decode(cell->text + at, size - at);
			text[n++] = (wchar_t)c.code;
			at += c.length;
		}
		text[n] = L'\0';
		attr_t attributes = curses->colours.attributes[cell->style.role] |
				    curses_attributes(cell->style.attributes);
		setcchar(&character, text, attributes & ~(attr_t)A_COLOR,
			(short)PAIR_NUMBER(attributes), NULL);
		mvadd_wch(row, column, &character);
	}
}

static void curses_blit(struct term *term, const struct grid *grid, int row, int column)
{
	struct curses *curses = (struct curses *)term;
	struct grid *shown = &curses->shown;
	bool anew = shown->rows != grid->rows || shown->columns != grid->columns;

	if (anew) {
		grid_resize(shown, grid->rows, grid->columns);
		erase();
	}
	for (int r = 0; r < grid->rows && r < LINES; r++) {
		struct cell *old = &shown->cells[(ptrdiff_t)r * shown->stride];
		const struct cell *new = &grid->cells[(ptrdiff_t)r * grid->stride];
		size_t size = (size_t)grid->columns * sizeof(*new);
		if (!anew && memcmp(old, new, size) == 0)
			continue;
		memcpy(old, new, size);
		draw_row(curses, grid, r);
	}
	if (row >= 0)
		move(row < LINES ? row : LINES - 1, column < COLS ? column : COLS - 1);
	curs_set(row >= 0);
	if (curses->answers.can_sync)
		put("\033[?2026h");
	refresh();
	if (curses->answers.can_sync)
		put("\033[?2026l");
	curses_mouse_ask(&curses->mouse);
}

static void curses_set_ground(struct term *term, enum theme_ground ground)
{
	struct curses *curses = (struct curses *)term;

	curses->asks_ground = ground == GROUND_UNKNOWN;
	if (ground != GROUND_UNKNOWN) {
		show_ground(curses, ground);
		return;
	}
	show_ground_of_terminal(curses);
	ask(curses, false); /* it may have another theme by now */
}

static void curses_leave(struct term *term)
{
	curses_mouse_end(&((struct curses *)term)->mouse);
	endwin();
}

static void curses_enter(struct term *term)
{
	curses_redraw(term);
	refresh();
}

static void curses_suspend(struct term *term)
{
	curses_leave(term);
	term_guard_stop(((struct curses *)term)->guard);
	curses_enter(term);
}

static void curses_send(struct term *term, const char *bytes, size_t size)
{
	(void)term;
	fflush(stdout);
	for (ssize_t n; size > 0; bytes += n, size -= (size_t)n)
		if ((n = write(STDOUT_FILENO, bytes, size)) <= 0)
			return;
}

static void curses_restoration(const struct term *term, struct term_restoration *out)
{
	term_guard_restoration(((const struct curses *)term)->guard, out);
}

/* Nothing of an answer may reach the shell. */
static void await_answers(struct curses *curses)
{
	struct pollfd polled = {.fd = STDIN_FILENO, .events = POLLIN};
	struct term_event ignored;

	for (int ms; (ms = curses_answers_wait_ms(&curses->answers)) > 0;)
		if (poll(&polled, 1, ms) < 0 || polled.revents & ~POLLIN)
			return;
		else if (polled.revents)
			read_key(curses, &ignored);
	flushinp();
}

static void curses_destroy(struct term *term)
{
	struct curses *curses = (struct curses *)term;

	curses_mouse_end(&curses->mouse);
	await_answers(curses);
	endwin();
	delscreen(curses->screen);
	term_guard_end(curses->guard);
	grid_finish(&curses->shown);
	free(curses);
}

static const struct term_ops curses_ops = {
	.size = curses_size,
	.event = curses_event,
	.blit = curses_blit,
	.redraw = curses_redraw,
	.set_ground = curses_set_ground,
	.suspend = curses_suspend,
	.leave = curses_leave,
	.enter = curses_enter,
	.send = curses_send,
	.restoration = curses_restoration,
	.destroy = curses_destroy,
};

/* Prepare what endwin would write, for situations in which curses must not be called. */
static void prepare_guard(struct curses *curses)
{
	static const char *const names[] = {"rmkx", "sgr0", "cnorm", "rmcup"};
	char bytes[256] = "";

	if (curses->mouse.is_used)
		strcpy(bytes, "\033[?1006;1002;1000l");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *sequence = tigetstr((char *)names[i]);
		if (sequence && sequence != (const char *)-1 &&
			strlen(bytes) + strlen(sequence) < sizeof(bytes))
			strcat(bytes, sequence);
	}
	term_guard_set_bytes(curses->guard, bytes);
}

static bool refuse(const char *type, const char *why, struct error *err)
{
	if (type && type[0])
		error_set(err,
			"terminal type \"%s\" %s: set TERM, as TERM=xterm-256color, or "
			"print screens with -b",
			type, why);
	else
		error_set(err,
			"TERM is not set, so the terminal is not known: set it, as "
			"TERM=xterm-256color, or print screens with -b");
	return false;
}

bool term_curses_possible(struct error *err)
{
	const char *type = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		error_set(err, "the screen needs a terminal on its input and output: "
			       "print screens with -b, or write a profile with cproftop "
			       "record");
		return false;
	}
	bool places_cursor = false;
	if (!curses_rgb_known(type, &places_cursor))
		return refuse(type, "is not known", err);
	return places_cursor || refuse(type, "cannot place a cursor", err);
}

struct term *term_curses_create(const struct term_options *options, struct error *err)
{
	const char *type = getenv("TERM");

	if (!term_curses_possible(err))
		return NULL;
	struct curses *curses = mem_zalloc(sizeof(*curses));
	curses->term.ops = &curses_ops;
	curses->term.ascii = options->ascii || strcmp(nl_langinfo(CODESET), "UTF-8") != 0;
	curses->guard = term_guard_begin(STDIN_FILENO, STDOUT_FILENO, err);
	if (!curses->guard) {
		free(curses);
		return NULL;
	}
	curses->screen = curses_colours_newterm(type, options);
	if (!curses->screen) {
		term_guard_end(curses->guard);
		free(curses);
		refuse(type, "is not known", err);
		return NULL;
	}
	curses->mouse.is_used = options->mouse;
	prepare_guard(curses);
	set_escdelay(ESC_WAIT_MS);
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	if (options->mouse)
		curses_mouse_begin(&curses->mouse);
	curses_colours_begin(&curses->colours, options);
	curses->asks_ground = options->ground == GROUND_UNKNOWN;
	ask(curses, options->sync);
	grid_init(&curses->shown, 0, 0, curses->term.ascii);
	return &curses->term;
}
