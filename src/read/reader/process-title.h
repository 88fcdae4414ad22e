/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process-title: the name of a process and its command line or title, read again, because
 * programs change them.
 *
 * A new process is looked at often: a child has its parent's name and title until it calls
 * exec or writes its own. After two seconds the name stays, and of the title remains what
 * does not change (command_line_settle), so that one process does not become many. Owned by
 * the intake of the process. Analyst thread only.
 */
#ifndef CPROFTOP_PROCESS_TITLE_H
#define CPROFTOP_PROCESS_TITLE_H

#include "src/process/list/command-line.h"

#include <stdbool.h>
#include <stdint.h>

struct process_title {
	char name[64];			 /* comm, cleaned */
	char command[COMMAND_SHORT_MAX]; /* "" if it has none */
	bool is_unread;			 /* it has ended before it could be read */
	uint64_t since_ns;		 /* monotonic: process_title_begin */
	uint64_t due_ns;		 /* when it is read again */
};

/* Read both: the process whose /proc/PID is PROC_FD is new, or has called exec. */
void process_title_begin(struct process_title *title, int proc_fd, uint64_t now_ns);

/* The first thread is called NAME: so is a process whose title could not be read. Has that changed? */
bool process_title_guess(struct process_title *title, const char *name);

/* Read both again, if that is due. Has one changed? */
bool process_title_refresh(struct process_title *title, int proc_fd, uint64_t now_ns);

#endif
