/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * regular-file: open a file for reading if it is a regular one, whoever chose its path.
 *
 * To open a device may do something already, and a FIFO may keep who opens it waiting. So
 * what the path leads to is looked at first. Any thread.
 */
#ifndef CPROFTOP_REGULAR_FILE_H
#define CPROFTOP_REGULAR_FILE_H

#include <stdint.h>

/* PATH below DIR_FD, with RESOLVE as of openat2(2), where the kernel has that (Linux 5.6). -1 and
   errno, EINVAL: it is no regular file. */
int regular_file_open(int dir_fd, const char *path, uint64_t resolve);

#endif
