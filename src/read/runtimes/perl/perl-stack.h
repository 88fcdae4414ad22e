/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perl-stack: the Perl functions of one sample, from what its recipe has copied.
 *
 * Perl keeps a stack of contexts: subs, evals, loops and blocks. Perl code that C calls on
 * purpose of its own, such as DESTROY or the block of a sort, mostly has a stack of its own
 * (PERL_SI), which leads to the one before. A statement (COP) says file and line: that of the
 * innermost function is in the interpreter, that of each other one in the context that it has
 * entered.
 *
 * Perl leaves no address on the stack of C. But each call of its loop (Perl_runops_standard)
 * has one outermost context, so segments are counted (SCRIPT_MARK_CALL):
 *
 * - A sub that returns to no op was called by C.
 * - An eval {} catches by a loop of its own, if C has called the code that it is in (docatch in
 *   pp_ctl.c); then its JMPENV is another one than that of the contexts around it.
 * - The program itself has the outermost one.
 *
 * All is of one instant, so a stack is never torn, but Perl may just be entering or leaving a
 * function: a context whose index is above that of the last complete one is not in use; one
 * that has run no statement is left out if it is just being entered. A segment without
 * frames may have no call yet.
 *
 * A frame's FUNCTION is its CV, its PLACE the COP; MORE is of enum perl_frame.
 *
 * Pure; reads the snapshot only, which may hold anything. Any thread.
 */
#ifndef CPROFTOP_PERL_STACK_H
#define CPROFTOP_PERL_STACK_H

#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"
#include "src/read/runtimes/perl/perl-layout.h"
#include "src/read/runtimes/runtime.h"

#include <stdbool.h>
#include <stdint.h>

enum perl_frame {
	PERL_FRAME_SUB,
	PERL_FRAME_TEXT,    /* the code of an eval STRING */
	PERL_FRAME_FILE,    /* that of a file, by require, use or do */
	PERL_FRAME_PROGRAM, /* the program itself */
	PERL_FRAME_KIND = 7,
	/* Its statement may be another function's: that of the innermost one is while Perl
	   unwinds the stack, and C that called Perl may have been called then. */
	PERL_FRAME_UNSURE = 8,
};

/* Where a thread keeps the address of its interpreter, in glibc's record of the thread: in the slot
   for KEY. False if nobody knows. */
bool perl_place(uint32_t key, int32_t *place);

/* What is to be copied of a thread that keeps its interpreter at PLACE; the areas are left to
   the caller. */
void perl_recipe(const struct perl_layout *layout, int32_t place, struct recipe *recipe);

void perl_stack_read(const struct perl_layout *layout, int32_t place,
	const struct snapshot *snapshot, struct script_stack *out);

#endif
