/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8-map-file: the file of a source map, which a script of the target names.
 *
 * The name may be chosen to have another file read, by who may read more than the target. So it must end with ".map", and lead
 * to a regular file in the target's root directory, by no symbolic link, that the target's user may read itself. V8 has
 * followed links before it names a script. Any thread.
 */
#ifndef CPROFTOP_V8_MAP_FILE_H
#define CPROFTOP_V8_MAP_FILE_H

#include "src/base/error.h"
#include "src/process/proc-dir.h"

#include <stddef.h>

enum {
	V8_MAP_FILE_MAX = 64 << 20,
};

/* A descriptor of the file at the absolute PATH of DIR's process. -1 and errno: EACCES if these rules do not
   allow it, EINVAL: it is no regular file, ELOOP: there is a link. */
int v8_map_file_open(const struct proc_dir *dir, const char *path);

/* The same by main's opener, where one is used, and all that is in it, to be freed; unpacked, if it was
   compressed. NULL and ERR, which begins with PATH, if it cannot be read, or has more than V8_MAP_FILE_MAX. */
char *v8_map_file_read(
	const struct proc_dir *dir, const char *path, size_t *size, struct error *err);

#endif
