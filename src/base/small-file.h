/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * small-file: read a small file of text whole, such as those in /proc, and find the
 * numbers of /proc/PID/status (proc(5)) in it.
 *
 * Makes system calls and nothing else. Any thread, also a child that was forked from a
 * process with threads.
 */
#ifndef CPROFTOP_SMALL_FILE_H
#define CPROFTOP_SMALL_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Read the file at PATH, which counts from the folder DIR_FD (AT_FDCWD: the current one),
   into TEXT: at most SIZE - 1 bytes, and a NUL behind them. Returns their number, 0 if the
   file is empty or cannot be read. */
size_t small_file_read(int dir_fd, const char *path, char *text, size_t size);

enum {
	STATUS_LAST = -1, /* as an index: the last number of the line */
};

/* The number in BASE at place INDEX, from 0, of the line of LABEL, which is written with
   the line end before it and the colon, as "\nNSpid:". A line whose end was not read has
   no last number. False, and *VALUE may have changed, if it is not there. */
bool status_number(const char *status, const char *label, int index, int base,
	unsigned long long *value);

#endif
