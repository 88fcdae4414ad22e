/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-explore: all paths through a piece of code, and what they do to the stack.
 *
 * Follows the instructions from START, through branches and jumps and past calls. For
 * each path it knows which registers hold the value that a register had at START plus a
 * constant, and which were read from the stack, and where. It answers with the row that
 * holds at START, found at a return; or with the row that holds at GOAL, if START is
 * where the function begins.
 *
 * A call that never returns looks as if it went on into the next function. So the answer
 * of the path past the fewest calls is taken; if there are two that differ, there is
 * none. A path ends at what cannot be followed: a stack pointer loaded from memory, a
 * jump through a register, an unknown instruction. The number of instructions is bounded.
 * Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_EXPLORE_H
#define CPROFTOP_UNWIND_EXPLORE_H

#include "src/base/vec.h"
#include "src/read/unwind/unwind-row.h"
#include "src/read/unwind/unwind-walk.h"

#include <stdbool.h>
#include <stdint.h>

struct explore_question {
	uint64_t start;
	uint64_t goal;	       /* 0: a return */
	bool wants_jump;       /* instead: a jump to where a register says */
	uint64_t first, limit; /* the bounds of the function; both 0 if not known */
	uint32_t insns;	       /* how many instructions to look at, at most */
	bool is_entry; /* START is where a process begins: few calls are followed */
};

enum {
	EXPLORE_INSNS = 1024, /* more than that are never looked at */
};

struct explore_answer {
	bool is_found;	  /* ROW is valid */
	uint32_t rank;	  /* if this many calls return */
	bool is_lost;	  /* some path could not be followed */
	bool is_reached;  /* the goal was reached */
	bool is_returned; /* the goal was reached just after a call */
	bool is_dead_end; /* all paths were followed, and none returns */
	struct unwind_row row;
};

/* Looks at code in REGION, through WALK; both are borrowed. */
struct explorer *explorer_create(struct unwind_walk *walk, const struct region *region);
void explorer_destroy(struct explorer *explorer);

struct explore_answer explorer_ask(
	struct explorer *explorer, const struct explore_question *question);

/* A whole function at once, in one pass from its start: for each of its instructions that
   was reached, the row that holds there. For functions that are too long for a question
   for each PC in them. */
struct explore_span {
	uint64_t start; /* to the start of the next span */
	bool is_known;
	struct unwind_row row;
};

struct explore_map {
	uint64_t first, limit;
	uint32_t insns;			/* that were looked at */
	VEC(struct explore_span) spans; /* none: two paths disagree, or it is too long */
};

enum {
	EXPLORE_MAP_INSNS = 1 << 14,
	EXPLORE_MAP_SPANS = 128, /* a function has some twenty */
};

/* OUT is overwritten; free its spans. */
void explorer_map(struct explorer *explorer, uint64_t first, uint64_t limit,
	struct explore_map *out);

/* The row before the instruction at PC; NULL if it is not known. */
const struct unwind_row *explore_map_row(const struct explore_map *map, uint64_t pc);

/* How code was entered that nothing describes: by which call, or by whose jump. */

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
