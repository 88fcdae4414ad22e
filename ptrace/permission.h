/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * permission: may this process trace another one? Asked without tracing it.
 *
 * To attach would answer it too. But a thread that calls exec while an unprivileged tracer is
 * attached to it loses the set-user-ID bit of its new program (see ptrace/exec-again.h), and
 * as it was not stopped, nobody can give it back. One of 3000 execs beside busy loops did,
 * because who attaches can lose its CPU at that moment.
 *
 * The question is put to the kernel by opening the memory of a thread (src/process/memory.h),
 * which needs the same mode of access as to attach (PTRACE_MODE_ATTACH in ptrace(2);
 * fs/proc/base.c in the kernel), security modules included.
 */
#ifndef CPROFTOP_PTRACE_PERMISSION_H
#define CPROFTOP_PTRACE_PERMISSION_H

#include <sys/types.h>

/* May at least one thread of process PID be attached to now, whose folder /proc/PID/task is
   TASK_DIR_FD? Returns 0 or an errno: ESRCH if it has ended (a zombie, too), EPERM also if
   another tracer has it. Asks again for 20 ms before it says so: another profiler may be
   looking at it just now, and no listed thread is there in the midst of an exec. */
int permission_ask(pid_t pid, int task_dir_fd);

#endif
