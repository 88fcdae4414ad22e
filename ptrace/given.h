/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * given: which processes a tracer may trace, if main has given up its rights.
 *
 * Main names them before it reads anything of them. Then the list is sealed, and is memory
 * of keepers and tracers only: main, if a target's file has taken it over, cannot have
 * another process traced. A process is known by its number and the time of its start
 * (proc(5)), so nobody is traced because the number was used again.
 *
 * Main's thread before the seal, the tracer after it, one thread at a time; one tracer after
 * the other.
 */
#ifndef CPROFTOP_PTRACE_GIVEN_H
#define CPROFTOP_PTRACE_GIVEN_H

#include "ptrace/target.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	GIVEN_MOST = 1024,
};

/* All zeros: not sealed, so every process is allowed. */
struct given {
	_Atomic bool is_sealed;
	bool follows_children; /* descendants may be traced, too */
	size_t n_named;	       /* the first ones, which are kept */
	size_t total;	       /* with those that were replaced by newer ones */
	struct {
		pid_t pid;
		uint64_t start_ticks;
	} list[GIVEN_MOST];
};

/* PIDS and no others. Those that do not exist are left out. */
void given_seal(struct given *given, const pid_t *pids, size_t count, bool children);

/* May TARGET be traced, of which only PID is known? If so, its descriptors and memory_tid are
   set, as by target_open. If not, all is closed, with errno: ESRCH, as for a process that is
   not there, or why it cannot be opened. */
bool given_open(struct given *given, struct target *target);

#endif
