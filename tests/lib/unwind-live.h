/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-live: the callchain of a stopped thread by unmodified libunwind-ptrace.
 *
 * libunwind's own accessors read one word per system call, and the target's ELF files by
 * name, while the thread is stopped. It is a second opinion: tests compare
 * src/read/unwind/unwinder.c with it. libunwind 1.6 crashes on malformed ELF files. Known to be short
 * or wrong at vDSO frames, in files linked by LLD, and above frames without CFI.
 *
 * Called by the thread that traces the target's thread.
 */
#ifndef CPROFTOP_TESTS_UNWIND_LIVE_H
#define CPROFTOP_TESTS_UNWIND_LIVE_H

#include "src/base/error.h"
#include "src/facts/callchain.h"

#include <stdbool.h>
#include <sys/types.h>

struct live_unwinder;

/* CACHED keeps libunwind's cache between calls; it becomes wrong when the target maps
   other code at an address. */
struct live_unwinder *live_unwinder_create(bool cached, struct error *err);
void live_unwinder_destroy(struct live_unwinder *unwinder); /* NULL is fine */

/* TID must be in a ptrace stop. Never fails: OUT says how the stack ended. libunwind does
   not say whether it reached the root, so the end is UNWIND_ROOT if the last frame has
   unwind information. */
void live_unwinder_unwind(
	struct live_unwinder *unwinder, pid_t tid, struct callchain *out);

#endif
