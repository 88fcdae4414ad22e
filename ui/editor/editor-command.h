/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * editor-command: how an editor is told which line of which file to show.
 *
 * Most take `+LINE FILE` (POSIX vi; nano, emacs, emacsclient, micro, kak, joe). Those of
 * windows have their own way. Pure. Any thread.
 */
#ifndef CPROFTOP_EDITOR_COMMAND_H
#define CPROFTOP_EDITOR_COMMAND_H

#include <limits.h>
#include <stddef.h>

/* For /bin/sh, because EDITOR may have arguments and quotes: sh -c 'EDITOR "$@"' sh ... */
struct editor_command {
	char script[PATH_MAX + 16];
	char words[2][PATH_MAX + 16]; /* "+12" and the file, or "-g" and "file:12" */
	const char *argv[7];	      /* points into the struct, so it must not move */
};

/* The program of a command line such as "/usr/bin/vim -f", without its folder, into OUT. */
void editor_name(const char *editor, char *out, size_t size);

/* EDITOR is what VISUAL or EDITOR say. FILE is absolute; LINE 0 is not known. */
void editor_command_make(struct editor_command *command, const char *editor,
	const char *file, unsigned line);

#endif
