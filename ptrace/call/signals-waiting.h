/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals-waiting: which signals a stopped thread will meet before its program goes on,
 * and whether the program would notice.
 *
 * A signal that nobody would hear (SIGCHLD, where nothing was arranged) is dropped by the
 * kernel, but not while the thread is traced: then it is queued, ends system calls, and
 * stops the thread on its way to be dropped. From /proc/TID/status (proc(5)), of which
 * the same look tells whether the thread has a seccomp filter. May be called while the
 * thread is stopped; allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_CALL_SIGNALS_WAITING_H
#define CPROFTOP_PTRACE_CALL_SIGNALS_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Bit N - 1 stands for signal N. What cannot be found out counts as what a program would
   notice. */
struct signals_waiting {
	uint64_t pending; /* and not blocked */
	uint64_t unheard; /* would be dropped */
	bool filtered;	  /* by seccomp */
};

struct signals_waiting signals_waiting_look(pid_t tid);

/* The text of the file, or as much as was read. */
struct signals_waiting signals_waiting_parse(const char *text);

#endif
