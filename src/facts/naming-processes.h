/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * naming-processes: what each of several processes is called, and so which of them are
 * counted as one: a family. Pure; any thread.
 */
#ifndef CPROFTOP_NAMING_PROCESSES_H
#define CPROFTOP_NAMING_PROCESSES_H

#include "src/facts/profile.h"

#include <stddef.h>

/* What the outermost frame of each of several processes is called, and so which of them
   are counted as one. */
enum naming_processes {
	PROCESSES_BY_NAME,    /* "nginx": all that run this program */
	PROCESSES_BY_COMMAND, /* "nginx: worker process": by command line or title */
	PROCESSES_BY_PID,     /* "nginx-1234": each by itself */
	PROCESSES_AS_ONE,     /* stacks do not begin with a process */
	NAMING_PROCESSES
};

/* As a value of --by: "name", "command", "process", "none". */
const char *naming_processes_name(enum naming_processes processes);

/* What PROCESS is called, into OUT[SIZE]; "" if processes are not told apart. */
void naming_process(enum naming_processes by, const struct profile_process *process,
	char *out, size_t size);

#endif
