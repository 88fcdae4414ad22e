/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack: what the programs tests/targets/stack-* share.
 *
 * Each one builds a stack that the test knows, says "ready", and then runs for ever at
 * its lower end; the test ends it.
 */
#ifndef CPROFTOP_TESTS_STACK_H
#define CPROFTOP_TESTS_STACK_H

#include <unistd.h>

/* A function that has a frame of its own, and its own name. */
#ifdef __clang__
#define FRAME __attribute__((noinline))
#else
#define FRAME __attribute__((noipa))
#endif

/* Make that frame larger by BYTES. */
#define USE_STACK(bytes)    \
	char frame_[bytes]; \
	__asm__ volatile("" : : "r"(frame_) : "memory")

/* At the end of a function, so that its last call does not become a jump. */
#define NO_TAIL_CALL() __asm__ volatile("" ::: "memory")

/* What the compiler cannot know to be true. */
static volatile int stack_goes_on = 1;

static inline void stack_ready(void)
{
	static const char text[] = "ready\n";
	if (write(STDOUT_FILENO, text, sizeof(text) - 1) != sizeof(text) - 1)
		_exit(1);
}

#endif
