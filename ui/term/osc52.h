/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * osc52: a text for the clipboard of the person's terminal.
 *
 * The sequence OSC 52 goes through ssh to the terminal that the person sits at (xterm's
 * ctlseqs, "Manipulate Selection Data"). There is no answer, so nobody knows whether the
 * terminal took it. Pure. Any thread.
 */
#ifndef CPROFTOP_UI_OSC52_H
#define CPROFTOP_UI_OSC52_H

#include <stddef.h>

enum {
	OSC52_TEXT_MAX = 48 * 1024 /* 64 KiB in base64: what most terminals take */
};

/* What stands between us and the terminal. */
enum osc52_through {
	OSC52_DIRECT,
	/* tmux: it takes the sequence itself if its option set-clipboard is "on", and hands it
	   on if allow-passthrough is; so it gets both forms */
	OSC52_TMUX,
	OSC52_SCREEN /* GNU screen hands it on, in pieces */
};

/* By the variables TMUX, STY and TERM of the environment, each of which may be NULL: sudo
   keeps only the last one. */
enum osc52_through osc52_through(const char *tmux, const char *sty, const char *term);

/* The bytes to send for TEXT, of which at most OSC52_TEXT_MAX bytes are taken; the caller
   frees them. *SIZE is their number. NULL: there is no memory. */
char *osc52_make(enum osc52_through through, const char *text, size_t *size);

#endif
