/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracer-process: main's child that samples (ptrace/tracer/tracer-main.h), and its end.
 *
 * It is forked from main and not executed, so it knows the rings by their addresses. Main
 * may be large by then: a fork takes 5 ms for 300 MB. Meanwhile no thread of a target
 * stands, because the kernel has resumed what the last tracer had stopped.
 *
 * It outlives main, to give back what main has left (ptrace/tracer/guard.h). Private to
 * ptrace/link; one thread at a time.
 */
#ifndef CPROFTOP_PTRACE_TRACER_PROCESS_H
#define CPROFTOP_PTRACE_TRACER_PROCESS_H

#include "ptrace/tracer/control.h"

#include <stdbool.h>
#include <sys/types.h>

struct tracer_process {
	pid_t pid;  /* 0: none */
	int socket; /* to it; -1: none */
};

/* CONTROL is in shared memory. False, with errno, if there is no process; then SOCKET, if there
   is one, has ended. */
bool tracer_process_begin(struct tracer_process *process, struct tracer_control *control,
	const struct tracer_options *options);

/* Has it ended? Its socket does not always tell: a thread that reads a file whose server
   does not answer keeps it open after all others have ended. */
bool tracer_process_has_ended(const struct tracer_process *process);

/* Kill it if somebody has stopped it, because threads that it traces would stay stopped
   with it. Called when SIGCHLD comes. */
void tracer_process_tend(const struct tracer_process *process);

/* Close its socket. It ends by itself, or, AT_ONCE or when that takes too long, is killed. */
void tracer_process_end(struct tracer_process *process, bool at_once);

#endif
