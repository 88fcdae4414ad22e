/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf-map: the names that a JIT compiler writes for its code, in /tmp/perf-PID.map.
 *
 * One line a function: start and size in hex, then the name (perf's jit-interface.txt);
 * node --perf-basic-prof, python -X perf and agents for Java write it. If two lines cover
 * an address, the later one is valid. The file is opened in the target's root directory,
 * under the PID that the target has there. It may be hostile, so it must be a regular
 * file with one name, owned by the target's user or root and writable by nobody else, not
 * a symbolic link. At most its first GiB is read, and no more functions than there is
 * room for (jit-functions.h). A file that was last written before the target started
 * belongs to an earlier process with that PID and is ignored. As the file grows, new lines
 * are read; if it is written anew, all of it. The reader's thread, or dump's.
 *
 * The other format, jitdump, is not read. It has lines and the code itself, but must be
 * enabled in the process, too, takes gigabytes for a long run, and whatever writes it
 * (node --perf-prof, agents for Java) can also write this format.
 */
#ifndef CPROFTOP_PERF_MAP_H
#define CPROFTOP_PERF_MAP_H

#include "src/process/proc-dir.h"

#include <stdbool.h>
#include <stdint.h>

struct file_budget;
struct perf_map;

/* DIR is borrowed, as is BUDGET, which what is kept is taken from: with no room left, it is not
   read on (NULL: there is room). Nothing is opened yet. */
struct perf_map *perf_map_create(const struct proc_dir *dir, struct file_budget *budget);
void perf_map_destroy(struct perf_map *map); /* NULL is fine */

/* A descriptor of the perf map of DIR's process; -1: there is none that may be read. *REFUSAL: why
   not, a number that perf_map_refusal has a text for; 0: nothing is there. FOR_ANOTHER: who asked
   has fewer rights; then not by a mount either. */
int perf_map_open(const struct proc_dir *dir, bool for_another, int *refusal);

/* Read new lines, as many as the budget has a turn for. True if there were functions among
   them. */
bool perf_map_refresh(struct perf_map *map);

/* Did it end before all that there was had been read? Then it is to be called again. */
bool perf_map_is_behind(const struct perf_map *map);

/* Why an existing file is not read, or not to its end, a constant text: "it is older than
   the process". NULL if it is read, or if there is none. */
const char *perf_map_refusal(const struct perf_map *map);

/* The name of the function at ADDRESS, as written; NULL if there is none. Valid until
   perf_map_refresh. */
const char *perf_map_find(const struct perf_map *map, uint64_t address);

/* Where the function at ADDRESS begins, and its SIZE in bytes; false if there is none. */
bool perf_map_range(
	const struct perf_map *map, uint64_t address, uint64_t *start, uint64_t *size);

#endif
