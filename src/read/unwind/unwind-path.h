/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-path: the effect of one path through the code on registers and stack.
 *
 * At the beginning every register has its first value. Each instruction leaves some
 * registers with a known value (a first value plus a constant, or a word of the stack)
 * and others with an unknown one. At a return, or where a path from the function's start
 * ends, the unwind row follows from that. src/read/unwind/unwind-paths.h has all paths through
 * a piece of code. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_PATH_H
#define CPROFTOP_UNWIND_PATH_H

#include "src/arch/arch-code.h"
#include "src/read/unwind/unwind-row.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	UNWIND_PATH_WORD = 8, /* bytes */
	UNWIND_PATH_STORES = 8,
	UNWIND_PATH_REGISTERS = ARCH_REGISTERS - 1, /* all but the PC */
};

/* What is known of a register while code is followed: the value that register OF had at
   the start, plus OFFSET; or the word at that address. */
struct unwind_value {
	enum {
		UNWIND_VALUE_UNKNOWN,
		UNWIND_VALUE_SUM,
		UNWIND_VALUE_WORD,
	} kind;
	uint8_t of;
	int32_t offset;
};

/* One path through the code, at PC, past RANK calls. */
struct unwind_path {
	uint64_t pc;
	uint32_t rank;
	uint8_t stores;
	struct {
		int32_t offset; /* from the first stack pointer */
		uint8_t reg;	/* whose first value lies there */
	} store[UNWIND_PATH_STORES];
	struct unwind_value registers[UNWIND_PATH_REGISTERS];
	struct unwind_value pushed; /* where the path itself put a word last, by a push */
};

void unwind_path_begin(struct unwind_path *path, uint64_t pc);

/* Apply INSN. The caller changes the PC. */
void unwind_path_apply(struct unwind_path *path, const struct arch_insn *insn);

/* Does INSN pop the frame pointer from where the frame pointer points? Then this frame
   had one, whatever follows. */
bool unwind_path_is_teardown(
	const struct unwind_path *path, const struct arch_insn *insn);

/* The row for the beginning of PATH, if PATH is at a return once TOP more bytes are taken
   off the stack. False if it cannot be derived, as of code that takes the return address off the
   stack and pushes it where it is not yet. */
bool unwind_path_row_at_return(
	const struct unwind_path *path, int32_t top, struct unwind_row *row);

/* How far REG points above the stack pointer. False if it cannot be derived. */
bool unwind_path_distance(
	const struct unwind_path *path, unsigned reg, int32_t *distance);

/* The stack pointer was aligned, or moved by an unknown amount: count from its present
   value. */
void unwind_path_rebase(struct unwind_path *path);

/* The row for the present PC of PATH, if PATH began at the start of its function. */
bool unwind_path_row_from_start(const struct unwind_path *path, struct unwind_row *row);

/* The same, if the stack pointer may be elsewhere by another way to this PC. */
bool unwind_path_row_without_sp(const struct unwind_path *path, struct unwind_row *row);

/* The row as from the start, but with all registers that lie in the frame, also those that have not changed:
   another path to this PC may have changed them. */
bool unwind_path_row_on_the_way(const struct unwind_path *path, struct unwind_row *row);

/* The row if PATH is about to jump to code that may use any register for itself: the
   caller's are those that were stored. */
bool unwind_path_row_at_jump(const struct unwind_path *path, struct unwind_row *row);

#endif
