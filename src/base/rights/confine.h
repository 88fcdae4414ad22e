/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * confine: give up every right that reading a hostile file does not need.
 *
 * For a child process that passes a file of the target to a library that is not meant for
 * hostile input (elfutils' SECURITY file: privileged processes should not use it on
 * untrusted input), and for programs of others. It cannot be undone. It takes all the steps
 * that the system allows: if one is refused, as in some containers, the next ones are still
 * taken. Call it in a child process with a single thread. confine-files.h and
 * confine-calls.h go on from there.
 */
#ifndef CPROFTOP_CONFINE_H
#define CPROFTOP_CONFINE_H

#include <stddef.h>

/* Give up identity and privileges: a user of its own if we are root (own-user.h), no
   capabilities and none to be gained by exec, no core dump, no tracing by other processes
   of the user, file size limit 0, and the first process to be killed when memory runs out.
   The process may still fork. BESIDE: so much address space for what else it is to map. */
void confine_identity(size_t beside);

/* Only capabilities, none to be gained, no core dump, and no tracing by others. */
void confine_keeping_user(void);

/* All that this process may compute from now on, in CPU time; then it is killed. Whoever has taken
   it over can put off any timer, and not this. */
void confine_time(unsigned seconds);

/* From now on this process may have BYTES of memory, less than confine_identity allows.
   Does nothing in builds with sanitizers. */
void confine_memory(size_t bytes);

#endif
