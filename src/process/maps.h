/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * maps: the text of /proc/PID/maps, line by line.
 *
 * The text may be anything: what is not a line of maps is skipped. A parsed line points
 * into the text. Any thread.
 */
#ifndef CPROFTOP_MAPS_H
#define CPROFTOP_MAPS_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct maps_line {
	uint64_t start, limit, offset;
	char permissions[5]; /* "r-xp" */
	uint32_t dev_major, dev_minor;
	uint64_t inode;
	const char *path; /* as printed: a newline in it is \012; not terminated */
	size_t path_length;
};

/* The next line between *CURSOR and END, or false if there is none. */
bool maps_next(const char **cursor, const char *end, struct maps_line *line);

/* The whole of the file NAME in the directory DIR_FD, to be freed by the caller; NULL on
   failure. More than 256 MiB is refused. */
char *maps_read(int dir_fd, const char *name, size_t *length, struct error *err);

#endif
