/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * keeper: the small process that starts tracers, and that is left when we are gone.
 *
 * It is forked while there is little of us, and forks a tracer whenever it is asked to,
 * which takes it a fraction of a millisecond. A tracer that somebody stops is killed at
 * once: what it traces would stand with it; we hear of its end by its socket and ask for
 * another one. When the keeper ends, whatever the way, the kernel kills its tracer.
 *
 * When we end without having said so (SIGKILL, a crash), the keeper kills the tracer,
 * gives the terminal back as we found it, and keeps reading what a launched command
 * writes to us, so that the command does not die of its pipe.
 *
 * It makes system calls and nothing else, is in a process group of its own, so that no
 * key of the terminal reaches it, and holds no descriptor but those it was sent. One
 * thread at a time, but for the fork itself any.
 */
#ifndef CPROFTOP_PTRACE_KEEPER_H
#define CPROFTOP_PTRACE_KEEPER_H

#include "ptrace/tracer/control.h"
#include "src/base/error.h"

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

enum {
	KEEPER_BYTES = 256
};

struct keeper {
	pid_t pid;  /* 0: none */
	int socket; /* -1: none */
};

/* CONTROL and OPTIONS are what tracers get; CONTROL is shared memory. */
bool keeper_start(struct keeper *keeper, struct tracer_control *control,
	const struct tracer_options *options, struct error *err);

/* A new tracer, at the other end of *SOCKET. False if the keeper is not there. */
bool keeper_fork(struct keeper *keeper, int *socket);

/* A terminal that is ours: these bytes and these line settings give it back, if the
   settings are still ours. */
struct keeper_terminal {
	int in_fd, out_fd;
	size_t n_bytes;
	char bytes[KEEPER_BYTES];
	struct termios before, ours;
};

void keeper_guard_terminal(struct keeper *keeper, const struct keeper_terminal *terminal);
void keeper_release_terminal(struct keeper *keeper);

/* A command writes to the pipe whose reading end is FD. */
void keeper_guard_pipe(struct keeper *keeper, int fd);

/* Let it go on if somebody has stopped it. */
void keeper_tend(struct keeper *keeper);

/* End it, and its tracer with it. */
void keeper_end(struct keeper *keeper);

#endif
