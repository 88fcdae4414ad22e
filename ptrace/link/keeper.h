/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper: the small process that forks tracers, and that cleans up if main is killed.
 *
 * It is forked early, while main is small, so that it can fork a tracer in a fraction of
 * a millisecond whenever main asks for one. If somebody stops the tracer, the keeper
 * kills it at once, because the threads that it traces would stay stopped with it; main
 * notices its end by the socket and asks for another one. When the keeper ends, for
 * whatever reason, the kernel kills its tracer (PR_SET_PDEATHSIG).
 *
 * If main ends without keeper_end (SIGKILL, a crash), the keeper kills the tracer,
 * restores the terminal, and goes on reading the output of a launched command, so that
 * the command is not killed by SIGPIPE.
 *
 * The keeper only makes system calls. It has its own process group, so that no key of the
 * terminal reaches it, and holds only descriptors that it was sent. All functions are
 * called in main, by one thread at a time.
 */
#ifndef CPROFTOP_PTRACE_KEEPER_H
#define CPROFTOP_PTRACE_KEEPER_H

#include "ptrace/link/keeper-terminal.h"
#include "ptrace/tracer/control.h"
#include "src/base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct keeper {
	pid_t pid;  /* 0: none */
	int socket; /* -1: none */
};

/* Fork the keeper. CONTROL, which is in shared memory, and OPTIONS are passed to every
   tracer. */
bool keeper_start(struct keeper *keeper, struct tracer_control *control,
	const struct tracer_options *options, struct error *err);

/* Have a new tracer forked; *SOCKET is connected to it. False, and *SOCKET is -1, if the keeper has
   ended. */
bool keeper_fork(struct keeper *keeper, int *socket);

void keeper_guard_terminal(struct keeper *keeper, const struct keeper_terminal *terminal);
void keeper_release_terminal(struct keeper *keeper);

/* FD is the reading end of the pipe that a launched command writes to. */
void keeper_guard_pipe(struct keeper *keeper, int fd);

/* Continue it if somebody has stopped it. Called now and then. */
void keeper_tend(struct keeper *keeper);

/* End the keeper and its tracer. */
void keeper_end(struct keeper *keeper);

#endif
