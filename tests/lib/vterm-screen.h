/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vterm-screen: a program in a real pseudo-terminal, its screen read back by a real
 * terminal emulator (libvterm).
 *
 * What the program wrote is interpreted, so a test sees what a person would: characters,
 * colours, the alternate screen, the cursor. The functions that wait have a time limit of
 * twenty seconds, which is only reached on failure. Single-threaded.
 */
#ifndef CPROFTOP_TESTS_VTERM_SCREEN_H
#define CPROFTOP_TESTS_VTERM_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>
#include <vterm.h>

struct vterm_screen {
	pid_t pid;
	int master;
	int rows, columns;
	VTerm *vterm;
	VTermScreen *screen;
	struct termios before; /* the line settings the program found */
	bool alternate;	       /* the alternate screen is on */
	bool cursor_visible;
	bool mouse; /* reports are on */
	/* bytes matched so far of the sequence that switches them */
	unsigned mouse_matched;
	/* how often it was asked for its background (OSC 11), and bytes matched of that */
	unsigned ground_asked, ground_matched;
	uint64_t bytes;	 /* written by the program so far */
	bool closed;	 /* the program's side is closed */
	int exit_status; /* as of waitpid, after vterm_screen_wait_exit */
};

/* Run ARGV with ENVIRONMENT ("TERM=xterm", ..., NULL) added to ours. */
void vterm_screen_start(struct vterm_screen *screen, int rows, int columns,
	const char *const *argv, const char *const *environment);

/* End the program if it still runs, and free everything. */
void vterm_screen_finish(struct vterm_screen *screen);

void vterm_screen_type(struct vterm_screen *screen, const char *bytes);
void vterm_screen_resize(struct vterm_screen *screen, int rows, int columns);

/* Wait until TEXT is on the screen, in one row. False after the time limit, as in the
   functions below. */
bool vterm_screen_wait(struct vterm_screen *screen, const char *text);

/* Wait until TEXT is not on the screen. */
bool vterm_screen_wait_gone(struct vterm_screen *screen, const char *text);

/* Wait until HOLDS says so of the screen. */
bool vterm_screen_wait_for(struct vterm_screen *screen,
	bool (*holds)(const struct vterm_screen *screen, const void *context),
	const void *context);

/* Wait until the program has ended; reads its last output. */
bool vterm_screen_wait_exit(struct vterm_screen *screen);

/* Where TEXT begins; false if it is not there. */
bool vterm_screen_find(
	const struct vterm_screen *screen, const char *text, int *row, int *column);

/* One row as UTF-8 without the blanks at its end; OUT has SIZE bytes. */
void vterm_screen_row(const struct vterm_screen *screen, int row, char *out, size_t size);

VTermScreenCell vterm_screen_cell(const struct vterm_screen *screen, int row, int column);

/* Are the line settings as the program found them? */
bool vterm_screen_restored(const struct vterm_screen *screen);

/* Print the screen to standard error, for a failing test. */
void vterm_screen_show(const struct vterm_screen *screen);

#endif
