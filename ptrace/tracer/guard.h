/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * guard: what a tracer does in main's place when main has died: it gives the terminal back,
 * and goes on reading the output of a launched command, which would otherwise die of
 * SIGPIPE. Main sends it what that takes (TRACER_TERMINAL, TRACER_PIPE).
 *
 * The tracer's main thread. Only system calls are made.
 */
#ifndef CPROFTOP_PTRACE_GUARD_H
#define CPROFTOP_PTRACE_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <termios.h>

enum {
	GUARD_BYTES = 256
};

/* How to restore a terminal that main uses: write BYTES and set the line settings BEFORE,
   if the present settings are still OURS. */
struct guarded_terminal {
	int in_fd, out_fd;
	size_t n_bytes;
	char bytes[GUARD_BYTES];
	struct termios before, ours;
};

struct guard {
	int main_fd; /* readable when main has ended; -1: see main_ended */
	bool main_ended;
	struct guarded_terminal terminal; /* with this process's descriptors; -1: none */
	int pipe_fd;			  /* -1: none */
};

/* In a child of MAIN's that was just forked. */
void guard_init(struct guard *guard, pid_t main);

/* Replace what is guarded. FDS, which become the guard's, are -1 if there is nothing. */
void guard_set_terminal(
	struct guard *guard, const struct guarded_terminal *terminal, const int fds[2]);
void guard_set_pipe(struct guard *guard, int fd);

/* When nothing is traced any more: give back what is still guarded. Returns at once; the
   pipe is read by a child of this process, as long as anybody writes to it. */
void guard_end(struct guard *guard);

#endif
