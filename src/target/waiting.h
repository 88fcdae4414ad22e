/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * waiting: a label for what a sleeping thread waits for.
 *
 * The label is the name of a synthetic function that is put below the thread's own leaf:
 * "[futex 0x7f12a0]", "[epoll_wait fd 7]", "[read fd 5 -> socket:[123]]", "[nanosleep]",
 * "[page fault]". It contains the object of the call, so that all threads that wait for
 * one lock are counted together. The names of system calls come from libseccomp. Any
 * thread, but never while a thread of the target is stopped: it may read a link in /proc.
 */
#ifndef CPROFTOP_WAITING_H
#define CPROFTOP_WAITING_H

#include "src/model/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	WAITING_MAX = 192 /* bytes, with NUL: enough for any label */
};

/* The label of a thread that is able to run but has no CPU. */
#define WAITING_FOR_CPU "[waiting for a CPU]"

/* The label of a thread that was blocked, but never when it was looked at. */
#define WAITING_UNSEEN "[blocked between looks]"

/* PROC_FD is open on /proc/PID and shows what a descriptor is; -1: do not look. What
   comes from the target is cleaned. */
void waiting_label(const struct snapshot_call *call, int proc_fd, char out[WAITING_MAX]);

/* The name of the system call in LABEL, into OUT. False if it names none. */
bool waiting_syscall(const char *label, char out[WAITING_MAX]);

#endif
