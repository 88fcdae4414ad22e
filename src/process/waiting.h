/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waiting: what a sleeping thread waits for.
 *
 * The name is that of a synthetic function that is put below the thread's own leaf:
 * "[futex]", "[read socket]", "[nanosleep]", "[page fault]". It says the system call and
 * the kind of object, which are the same in the next run of the program. Which object it
 * is, an address or a descriptor, is told apart from it, so that the threads that wait
 * for one lock can be counted together. The names of system calls come from libseccomp.
 * Any thread, but never while a thread of the target is stopped: it may read a link in
 * /proc.
 */
#ifndef CPROFTOP_WAITING_H
#define CPROFTOP_WAITING_H

#include "src/facts/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	WAITING_MAX = 192 /* bytes, with NUL: enough for any name and any object */
};

struct waiting {
	char name[WAITING_MAX];	  /* "[read socket]" */
	char object[WAITING_MAX]; /* "0x7f12a0", "fd 5 -> socket:[123]", "fd 7", "" */
};

/* The name for a thread that is able to run but has no CPU. */
#define WAITING_FOR_CPU "[waiting for a CPU]"

/* The name for a thread that was blocked, but never when it was looked at. */
#define WAITING_UNSEEN "[blocked between looks]"

/* PROC_FD is open on /proc/PID and shows what a descriptor is; -1: do not look. What
   comes from the target is cleaned. */
void waiting_of(const struct snapshot_call *call, int proc_fd, struct waiting *out);

/* The system call in NAME, into OUT. False if it names none. */
bool waiting_syscall(const char *name, char out[WAITING_MAX]);

#endif
