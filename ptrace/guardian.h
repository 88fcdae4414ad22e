/*
 * guardian: a process of its own that ends us if we are stopped while we trace.
 *
 * A tracee waits for its tracer at every signal it gets. If somebody stops us (kill
 * -STOP) that wait has no end, and no timer of ours can tell: we owe nothing at that
 * moment, so the dead-man is not armed, and were it always armed, a busy machine would
 * set it off. So a child in a session of its own looks at our state now and then, and
 * sends SIGKILL when it is T; the kernel then lets the target go. Ctrl-Z is not meant:
 * that leaves the target first (sampler_hold), and the guardian with it. To be stopped by
 * a debugger (state t) is not either: whoever debugs us knows.
 *
 * Begun by the sampler thread: when that ends, whatever the way, its guardian is killed
 * by the kernel. Finished by whoever has seen that thread end.
 */
#ifndef CPROFTOP_PTRACE_GUARDIAN_H
#define CPROFTOP_PTRACE_GUARDIAN_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct guardian {
	pid_t pid; /* 0: none */
	/* When the dead-man was armed last, monotonic; 0: it is not. In memory that we
	   share, so that the guardian can say afterwards who ended us, and why: nobody
	   else could. */
	_Atomic uint64_t *armed_ns;
};

bool guardian_init(struct guardian *guardian, struct error *err);
void guardian_finish(struct guardian *guardian); /* a zeroed or finished one is fine */

#endif
