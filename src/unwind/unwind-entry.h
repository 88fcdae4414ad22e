/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-entry: how a function may have been entered that nothing describes: by which
 * call, or by whose jump. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_ENTRY_H
#define CPROFTOP_UNWIND_ENTRY_H

#include "src/unwind/unwind-explore.h"
#include "src/unwind/unwind-row.h"
#include "src/unwind/unwind-walk.h"

#include <stdbool.h>
#include <stdint.h>

/* Where the direct call before RETURN_PC leads to. False if there is none. */
bool unwind_called_by(struct unwind_walk *walk, uint64_t return_pc, uint64_t *start);

/* Could the call before RETURN_PC have led to START: directly, by a tail call of the
   function that it leads to, or through a pointer? */
bool unwind_entry_may_be_called(
	struct unwind_walk *walk, uint64_t return_pc, uint64_t start);

/* The function that the call before RETURN_PC leads to: its row where it jumps to what a
   register says, with all of its frame still there. False if it does not, or that is not
   certain. */
bool unwind_entry_row_at_jump(
	struct unwind_walk *walk, uint64_t return_pc, struct unwind_row *row);

/* How much the code at PC takes off the stack before it jumps to what a register says:
   what it took for a call. */
uint64_t unwind_bytes_to_jump(struct explorer *explorer, uint64_t pc);

#endif
