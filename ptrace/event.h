/*
 * event: what a wait status of a traced thread means.
 *
 * Decoding is kept apart from acting (strace does the same) and is pure, so it can be
 * tested by table. The input is what waitid(2) reports for a thread seized with options
 * 0.
 */
#ifndef CPROFTOP_PTRACE_EVENT_H
#define CPROFTOP_PTRACE_EVENT_H

#include <signal.h>

enum tracee_event {
	TRACEE_NONE,	/* nothing to report */
	TRACEE_STOPPED, /* our PTRACE_INTERRUPT, or the end of a group-stop: resume with 0
			 */
	TRACEE_SIGNAL,	/* about to be delivered a signal: resume with that signal */
	TRACEE_GROUP,	/* kill -STOP, Ctrl-Z...: keep it stopped, with PTRACE_LISTEN */
	TRACEE_GONE,	/* the thread has ended: reap it */
};

struct tracee_status {
	enum tracee_event event;
	int signal; /* of TRACEE_SIGNAL and TRACEE_GROUP */
};

/* INFO as waitid filled it; si_pid 0 means that nothing happened. */
struct tracee_status tracee_decode(const siginfo_t *info);

#endif
