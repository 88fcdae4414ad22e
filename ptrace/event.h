/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: asking for the wait status of a traced thread, and what it means.
 *
 * Decoding is kept apart from acting (strace does the same) and is pure, so it can be
 * tested by table. The input is what waitid(2) reports for a thread seized with options
 * 0. What asks is for the thread that traces, and never waits.
 */
#ifndef CPROFTOP_PTRACE_EVENT_H
#define CPROFTOP_PTRACE_EVENT_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <sys/wait.h>

enum tracee_event {
	TRACEE_NONE,	/* nothing to report */
	TRACEE_STOPPED, /* our PTRACE_INTERRUPT, or the end of a group-stop: resume with 0
			 */
	TRACEE_SIGNAL,	/* about to be delivered a signal: resume with that signal */
	TRACEE_GROUP,	/* kill -STOP, Ctrl-Z...: keep it stopped, with PTRACE_LISTEN */
	TRACEE_GONE,	/* the thread has ended: reap it */
	TRACEE_CALL, /* at the entry or the exit of a call, which only whole-call.h asks
			for (PTRACE_SYSCALL, PTRACE_O_TRACESYSGOOD) */
};

struct tracee_status {
	enum tracee_event event;
	int signal; /* of TRACEE_SIGNAL and TRACEE_GROUP */
};

/* INFO as waitid filled it; si_pid 0 means that nothing happened. */
struct tracee_status tracee_decode(const siginfo_t *info);

/* Ask without consuming: a signal whose stop was consumed is lost if we die before the
   resume (measured on Linux 6.18; with WNOWAIT it is delivered). The resume clears the
   status. WHICH and TID as in waitid(2); *WHO it is about, 0: nobody. False if there is
   nobody that could be waited for. */
bool tracee_peek(idtype_t which, pid_t tid, struct tracee_status *status, pid_t *who);

/* Take the exit status of TID. */
void tracee_reap(pid_t tid);

/* TID is stopped and not traced, as a child of ours that somebody has stopped: not to be
   told of that again. */
void tracee_dismiss(pid_t tid);

#endif
