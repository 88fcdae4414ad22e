/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-live: a callchain from a thread that is stopped, by libunwind-ptrace as it is.
 *
 * libunwind's stock accessors read one word per system call and the target's ELF files by
 * their names, while the thread waits. It is the second opinion: the tests hold
 * src/unwind/unwinder.c against it, and `dump --live` shows it to a person. Do not point
 * it at a program that you do not trust: libunwind 1.6 crashes on malformed ELF files.
 * Known to be short or wrong at vDSO frames, in files linked by LLD, and above frames
 * without CFI.
 *
 * To be called by the thread that traces the target's thread.
 */
#ifndef CPROFTOP_UNWIND_LIVE_H
#define CPROFTOP_UNWIND_LIVE_H

#include "src/base/error.h"
#include "src/model/callchain.h"

#include <stdbool.h>
#include <sys/types.h>

struct live_unwinder;

/* CACHED keeps what libunwind learned between calls; it is then wrong after the target
   maps something else where something was. */
struct live_unwinder *live_unwinder_create(bool cached, struct error *err);
void live_unwinder_destroy(struct live_unwinder *unwinder); /* NULL is fine */

/* TID must be in a ptrace stop. Never fails: OUT says how the stack ended. The end is
   UNWIND_ROOT if the last frame is one that libunwind has information for, which is all
   that it tells. */
void live_unwinder_unwind(
	struct live_unwinder *unwinder, pid_t tid, struct callchain *out);

#endif
