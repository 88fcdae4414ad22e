/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper-terminal: a terminal that a keeper gives back.
 */
#ifndef CPROFTOP_PTRACE_KEEPER_TERMINAL_H
#define CPROFTOP_PTRACE_KEEPER_TERMINAL_H

#include <stddef.h>
#include <termios.h>

enum {
	KEEPER_BYTES = 256
};

/* How to restore a terminal that cproftop uses: write BYTES and set the line settings
   BEFORE, if the present settings are still OURS. */
struct keeper_terminal {
	int in_fd, out_fd;
	size_t n_bytes;
	char bytes[KEEPER_BYTES];
	struct termios before, ours;
};

#endif
