/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * process-list: all processes, with their CPU use and their owners.
 *
 * For choosing one, by a person (the picker) or by name. Kernel threads are left out:
 * they cannot be profiled. Strings are cleaned; the list owns them. Main thread.
 */
#ifndef CPROFTOP_PROCESS_LIST_H
#define CPROFTOP_PROCESS_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct process {
	pid_t pid;
	uid_t uid;
	char state;	  /* as in /proc/PID/stat */
	char *name;	  /* comm */
	char *command;	  /* the command line, words separated by blanks */
	char *user;	  /* name, or the number if it has none */
	double cpu_share; /* 1.0 is one CPU: since the last reading, or since its start */
	uint64_t cpu_ticks, start_ticks; /* utime + stime, starttime of stat */
};

struct process_list {
	struct process *data; /* the busiest first, then by pid */
	size_t len, cap;
	uint64_t read_ns; /* monotonic, of the last reading; 0: none yet */
};

/* Read PROC ("/proc"). LIST may be zeroed; CPU shares are since the reading before, if
   there was one. A process that ends meanwhile is left out. */
void process_list_read(struct process_list *list, const char *proc, uint64_t now_ns);
void process_list_finish(struct process_list *list);

/* Is NAME its comm, or the last component of its first word? */
bool process_is_called(const struct process *process, const char *name);

/* Is TEXT in its name, command line, user or pid? Case does not matter. "" always is. */
bool process_contains(const struct process *process, const char *text);

#endif
