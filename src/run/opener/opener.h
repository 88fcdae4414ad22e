/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * opener: opens for the reader, which may open nothing, what it needs and no more.
 *
 * The reader (src/read/reader/reader.h) reads what hostile targets wrote, and may be taken over by it. So
 * main has a thread that answers its questions (src/base/opener-packet.h), with the rights of who
 * started us, and looks at the content of no file but /proc/PID/maps:
 *
 *  1. of the processes that were added, and of no others: entries of /proc/PID and
 *     /proc/PID/task/TID for reading (src/run/opener/entries.h has the list), where fd/N and
 *     map_files/RANGE lead, and their memory
 *  2. a file of which such a process has code mapped now; by its path again when the process
 *     has ended, if that is a program then
 *  3. a regular file in the folders of debug files, by no link that leaves them
 *  4. the perf map of such a process, as src/read/names/perf-map.h has it
 *  5. the source map that a script of such a process names, if asked for by a
 *     person, as src/read/runtimes/v8/v8-map-file.h has it
 *  6. a worker, which has no rights either (src/run/opener/begun.h)
 *  7. the name of any process, and /proc/locks
 *
 * What none of these grants is refused. A text is matched whole against a list, or compared
 * with what the kernel says; a process is one of those that were added, whatever the reader
 * says; numbers are bounded. One question at a time; one that takes for ever, as on a file
 * system whose server does not answer, keeps nobody waiting but the reader.
 *
 * Reviewed in this order: entries.c, desk.c, granted.c, begun.c. Its functions: any one thread at a time.
 */
#ifndef CPROFTOP_OPENER_H
#define CPROFTOP_OPENER_H

#include "src/base/error.h"

#include <stdbool.h>

struct opener;

struct opener_options {
	const char
		*debug_dirs; /* as in debug_file_open, beside the system's; NULL: none */
	bool source_maps;    /* rule 5 */
};

struct opener *opener_create(const struct opener_options *options);
void opener_destroy(struct opener *opener); /* NULL is fine */

/* Answer over SOCKET (SOCK_SEQPACKET), which is taken over, by a thread that begins here; whoever was
   answered before has ended, or is not answered any more. */
bool opener_serve(struct opener *opener, int socket, struct error *err);

/* From now on questions about the process whose /proc/PID is open at PROC_FD are answered; until
   then. The descriptor is copied; the reader names the process by one of the same folder. False
   and errno if there are no more descriptors. */
bool opener_add(struct opener *opener, int proc_fd);
void opener_remove(struct opener *opener, int proc_fd);

/* From now on rule 2 is for PATH, too: a person wants to see its instructions. */
void opener_add_path(struct opener *opener, const char *path);

#endif
