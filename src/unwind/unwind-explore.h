/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-explore: all paths through a piece of code, and what they do to the stack.
 *
 * Follows the instructions from START, through branches and jumps and past calls. For
 * each path it knows which registers hold the value that a register had at START plus a
 * constant, and which were read from the stack, and where. It answers with the row that
 * holds at START, found at a return; or with the row that holds at GOAL, or where it
 * jumps to the code of others, if START is where the function begins.
 *
 * A call that never returns looks as if it went on into the next function. So the answer
 * of the path past the fewest calls is taken; if there are two that differ, there is
 * none. A path ends at what cannot be followed: a stack pointer loaded from memory, a
 * jump through a register, an unknown instruction. The number of instructions is bounded.
 * Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_EXPLORE_H
#define CPROFTOP_UNWIND_EXPLORE_H

#include "src/unwind/unwind-row.h"
#include "src/unwind/unwind-walk.h"

#include <stdbool.h>
#include <stdint.h>

struct explore_question {
	uint64_t start;
	uint64_t goal;	       /* 0: a return */
	bool wants_jump;       /* instead: a jump to where a register says */
	uint64_t first, limit; /* of the function; both 0 if that is not known */
	uint32_t insns;	       /* to look at, at most */
	bool is_entry; /* START is where a process begins: few calls are followed */
};

enum {
	EXPLORE_INSNS = 1024, /* more than that are never looked at */
};

struct explore_answer {
	bool is_found;	  /* ROW holds, */
	uint32_t rank;	  /* if so many calls return */
	bool is_lost;	  /* some way could not be followed */
	bool is_reached;  /* the goal was */
	bool is_returned; /* the goal was, right behind a call */
	bool is_dead_end; /* all was followed, and nothing returns */
	struct unwind_row row;
};

/* Looks at code in REGION, through WALK; both are borrowed. */
struct explorer *explorer_create(struct unwind_walk *walk, const struct region *region);
void explorer_destroy(struct explorer *explorer);

struct explore_answer explorer_ask(
	struct explorer *explorer, const struct explore_question *question);

#endif
