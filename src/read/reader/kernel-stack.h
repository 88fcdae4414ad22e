/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel-stack: the functions of /proc/TID/stack, of a thread that sleeps.
 *
 * The kernel writes a line for each, innermost first: "[<0>] ep_poll+0x2b4/0x3c0", with
 * " [module]" behind it for code of a module (proc_pid_stack, fs/proc/base.c; proc(5)).
 * Addresses are hidden, so a function is known by its name alone. The analyst's thread.
 */
#ifndef CPROFTOP_KERNEL_STACK_H
#define CPROFTOP_KERNEL_STACK_H

#include "src/facts/profile.h"
#include "src/facts/snapshot.h"

#include <stddef.h>
#include <stdint.h>

enum {
	KERNEL_STACK_MOST = 64 /* MAX_STACK_TRACE_DEPTH, fs/proc/base.c */
};

/* Store the locations of what RECORD's thread has called in the kernel in OUT, which has
   room for MOST, innermost first. Returns their number; 0 if that is not known. */
size_t kernel_stack_locate(const struct snapshot *record, struct profile *profile,
	uint32_t *out, size_t most);

#endif
