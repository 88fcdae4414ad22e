/*
 * perf-map: the names that a JIT compiler writes for its code, in /tmp/perf-PID.map.
 *
 * One line a function: start and size in hex, then the name (perf's jit-interface.txt);
 * node --perf-basic-prof, python -X perf and agents for Java write it. Where two lines
 * cover an address, the later holds. The file is looked for in the target's own root and
 * under its own PID there, and it may have been put there to harm us: it must be a
 * regular file with one name, owned by the target's user or root and writable by nobody
 * else, not a symbolic link, and of bounded size. It is read on as it grows. Analyst
 * thread only.
 */
#ifndef CPROFTOP_PERF_MAP_H
#define CPROFTOP_PERF_MAP_H

#include "src/proc-dir.h"

#include <stdbool.h>
#include <stdint.h>

struct perf_map;

/* DIR is borrowed. Nothing is opened yet. */
struct perf_map *perf_map_create(const struct proc_dir *dir);
void perf_map_destroy(struct perf_map *map); /* NULL is fine */

/* Read what is new. True if there was something. */
bool perf_map_refresh(struct perf_map *map);

/* The name of the function at ADDRESS, as written; NULL if there is none. Valid until
   perf_map_destroy. */
const char *perf_map_find(const struct perf_map *map, uint64_t address);

#endif
