/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch: start a command that waits to be profiled before it begins.
 *
 * The child waits on a pipe before its exec. It is released when the tracer knows it, so
 * the profile begins with the program's first instruction. It is an ordinary child in our
 * process group, so Ctrl-C reaches it as usual. Main thread.
 */
#ifndef CPROFTOP_PTRACE_LAUNCH_H
#define CPROFTOP_PTRACE_LAUNCH_H

#include "src/base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct launch {
	pid_t pid;
	int go_fd;     /* private: closing it without a byte ends the child */
	int failed_fd; /* private: carries the errno of a failed exec */
	int errnum;    /* of a failed exec, after launch_go; else 0 */
};

/* Fork. OUTPUT_FD, if not negative, becomes the child's standard output and error; SILENT
   gives it /dev/null as standard input. */
bool launch_prepare(struct launch *launch, char *const argv[], int output_fd, bool silent,
	struct error *err);

/* Release the child to exec. False and ERR if the command cannot be run ("no such
   file"). */
bool launch_go(struct launch *launch, const char *command, struct error *err);

/* Give up before launch_go: the child ends without having run anything. */
void launch_cancel(struct launch *launch);

#endif
