/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * shadow: the true stack of a thread that is stepped instruction by instruction.
 *
 * Every call instruction leaves its return address at a known place; it is part of the
 * stack as long as the stack pointer is not above that place. This holds for returns,
 * tail calls, longjmp and exceptions alike, and needs to know nothing about functions.
 * If calls push nothing, the place is where the stack pointer is then; and the return is seen
 * when the thread is at that address with that stack pointer.
 * Of functions that a longjmp leaves for one with that stack pointer it is not seen; they are
 * gone when the thread is, with it, where a call has returned before.
 * What a signal interrupted stays below its handler until rt_sigreturn, on whichever
 * stack the handler runs.
 *
 * It knows nothing of stacks that a program switches by itself (swapcontext, goroutines).
 */
#ifndef CPROFTOP_TESTS_SHADOW_H
#define CPROFTOP_TESTS_SHADOW_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/facts/callchain.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shadow_entry {
	uint64_t slot; /* where the return address lies; 0: what a signal interrupted */
	uint64_t pc;
	uint64_t saved_at; /* then: where the handler finds that PC, and may change it */
	bool is_restorer;  /* the kernel put it there, for the handler to return to */
};

struct shadow {
	VEC(struct shadow_entry) entries; /* outermost first */
	struct idmap returned; /* stack pointers and places, if calls push nothing */
};

/* Zeroed: a thread at its first instruction. */
void shadow_finish(struct shadow *shadow);

/* Is CODE, of LENGTH bytes, a call instruction? */
bool shadow_is_call(const unsigned char *code, size_t length);

/* One instruction was executed, and SP and PC are the registers now; if it was a call, RETURN_PC is
   its return address, else 0. */
void shadow_step(struct shadow *shadow, uint64_t sp, uint64_t pc, uint64_t return_pc);

/* A handler is about to run: at SP lies RESTORER, and INTERRUPTED is where the thread
   was, as the kernel saved it at SAVED_AT. And back. */
void shadow_signal(struct shadow *shadow, uint64_t interrupted, uint64_t saved_at,
	uint64_t sp, uint64_t restorer);
void shadow_sigreturn(struct shadow *shadow);

/* The whole stack of the thread at PC, leaf first. Longer than CALLCHAIN_MAX: cut off. */
void shadow_chain(const struct shadow *shadow, uint64_t pc, struct callchain *out);

#endif
