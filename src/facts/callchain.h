/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callchain: the unwound stack of one sample, leaf first, and how it ended.
 *
 * A stack that does not reach its root is data, not an error: it is counted, named and
 * shown under the reason why it broke. Of a stack of very many frames, usually recursion,
 * the innermost and the outermost frames are kept. Those between them are counted, and
 * stand as one frame in every view and every file.
 */
#ifndef CPROFTOP_CALLCHAIN_H
#define CPROFTOP_CALLCHAIN_H

#include "src/facts/stack-link.h"

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
	UNWIND_TOO_DEEP,    /* more than CALLCHAIN_DEEPEST frames */
	UNWIND_FOREIGN,	    /* not a task of this architecture (32-bit) */
	UNWIND_CHANGED,	    /* other code may have been there when the sample was taken */
	UNWIND_GUESSED,	    /* reached the root, but where a frame lies was guessed */
	UNWIND_ELSEWHERE,   /* it goes on on another stack, which was not copied */
	UNWIND_NOT_READ,    /* the stack could not be read within the time of a stop */
	UNWIND_END_COUNT,
};

enum {
	CALLCHAIN_MAX = 4096,	       /* frames that are kept */
	CALLCHAIN_LEAF = 2048,	       /* of these, the innermost ones */
	CALLCHAIN_DEEPEST = 256 << 10, /* unwinding stops here */
	CALLCHAIN_KINDS = 8,
	/* The most nodes that a stack has in a stacktab. To its frames may be added: what the
	   thread waits for, 64 functions of the kernel, the folded frames, how the stack
	   ended, its process, and that it waits for a CPU. */
	CALLCHAIN_NODES = CALLCHAIN_MAX + 64 + 5,
};

struct frame {
	uint64_t pc;
	/* The instruction at PC runs (the leaf, or a frame that a signal interrupted) or
	   will run next (the return from a signal handler, which no instruction called).
	   Otherwise PC is a return address and the call is just before it (elfutils:
	   dwfl_frame_pc, "isactivation"). */
	bool is_activation;
	/* It stands for callers that are not on the stack: those of a virtual thread of
	   Java's that lie on the heap until they are returned to. */
	bool is_parked;
	uint64_t
		sp; /* the stack pointer in it: its part of the stack begins there; 0: not known */
	/* What it has in two registers that calls keep, in which interpreters have what they need
	   all the time (arch_kept); 0: not known. */
	uint64_t kept[2];
	/* Of HotSpot's interpreter, which is one piece of code for all methods: the address of
	   the Method that it runs, 0 if it is not known, and two words of which the first that
	   lies in the method's bytecode is where it is in that. */
	uint64_t method, bytecodes[2];
	uint64_t
		mirror; /* of the same: the object that stands for its class; 0: not known */
};

/* The name of the synthetic function for such a frame. */
#define CALLCHAIN_PARKED_LABEL "[virtual thread: callers on the heap]"

/* An address of the instruction that FRAME is in. */
static inline uint64_t frame_code(struct frame frame)
{
	return frame.pc - !frame.is_activation;
}

/* The frames that are not kept: their number is FRAMES, and they lie between
   frames[CALLCHAIN_LEAF - 1] and frames[CALLCHAIN_LEAF]. KINDS are their N_KINDS distinct
   PCs; if there are more than CALLCHAIN_KINDS, N_KINDS is CALLCHAIN_KINDS + 1. */
struct callchain_fold {
	uint32_t frames;
	uint32_t n_kinds;
	struct frame kinds[CALLCHAIN_KINDS];
	uint32_t next; /* private */
};

struct callchain {
	enum unwind_end end;
	uint32_t length;
	uint64_t broken_at; /* the PC whose step failed, 0 if it reached the root */
	/* The end of what the unwinder read of the stack; 0 if the frames lie on more
	   than one stack. */
	uint64_t stack_top;
	/* The address of a word that was needed and not copied, if that is why the stack
	   broke; else 0. */
	uint64_t lacked;
	/* The largest part of the stack of which the unwinder read nothing: most of a frame. */
	struct stack_bounds gap;
	struct callchain_fold fold;
	struct frame frames[CALLCHAIN_MAX];
};

/* Make a chain: begin, add each frame, leaf first, and settle before reading the frames.
   More may be added after that. callchain_add returns false if there are
   CALLCHAIN_DEEPEST frames already. */
void callchain_begin(struct callchain *chain);
bool callchain_add(struct callchain *chain, struct frame frame);
void callchain_settle(struct callchain *chain);

/* Remove the frames behind the first LENGTH, to add others there. Not allowed if frames
   among those first LENGTH were folded. */
void callchain_cut(struct callchain *chain, uint32_t length);

/* The name of the synthetic function for what is not kept: "[... 5,000+ frames: walk]",
   with the number rounded down to one digit, so that stacks of similar depth get the same
   name. WHAT names the functions that were folded, "" if they are too many. The caller
   frees the result. */
char *callchain_fold_label(uint32_t frames, const char *what);

/* Is this such a name? */
bool callchain_is_fold_label(const char *name);

/* One or two words: "root", "truncated", "no CFI"... */
const char *unwind_end_name(enum unwind_end end);

/* The name of the synthetic function that a broken stack hangs under, in every view and
   every file: "[truncated stack]", "[no CFI]"... A stack that ended at its root hangs
   under nothing; its label "[root]" is for completeness. */
const char *unwind_end_label(enum unwind_end end);

#endif
