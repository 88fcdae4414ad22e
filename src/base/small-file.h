/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * small-file: read a small file of text whole, such as those in /proc.
 *
 * Makes system calls and nothing else. Any thread.
 */
#ifndef CPROFTOP_SMALL_FILE_H
#define CPROFTOP_SMALL_FILE_H

#include <stddef.h>

/* Read the file at PATH, which counts from the folder DIR_FD (AT_FDCWD: the current one),
   into TEXT: at most SIZE - 1 bytes, and a NUL behind them. Returns their number, 0 if the
   file is empty or cannot be read. */
size_t small_file_read(int dir_fd, const char *path, char *text, size_t size);

#endif
