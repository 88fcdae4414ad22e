/*
 * waiting: what a sleeping thread waits for, in a word or two.
 *
 * The label is the name of a synthetic function that hangs below the user's own leaf:
 * "[futex 0x7f12a0]", "[epoll_wait fd 7]", "[read fd 5 -> socket:[123]]", "[nanosleep]",
 * "[page fault]". The object of a call is part of it, so that the waiters for one lock
 * come together by themselves. Names of system calls are libseccomp's. Any thread, never
 * while a thread of the target is stopped: it may read a link in /proc.
 */
#ifndef CPROFTOP_WAITING_H
#define CPROFTOP_WAITING_H

#include "src/model/snapshot.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	WAITING_MAX = 192 /* bytes, with NUL: enough for any label */
};

/* Where a thread stands that could run, but has no CPU. */
#define WAITING_FOR_CPU "[waiting for a CPU]"

/* A thread that was blocked, but never at an instant when it was looked at. */
#define WAITING_UNSEEN "[blocked between looks]"

/* PROC_FD is open on /proc/PID, to see where a descriptor leads; -1: do not look. What
   comes from the target is cleaned. */
void waiting_label(const struct snapshot_call *call, int proc_fd, char out[WAITING_MAX]);

/* The name of the system call in LABEL, into OUT. False if it names none. */
bool waiting_syscall(const char *label, char out[WAITING_MAX]);

#endif
