/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * term: what the screen needs of a terminal; the interface of the back ends.
 *
 * term-curses is a real terminal, term-headless one in memory. A back end turns roles
 * into colours and bytes into keys; it knows nothing else of the program. One at a time,
 * main thread.
 */
#ifndef CPROFTOP_UI_TERM_H
#define CPROFTOP_UI_TERM_H

#include "src/base/error.h"
#include "ui/draw/grid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

enum term_event_kind {
	EVENT_NONE, /* time is up, or one of the file descriptors is readable */
	EVENT_KEY,
	EVENT_MOUSE,
	EVENT_RESIZE,  /* ask for the size */
	EVENT_SUSPEND, /* asked for from outside: kill -TSTP */
	EVENT_QUIT     /* SIGTERM, SIGHUP, SIGINT from outside, or the terminal is gone */
};

enum term_mouse {
	MOUSE_LEFT,
	MOUSE_DOUBLE, /* the second click of a double click; MOUSE_LEFT came before */
	MOUSE_RIGHT,
	MOUSE_DRAG,    /* moved to another cell while the left button is held */
	MOUSE_RELEASE, /* of the left button */
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN
};

struct term_event {
	enum term_event_kind kind;
	uint32_t key;	       /* key.h */
	enum term_mouse mouse; /* at */
	int row, column;
};

/* What is needed to restore a real terminal from another process, if this one is killed
   (ptrace/tracer/guard.h). */
struct term_restoration {
	int in_fd, out_fd;
	char bytes[256];
	size_t n_bytes;
	struct termios before, ours;
};

struct term;

struct term_ops {
	void (*size)(struct term *term, int *rows, int *columns);

	/* The next event. Waits at most TIMEOUT_MS (-1: for ever), or until one of FDS is
	   readable; negative descriptors are ignored. */
	struct term_event (*event)(
		struct term *term, int timeout_ms, const int *fds, size_t n_fds);

	/* Show GRID, which has the terminal's size or will have it at the next blit. The
	   text cursor goes to (ROW, COLUMN), or is hidden if ROW is below 0. */
	void (*blit)(struct term *term, const struct grid *grid, int row, int column);

	/* Draw everything again at the next blit: another program wrote to the screen. */
	void (*redraw)(struct term *term);

	/* Show the colours for GROUND from now on; GROUND_UNKNOWN: ask the terminal again, and
	   show those for what it answers. NULL: it has no colours. */
	void (*set_ground)(struct term *term, enum theme_ground ground);

	/* Restore the terminal for another program; until `enter` nothing else is called.
	   NULL: nobody sits there. */
	void (*leave)(struct term *term);
	void (*enter)(struct term *term);

	/* BYTES for the terminal itself, such as what is to be copied; they must not draw
	   anything. */
	void (*send)(struct term *term, const char *bytes, size_t size);

	/* Restore the terminal and stop this process. When it is continued, set the
	   terminal up again and return. */
	void (*suspend)(struct term *term);

	/* NULL: there is nothing to restore. */
	void (*restoration)(const struct term *term, struct term_restoration *out);

	/* Restore the terminal, and free everything. */
	void (*destroy)(struct term *term);
};

/* The first member of every back end's struct. */
struct term {
	const struct term_ops *ops;
	bool ascii; /* whether grids for it should be ASCII */
};

/* How many colours to use. */
enum term_colours {
	TERM_COLOURS_AUTO, /* as many as the terminal is said to have */
	TERM_COLOURS_NONE, /* roles differ by bold, underline and reverse only */
	TERM_COLOURS_8,	   /* at most these... */
	TERM_COLOURS_16,
	TERM_COLOURS_256,
	TERM_COLOURS_RGB /* ...or any colour, whatever the terminal says */
};

struct term_options {
	bool ascii; /* no characters beyond ASCII, whatever the locale says */
	bool mouse;
	enum term_colours colours;
	enum theme_ground ground; /* its background; GROUND_UNKNOWN: it is asked */
	bool sync; /* ask whether the terminal can show each picture as a whole */
};

/* May term_curses_create succeed? Nothing is written yet. False and ERR if not. */
bool term_curses_possible(struct error *err);

/* The terminal of stdin and stdout. LC_CTYPE must have been set: in a locale that is not
   UTF-8 the screen is ASCII. TERM and NO_COLOR are respected. NULL and ERR if there is no
   usable terminal.

   COLORTERM says whether it has any colour, and COLORFGBG what its background is, until it
   has answered itself (OSC 11), or if it never does; only term_destroy waits for that answer, a second after the question at most. */
struct term *term_curses_create(const struct term_options *options, struct error *err);

/* A terminal in memory. Its only events are those of term_headless_push. */
struct term *term_headless_create(
	int rows, int columns, const struct term_options *options);
void term_headless_push(struct term *term, const struct term_event *event);
void term_headless_resize(struct term *term, int rows, int columns);
bool term_headless_idle(const struct term *term); /* no event is waiting */

/* What was sent last by `send`, with a NUL; "" if nothing was. */
const char *term_headless_sent(const struct term *term);

/* What was shown last; borrowed until the next blit. */
const struct grid *term_headless_screen(const struct term *term);

/* False for a terminal in memory, which needs no restoration. */
bool term_restoration(const struct term *term, struct term_restoration *out);

void term_destroy(struct term *term); /* NULL is fine */

#endif
