/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * own-process: processes of ours that have no rights: how one begins, and what it gives up.
 *
 * Each is this program, executed anew, so it contains nothing of what main knows: no stack of a
 * target, no environment but a few variables. All that it has is an argument and the descriptors
 * that it is given, from OWN_PROCESS_SOCKET on. It is killed with the thread that began it.
 *
 * A program that did not call own_process_is would, executed anew, do what it does, and begin
 * processes without an end; so there none can be begun.
 */
#ifndef CPROFTOP_OWN_PROCESS_H
#define CPROFTOP_OWN_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

enum {
	OWN_PROCESS_SOCKET = 3,
	OWN_PROCESS_FDS_MAX = 8,
};

struct own_process_kind {
	const char *name; /* of the process: at most 15 bytes */
	/* Do all its work. ARGUMENT is that of own_process_begin, "" for none. */
	void (*run)(const char *argument);
	/* How names of environment variables begin that it gets besides; NULL ends them. NULL:
	   none. */
	const char *const *variables;
};

/* The first thing that main does; never returns in a process of one of these KINDS (NULL ends
   them). From now on they can be begun. */
void own_process_is(int argc, char **argv, const struct own_process_kind *const *kinds);

/* Execute one that is called NAME, with ARGUMENT (NULL: none) and COUNT descriptors, which stay the
   caller's. Returns its PID; -1 and errno: ENOEXEC if this program has no such kind. Any thread. */
pid_t own_process_begin(
	const char *name, const char *argument, const int *fds, size_t count);

/* Kill it, if it has not ended, and reap it. Returns its status, as of waitpid. */
int own_process_end(pid_t pid);

/* In the process: give up identity, privileges, and files but those below FOLDERS (as
   confine_reading_to takes them); may have RING_BYTES of address space beside what it
   needs. System calls are to be given up next (src/base/rights/confine-calls.h). */
void own_process_confine(const char *const *folders, size_t ring_bytes);

#endif
