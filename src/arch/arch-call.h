/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch-call: a system call in the registers of a thread that is stopped on its way out.
 *
 * At such a stop the registers still show which call it was, with which arguments, and
 * what it returns. They can be changed so that the thread makes another call, with the
 * same instruction, before the program goes on; and later so that the program finds all
 * registers as the first call left them, except for the result. Pure functions on what
 * PTRACE_GETREGSET gave; any thread.
 */
#ifndef CPROFTOP_ARCH_CALL_H
#define CPROFTOP_ARCH_CALL_H

#include "src/arch/arch.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	ARCH_CALL_ARGUMENTS = 6
};

struct arch_call {
	long number; /* SYS_... of sys/syscall.h */
	uint64_t arguments[ARCH_CALL_ARGUMENTS];
};

/* At a stop, may the registers hide the call that the thread is leaving? Then its *NUMBER, if it is
   leaving one just behind that instruction; and what the kernel tells about it after all is added
   to them, so that they hide nothing any more. NULL: it tells nothing. Not on x86-64;
   ptrace/left-call.h. */
bool arch_hides_call(const struct arch_regset *regset, long *number);
void arch_reveal_call(struct arch_regset *regset, const struct arch_call *call);

/* Where the kernel had saved the registers (arch_decode_signal_context) for a signal handler from which
   the thread has just returned, if it has, and on the same stack. 0: that is not known. */
uint64_t arch_left_handler(const struct arch_regset *regset);

/* The call that the thread is leaving. False if it is not leaving one: it came into the
   kernel by an interrupt or an exception, or it is not of this architecture. */
bool arch_left_call(const struct arch_regset *regset, struct arch_call *call);

/* The result of that call as in the kernel: -errno for an error. */
int64_t arch_call_result(const struct arch_regset *regset);
void arch_set_call_result(struct arch_regset *regset, int64_t result);

/* The address of that call's instruction; and: are these bytes that instruction? Calls
   made in other ways cannot be repeated like this. */
uint64_t arch_call_address(const struct arch_regset *regset);
bool arch_is_call(const unsigned char code[ARCH_CALL_BYTES]);

/* Change REGSET so that, at a stop at the entry of a call, the call is not made; and at
   other stops, the kernel does not restart the call that the thread has left. */
void arch_forget_call(struct arch_regset *regset);

/* Is the kernel to be told that by its own note, NT_ARM_SYSTEM_CALL? */
bool arch_forgets_call(const struct arch_regset *regset);

/* Change REGSET, of a thread that is leaving a call, so that the thread makes CALL at the
   same place, and the kernel does not restart the one that it left. */
void arch_ask_call(struct arch_regset *regset, const struct arch_call *call);

/* The same, with the instruction at ADDRESS. */
void arch_ask_call_at(
	struct arch_regset *regset, const struct arch_call *call, uint64_t address);

#endif
