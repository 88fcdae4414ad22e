/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-open: open a source file without harm.
 *
 * Whatever a path leads to, only a regular file is opened: first as a mere place (O_PATH),
 * which has no effect on a device or a FIFO, and once it is known to be a regular file, for
 * reading, without waiting. The links of /proc that lead to files without a path are not
 * followed. The calling thread has the rights of the person (source_rights_become) before
 * and after.
 */
#ifndef CPROFTOP_SOURCE_OPEN_H
#define CPROFTOP_SOURCE_OPEN_H

#include "src/read/sources/source-places.h"
#include "src/read/sources/source-rights.h"

/* A descriptor, or -1 and errno: EINVAL is what is no regular file. What a person named
   (place->base) may be readable by us only; then nothing outside of that folder is
   opened, not by a symbolic link either. */
int source_open(const struct source_place *place, const struct source_person *person);

#endif
