/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * blocking: system calls that block, each to be entered again and again.
 *
 * There are 41. With a PTRACE_INTERRUPT on Linux 6.18, 13 of them fail with EINTR
 * although no signal came; the kernel restarts the others. Some end by a timeout, some
 * because another process (poker_start) ends their wait, two never end. They have a file
 * each: blocking-timed.c, and blocking-files.c and blocking-queues.c for what has no
 * timeout. Preparing an entry fails if the kernel does not have the call.
 */
#ifndef CPROFTOP_TESTS_BLOCKING_H
#define CPROFTOP_TESTS_BLOCKING_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum blocking_end {
	BLOCKING_TIMED,	 /* after the nanoseconds it is given */
	BLOCKING_COARSE, /* the same by the kernel's ticks, which may be early */
	BLOCKING_POKED,	 /* when the poker comes, every few milliseconds */
	BLOCKING_CHILD,	 /* when its child, made in the call, has slept */
	BLOCKING_NEVER,
};

struct blocking_call {
	const char *name;      /* at most 15 bytes: a thread is called so */
	long (*prepare)(void); /* a descriptor or an identifier; -1: not here */
	int (*enter)(long what, uint64_t timeout_ns); /* < 0 and errno on failure */
	enum blocking_end end;
};

extern const struct blocking_call blocking_timed[], blocking_files[], blocking_queues[];
extern const size_t blocking_timed_count, blocking_files_count, blocking_queues_count;

/* For prepare functions: have the poker call POKE(WHAT), every time it comes. */
void poker_add(void (*poke)(long what), long what);

/* Such a POKE: send the signal WHAT to the process of the callers. */
void poker_signal(long what);

/* Start the process that pokes; it ends with the calling thread. After all prepare
   functions. */
void poker_start(void);

/* Remove what outlives a process. */
void poker_finish(void);

/* For prepare functions: call REMOVE(WHAT) at the end. */
void poker_at_end(void (*remove)(long what), long what);

#endif
