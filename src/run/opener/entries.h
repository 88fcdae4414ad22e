/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * entries: which names below /proc a process without rights may ask for. Pure.
 *
 * Each is matched whole, against a fixed list; below task/TID there are the same.
 */
#ifndef CPROFTOP_ENTRIES_H
#define CPROFTOP_ENTRIES_H

#include <stdbool.h>

/* Of a process that is profiled: maps, mem, stat, status, cmdline, comm, task, fdinfo/N. */
bool entries_may_open(const char *name, bool *is_folder);

/* fd/N, map_files/RANGE: where they lead. */
bool entries_may_follow(const char *name);

/* stat, task/TID: whether they are there. */
bool entries_may_look_for(const char *name);

/* Of all processes: "/proc/locks", "/proc/N/comm". */
bool entries_is_public(const char *path);

#endif
