/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signals-waiting: which signals a stopped thread will get before its program goes on,
 * and whether the program would notice them.
 *
 * The kernel drops a signal that is ignored (SIGCHLD by default), except while the thread
 * is traced: then the signal is queued, ends system calls, and stops the thread before it
 * is dropped. Read from /proc/TID/status (proc(5)), which also says whether the thread
 * has a seccomp filter. May be called while the thread is stopped; allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_SIGNALS_WAITING_H
#define CPROFTOP_PTRACE_SIGNALS_WAITING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Bit N - 1 stands for signal N. A signal of which it is not known whether it is ignored
   counts as noticed. */
struct signals_waiting {
	uint64_t pending; /* pending and not blocked */
	uint64_t unheard; /* ignored: the kernel would drop them */
	bool filtered;	  /* has a seccomp filter */
};

struct signals_waiting signals_waiting_look(pid_t tid);

/* By the text of that file, or its beginning. */
struct signals_waiting signals_waiting_parse(const char *text);

#endif
