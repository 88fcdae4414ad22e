/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * push-process: `cproftop push --follow` beside a recording (record --push).
 *
 * The network and TLS are in a process of its own, a new program that has nothing of the
 * recording but a pipe, at whose end it knows that no more files come. Ctrl-C does not
 * reach it: it gets the last file, too. If it dies, the files stay. Main thread.
 */
#ifndef CPROFTOP_PUSH_PROCESS_H
#define CPROFTOP_PUSH_PROCESS_H

#include "src/base/error.h"
#include "src/run/options/options.h"

#include <stdbool.h>
#include <sys/types.h>

struct push_process {
	pid_t pid;   /* 0: none */
	int pipe_fd; /* closed at the end */
};

/* Before the session is started. */
bool push_process_start(
	struct push_process *process, const struct options *options, struct error *err);

/* No more files come. Waits until it has sent them, or given up: some 10 s at most. False
   if files are left; it has said so. */
bool push_process_finish(struct push_process *process);

#endif
