/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * caller-state: what we change in ourselves, and what a program that we start gets back.
 *
 * Limits, the mask of signals and ignored signals survive exec. Ours are for a process that
 * traces: an editor with a hundred thousand descriptors may be slow or fail (select(2)), and a
 * person's program may write no core file. So whoever starts a program for a person returns them
 * between fork and exec. Only system calls are made. Any thread.
 */
#ifndef CPROFTOP_CALLER_STATE_H
#define CPROFTOP_CALLER_STATE_H

#include <stdbool.h>
#include <sys/resource.h>

/* The limits of whoever called us. */
struct caller_state {
	struct rlimit core, files;
	bool has_core, has_files; /* could be read */
};

/* Before caller_state_leave. */
struct caller_state caller_state_read(void);

/* From now on: more descriptors, because files in /proc stay open. No core file of ours, which
   would contain parts of the target's stacks, and for which a target that is traced would have
   to wait; a limit of 1 byte also keeps a core_pattern program from being started (core(5),
   fs/coredump.c). */
void caller_state_leave(void);

/* In a child before exec: no signal is blocked, and none ignored that we ignore
   (output_file_ignore_signals); the limits of STATE, if not NULL. */
void caller_state_return(const struct caller_state *state);

#endif
