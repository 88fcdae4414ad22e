/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * runtime: what each language whose functions are not on the native stack, or have no names
 * there, tells of one process. A folder of src/read/runtimes/ is a language, and offers one
 * struct runtime; src/read/reader/scripts.c has the table of them.
 *
 * The functions of an interpreter are a stack of their own. A call of the interpreter's loop,
 * from C, runs one function and those that it calls without going through C: a segment. Each
 * segment has a mark, by which it takes the place of that call on the native stack: an address
 * on the stack of C that lies in the frame of the call, or, where the interpreter leaves none
 * there, the call itself, counted from the innermost one.
 *
 * Everything comes from a process that may be hostile. So a layout is used only if the runtime
 * itself says that it is of that version, or its structures show it; all that is read is
 * bounded; and what contradicts itself is SCRIPT_UNSURE, never a guess. One object for each
 * process; the reader's thread.
 */
#ifndef CPROFTOP_RUNTIME_H
#define CPROFTOP_RUNTIME_H

#include "src/arch/arch.h"
#include "src/facts/callchain.h"
#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"
#include "src/process/region.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

enum {
	SCRIPT_FRAMES_MAX = RECIPE_NODES,
	SCRIPT_INLINED_MAX = 32, /* functions in one native frame */
	SCRIPT_INNER_MAX = 64,
};

enum script_end {
	SCRIPT_ALL,    /* all frames are there */
	SCRIPT_NONE,   /* the thread runs no function of the language */
	SCRIPT_CUT,    /* the copy ended before the frames did */
	SCRIPT_UNSURE, /* they contradict each other, or the interpreter is between two */
};

/* What a runtime says of native frames. */
enum script_natives {
	SCRIPT_NATIVES_UNKNOWN, /* nothing */
	SCRIPT_NATIVES_RIGHT,	/* where they lie is certain, also if it was guessed */
	SCRIPT_NATIVES_WRONG,	/* only the first of them are right */
};

/* One function that runs, in words that only its language knows. */
struct script_frame {
	uint64_t function, place, more;
};

enum {
	SCRIPT_MARK_MISSING = 0, /* it was not reached; this is the last segment */
	SCRIPT_MARK_CALL = 1,	 /* the next native frame that is the loop */
};

/* FRAMES[first] is the innermost one. MARK: an address, or one of the above. All segments of a
   stack have the same kind of mark. */
struct script_segment {
	uint64_t mark;
	uint32_t first, count;
};

struct script_stack {
	enum script_end end;
	uint32_t n_frames, n_segments;
	struct script_frame frames[SCRIPT_FRAMES_MAX];
	struct script_segment segments[SCRIPT_FRAMES_MAX];
	/* With SCRIPT_MARK_CALL: the segment that may have no call, if there is one call less than
	   segments; UINT32_MAX: none. And addresses on the stack of C that lie in the frames of
	   those who call the loop for the same segment once more. */
	uint32_t resting;
	uint32_t n_inner;
	uint64_t inner[SCRIPT_INNER_MAX];
};

enum script_kind {
	SCRIPT_NAMED,
	SCRIPT_GONE,   /* a function of the program that cannot be named any more */
	SCRIPT_HIDDEN, /* the runtime's own, how it enters and leaves the language */
	/* Of native frames only: */
	SCRIPT_BUILTIN, /* the runtime's own, which its native code has the name of */
	SCRIPT_NATIVE,	/* not one of the language */
};

/* Texts are cleaned and are valid until the runtime is asked the next time. FILE may be "", and
   each line 0: not known. NUMBER is that of no other function of this process. */
struct script_function {
	const char *name, *file;
	uint32_t first_line, line, number;
};

struct runtime {
	const char *language; /* as labels have it: "Python" */
	/* The name of its lock that lets one thread run at a time; NULL: it has none, or is_lock
	   does not know. */
	const char *lock;
	/* Part of the path of its library, whose code is looked at before it has run; or NULL. The
	   same of a program of a few lines that only begins it. */
	const char *library, *program;

	/* The runtime in IMAGE, with the load bias BIAS, as an object for `destroy`; NULL: it is not
	   there. Each file that exports MARK, and whose code has run, is asked once, until one says
	   yes. SPACE is borrowed and must outlive the object. */
	const char *mark;
	void *(*meet)(
		struct address_space *space, struct elf_image *image, uint64_t bias);
	void (*destroy)(void *self);

	/* Are its functions known? VERSION says of which version it is ("3.16"), "" if nobody knows. */
	bool (*is_known)(const void *self, char *version, size_t size);

	/* Of a language that others are translated to; else NULL. From now on files and lines are those of what
	   was translated, if source maps tell them. Why one of them is not used, a sentence; "": all are. */
	void (*want_source_maps)(void *self);
	const char *(*refusal)(const void *self);

	/* What is to be copied in a stop: the steps, what they begin with, and what is known; the
	   areas are added by who calls (recipe-areas.h). Called again and again. False: it has not
	   started yet. */
	bool (*recipe)(void *self, struct recipe *recipe);

	/* Of code of the runtime's that tells unwinders too little, if it knows by itself where its calls lie;
	   else NULL. Are the frames of CHAIN right? If they are WRONG, the first *LENGTH are, and *REGISTERS are those
	   of the next one. */
	enum script_natives (*natives)(const void *self, const struct snapshot *snapshot,
		const struct callchain *chain, uint32_t *length,
		struct arch_registers *registers);

	/* Either of these. The functions of an interpreter; CHAIN has the native frames: */
	void (*frames)(const void *self, const struct snapshot *snapshot,
		const struct callchain *chain, struct script_stack *out);
	enum script_kind (*name)(void *self, const struct snapshot *snapshot,
		const struct script_frame *frame, struct script_function *out);
	/* Or those of a compiler, whose frames are native ones: the one of SNAPSHOT with the frame
	   pointer FP, at the instruction at ADDRESS in REGION. If it is SCRIPT_NAMED, *COUNT
	   functions in OUT, innermost first. */
	enum script_kind (*locate)(void *self, const struct snapshot *snapshot,
		const struct region *region, uint64_t address, uint64_t fp,
		struct script_function out[SCRIPT_INLINED_MAX], size_t *count);

	/* With FRAMES: its compiler makes code of functions that FRAMES has, in anonymous memory, which
	   only the runtime's own code enters, or in memory that processes share. It runs in the place
	   of the loop. */
	bool has_compiler;
	/* With SCRIPT_MARK_CALL; else NULL. What symbols of the runtime's file begin with: those of the
	   interpreter's loop, whose frame is a call of it; and of what the loop calls when its
	   function is not in place, or no longer. */
	const char *loop, *leaving;
	/* Where that is so, and a frame does not say where its function is while it runs; else
	   NULL. The place of the innermost FRAME, which the native frame CALL runs; 0: not known. */
	uint64_t (*place_now)(const void *self, const struct frame *call,
		const struct script_frame *frame);
	/* Is the word of the futex at ADDRESS one of LOCK? */
	bool (*is_lock)(const void *self, uint64_t address);
	/* Together with is_lock. The thread that has LOCK now, as the process knows it (gettid(2)); 0: none, or not known. *LOCK
	   becomes its address. */
	pid_t (*lock_owner)(const void *self, uint64_t *lock);
};

#endif
