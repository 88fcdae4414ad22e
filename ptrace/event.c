/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ptrace/event.h"

#include <stddef.h>
#include <sys/ptrace.h>

enum {
	CALL_BIT = 0x80, /* with PTRACE_O_TRACESYSGOOD (ptrace(2)) */
};

/* For a ptrace stop, waitid gives the whole code: the signal in the low byte, the event
   above it (ptrace(2), "Group-stop" and "PTRACE_EVENT stops"). */
static struct tracee_status decode_stop(int code)
{
	int signal = code & 0xff, event = code >> 8;
	if (code == (SIGTRAP | CALL_BIT))
		return (struct tracee_status){TRACEE_CALL, 0};
	if (event == PTRACE_EVENT_EXEC)
		return (struct tracee_status){TRACEE_EXEC, 0};
	if (event != PTRACE_EVENT_STOP)
		return (struct tracee_status){TRACEE_SIGNAL, signal};
	if (signal == SIGTRAP)
		return (struct tracee_status){TRACEE_STOPPED, 0};
	return (struct tracee_status){TRACEE_GROUP, signal};
}

struct tracee_status tracee_decode(const siginfo_t *info)
{
	if (info->si_pid == 0)
		return (struct tracee_status){TRACEE_NONE, 0};
	switch (info->si_code) {
	case CLD_EXITED:
	case CLD_KILLED:
	case CLD_DUMPED:
		return (struct tracee_status){TRACEE_GONE, 0};
	case CLD_TRAPPED:
	case CLD_STOPPED:
		return decode_stop(info->si_status);
	default: /* CLD_CONTINUED is never asked for */
		return (struct tracee_status){TRACEE_NONE, 0};
	}
}

bool tracee_seize(pid_t tid)
{
	return ptrace(PTRACE_SEIZE, tid, NULL, PTRACE_O_TRACEEXEC) == 0;
}

/* The stop in the exec has taken back the one that was asked for before (ptrace_stop,
   kernel/signal.c), so it is asked for once more. */
void tracee_leave_exec(pid_t tid)
{
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	ptrace(PTRACE_CONT, tid, NULL, NULL);
}

bool tracee_peek(idtype_t which, pid_t tid, struct tracee_status *status, pid_t *who)
{
	siginfo_t info = {0};
	int flags = WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD;
	bool any = waitid(which, (id_t)tid, &info, flags) == 0;
	if (!any)
		info.si_pid = 0;
	*who = info.si_pid;
	*status = tracee_decode(&info);
	return any;
}

void tracee_reap(pid_t tid)
{
	siginfo_t info;
	waitid(P_PID, (id_t)tid, &info, WEXITED | WNOHANG | __WALL);
}
