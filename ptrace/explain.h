/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * explain: why a process cannot be attached to, and what to do about it.
 *
 * ptrace(2) fails with EPERM for a dozen reasons: another user, a kernel thread, a
 * zombie, another tracer, Yama, an undumpable process, a container... This finds out
 * which one it is, and writes one line. Any thread; reads /proc only.
 */
#ifndef CPROFTOP_PTRACE_EXPLAIN_H
#define CPROFTOP_PTRACE_EXPLAIN_H

#include "src/base/error.h"

#include <stdbool.h>
#include <sys/types.h>

/* Is there a reason that shows before trying: a /proc of another PID namespace, no such
   process, ourselves or our ancestor, a kernel thread, a zombie? If so, true, and ERR
   says which. */
bool explain_hopeless(pid_t pid, struct error *err);

/* Is the program of PROC_FD, an open /proc/PID, of an architecture that cannot be
   unwound? If so, true, and ERR says which. */
bool explain_foreign(int proc_fd, pid_t pid, struct error *err);

/* Does Yama forbid us to trace what other programs start? If so, true, and ERR says that
   of PID, a child of a traced process, and of all others like it. A command that cproftop
   launches names who may trace it, but its children do not inherit that. Nor can the
   tracer be their ancestor: it may die and be replaced, and no process can become the
   ancestor of one that is older (real_parent changes to an older ancestor only,
   find_new_reaper, kernel/exit.c; task_is_descendant, security/yama/yama_lsm.c). */
bool explain_children(pid_t pid, struct error *err);

/* Write why PTRACE_SEIZE, or an open in /proc/PID, failed with ERRNUM. Always returns
   false. */
bool explain_refusal(pid_t pid, int errnum, struct error *err);

#endif
