/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callchain: the unwound stack of one sample, leaf first, and how it ended.
 *
 * A stack that does not reach its root is data, not an error: it is counted, named and
 * shown under the reason why it broke.
 */
#ifndef CPROFTOP_CALLCHAIN_H
#define CPROFTOP_CALLCHAIN_H

#include <stdbool.h>
#include <stdint.h>

enum unwind_end {
	UNWIND_ROOT,	  /* reached the thread's or process's first function */
	UNWIND_TRUNCATED, /* the copied part of the stack ended first */
	UNWIND_NO_CFI,	  /* no unwind information for a PC and no frame pointer either */
	UNWIND_BAD_MEMORY,  /* a needed word could not be read */
	UNWIND_NO_REGISTER, /* a needed register is not known (a thread that was not
			       stopped) */
	UNWIND_CYCLE,	    /* the stack did not get shorter: damaged, or hostile */
	UNWIND_TOO_DEEP,    /* more than CALLCHAIN_MAX frames */
	UNWIND_FOREIGN,	    /* not a task of this architecture (32-bit) */
	UNWIND_CHANGED,	    /* other code may have been there when the sample was taken */
	UNWIND_GUESSED,	    /* reached the root, but where a frame lies was guessed */
	UNWIND_END_COUNT,
};

enum {
	CALLCHAIN_MAX = 4096
};

struct frame {
	uint64_t pc;
	/* The instruction at PC is the one that runs (the leaf, or a frame that a signal
	   interrupted) or will run (the return from the signal handler, which nobody
	   called). Otherwise PC is a return address and the call is just before it
	   (elfutils: dwfl_frame_pc, "isactivation"). */
	bool is_activation;
};

/* An address of the instruction that FRAME is in. */
static inline uint64_t frame_code(struct frame frame)
{
	return frame.pc - !frame.is_activation;
}

struct callchain {
	enum unwind_end end;
	uint32_t length;
	uint64_t broken_at; /* the PC whose step failed, 0 if it reached the root */
	/* What was read of the stack ends there; 0 if it was more than one stack. */
	uint64_t stack_top;
	struct frame frames[CALLCHAIN_MAX];
};

/* One or two words: "root", "truncated", "no CFI"... */
const char *unwind_end_name(enum unwind_end end);

/* The name of the synthetic function that a broken stack hangs under, in every view and
   every file: "[truncated stack]", "[no CFI]"... A stack that ended at its root hangs
   under nothing; its label "[root]" is for completeness. */
const char *unwind_end_label(enum unwind_end end);

#endif
