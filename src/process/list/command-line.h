/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * command-line: what a process says that it is: its command line, or the title that it has
 * written over it (setproctitle: "postgres: checkpointer").
 *
 * Texts are cleaned; words are separated by blanks. Any thread.
 */
#ifndef CPROFTOP_COMMAND_LINE_H
#define CPROFTOP_COMMAND_LINE_H

#include <stddef.h>

enum {
	COMMAND_SHORT_MAX = 120 /* of a title, in bytes, with its NUL */
};

/* Write the command line of the process whose /proc/PID is PROC_FD to OUT. Returns its
   length; 0 if there is none: of a kernel thread, a zombie, or for a moment during exec. */
size_t command_line_read(int proc_fd, char *out, size_t size);

/* COMMAND in at most SIZE bytes, NUL included, and without the folder of its program. If
   that is still too long, only the program and the files that it works on: the words with a
   suffix, without options and what an option -o writes: "cc1plus main.cpp". If there are
   none, the beginning. */
void command_line_shorten(const char *command, char *out, size_t size);

/* Some programs put into their title what they do just now: "postgres: bob shop idle", then
   "postgres: bob shop UPDATE". TITLE, of SIZE bytes, becomes the words with which it and NOW
   begin, if these are at least two; else it becomes NOW. */
void command_line_settle(char *title, size_t size, const char *now);

#endif
