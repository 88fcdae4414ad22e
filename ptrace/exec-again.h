/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec-again: give a program the rights back that it lost because we were attached.
 *
 * If a thread calls exec while a tracer without CAP_SYS_PTRACE is attached to it, the
 * kernel ignores the set-user-ID and set-group-ID bits and the capabilities of the file
 * (execve(2); in the kernel fs/exec.c and security/commoncap.c): sudo would say that it
 * must be set-user-ID root. A sample can fall into the microseconds between the entry of
 * that call and the kernel's look at its tracer. The stop then comes at the end of the
 * exec, before the first instruction of the new program. There it is made to call exec
 * once more, with the same file, arguments and environment, and we detach: nothing of
 * the program has run, and nobody traces it now.
 *
 * For the thread that traces; the thread is stopped. Reads its registers, its memory and
 * some of its files in /proc, and looks for the program's file by its name. Never waits
 * for anything else, allocates nothing.
 */
#ifndef CPROFTOP_PTRACE_EXEC_AGAIN_H
#define CPROFTOP_PTRACE_EXEC_AGAIN_H

#include "src/arch/arch.h"

#include <stdbool.h>
#include <sys/types.h>

/* Thread TID is stopped with registers REGSET. If it has just executed a program that
   lacks the rights of its file, change its registers so that it does so again, and return
   true: detach from it now. Otherwise false, nothing was changed. Costs nothing unless it
   is leaving an exec. Rights stay lost if the file may not be read by its caller (then
   the kernel hides its memory from us), and for a script whose interpreter has them. */
bool exec_again(pid_t tid, const struct arch_regset *regset);

#endif
