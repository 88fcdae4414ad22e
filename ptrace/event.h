/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event: ask for the wait status of a traced thread, and decode it.
 *
 * Decoding is separate from acting (as in strace) and is pure, so it can be tested with a
 * table. The input is what waitid(2) reports for a thread that tracee_seize attached to. The
 * functions that ask are for the thread that traces, and never wait.
 */
#ifndef CPROFTOP_PTRACE_EVENT_H
#define CPROFTOP_PTRACE_EVENT_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <sys/wait.h>

enum tracee_event {
	TRACEE_NONE, /* nothing to report */
	/* by our PTRACE_INTERRUPT, or at the end of a group-stop: resume with signal 0 */
	TRACEE_STOPPED,
	TRACEE_SIGNAL, /* before the delivery of a signal: resume with that signal */
	TRACEE_GROUP,  /* kill -STOP, Ctrl-Z...: keep it stopped, with PTRACE_LISTEN */
	TRACEE_GONE,   /* the thread has ended: reap it */
	/* at the entry or exit of a system call, if whole-call.h asked for it
	   (PTRACE_SYSCALL, PTRACE_O_TRACESYSGOOD) */
	TRACEE_CALL,
	TRACEE_EXEC, /* in the midst of an exec: tracee_leave_exec */
};

struct tracee_status {
	enum tracee_event event;
	int signal; /* of TRACEE_SIGNAL and TRACEE_GROUP */
};

/* INFO is as waitid filled it; si_pid 0 means that nothing happened. */
struct tracee_status tracee_decode(const siginfo_t *info);

/* Attach to TID, without stopping it. False and errno. If it calls exec before the stop that it
   is asked for next, it stops in there: where an exec lost rights because of us, it must
   not get on to an instruction of its program (ptrace/exec-again.h). Between both calls we
   may lose our CPU for longer than an exec takes. */
bool tracee_seize(pid_t tid);

/* After TRACEE_EXEC: let TID complete its exec and stop before the first instruction. */
void tracee_leave_exec(pid_t tid);

/* Read a status without consuming it (WNOWAIT): if the status of a signal-delivery-stop
   is consumed and we die before the resume, the signal is lost (measured on Linux 6.18).
   The resume clears the status. WHICH and TID are as in waitid(2). *WHO is the thread
   that the status is about; 0: none. Of children and tracees of this thread: others', such as
   our own processes, are not its business. False if there is none to wait for. */
bool tracee_peek(idtype_t which, pid_t tid, struct tracee_status *status, pid_t *who);

/* Consume the exit status of TID. */
void tracee_reap(pid_t tid);

#endif
