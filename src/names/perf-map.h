/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-map: the names that a JIT compiler writes for its code, in /tmp/perf-PID.map.
 *
 * One line a function: start and size in hex, then the name (perf's jit-interface.txt);
 * node --perf-basic-prof, python -X perf and agents for Java write it. Where two lines
 * cover an address, the later holds. The file is looked for in the target's own root and
 * under its own PID there, and it may have been put there to harm us: it must be a
 * regular file with one name, owned by the target's user or root and writable by nobody
 * else, not a symbolic link, and of bounded size. One that was last written before the
 * target began is what an earlier process of that number left behind. It is read on as it
 * grows. Analyst thread only.
 *
 * The other format, jitdump, is not read: it would add lines and the code itself, but the
 * process must have been told to write it, it is gigabytes for a long run, and what
 * writes it (node --perf-prof, agents for Java) can write this, too.
 */
#ifndef CPROFTOP_PERF_MAP_H
#define CPROFTOP_PERF_MAP_H

#include "src/target/proc-dir.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_map;

/* DIR is borrowed. Nothing is opened yet. */
struct perf_map *perf_map_create(const struct proc_dir *dir);
void perf_map_destroy(struct perf_map *map); /* NULL is fine */

/* Read what is new. True if there was something. */
bool perf_map_refresh(struct perf_map *map);

/* Why the file that is there is not read, as a constant: "it is older than the process".
   NULL if it is read, or there is none. */
const char *perf_map_refusal(const struct perf_map *map);

/* The name of the function at ADDRESS, as written; NULL if there is none. Valid until
   perf_map_destroy. */
const char *perf_map_find(const struct perf_map *map, uint64_t address);

#endif
