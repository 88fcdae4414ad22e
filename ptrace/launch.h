/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch: start a command that waits to be profiled before it begins.
 *
 * The child stops short of exec on a pipe; when its threads (one) are seized it is let
 * go, so the profile begins with the program's first instruction. It is a normal child of
 * ours in our process group: Ctrl-C reaches it as it would without us. Main thread.
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
};

/* Fork. OUTPUT_FD, if not negative, becomes the child's standard output and error; SILENT
   gives it /dev/null as standard input. */
bool launch_prepare(struct launch *launch, char *const argv[], int output_fd, bool silent,
	struct error *err);

/* Let it exec. False and ERR if the command cannot be run ("no such file"). */
bool launch_go(struct launch *launch, const char *command, struct error *err);

/* Give up before launch_go: the child ends without having run anything. */
void launch_cancel(struct launch *launch);

#endif
