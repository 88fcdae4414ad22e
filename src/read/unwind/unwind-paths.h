/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-paths: the paths through a piece of code, those past the fewest calls first.
 *
 * A worklist for finding out what code does to the stack. It holds the paths that are
 * still to be followed. The caller takes one, and visits, decodes, applies
 * (src/read/unwind/unwind-path.h) and follows each instruction on it; to follow a branch puts
 * the other way on the list:
 *
 *	unwind_paths_begin(&paths, first, limit, insns);
 *	unwind_path_begin(&path, first);
 *	unwind_paths_add(&paths, &path, first);
 *	while (unwind_paths_take(&paths, &path))
 *		run(&paths, &path);
 *
 * A call that never returns looks as if it went on into code that is not reached. So the
 * paths past the fewest calls come first, and a path that reaches an instruction after
 * another path should end there. A path ends at a return, and at a jump whose target is
 * not in the instruction. The number of instructions is bounded. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_PATHS_H
#define CPROFTOP_UNWIND_PATHS_H

#include "src/arch/arch-code.h"
#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/read/unwind/unwind-path.h"
#include "src/read/unwind/unwind-walk.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	UNWIND_PATHS_BYTES = 512,
};

/* The first path that came to an instruction. */
struct unwind_visit {
	uint32_t rank; /* the number of calls before it */
	int32_t note;  /* for the caller to use */
};

struct unwind_paths {
	struct unwind_walk *walk;
	const struct region *region;
	uint64_t first, limit; /* paths end outside; if both are 0, nowhere */
	uint32_t insns_left;

	uint32_t rank; /* of the path that was taken last */
	/* By whether their rank is even or odd: pending ranks differ by one at most. */
	VEC(struct unwind_path) pending[2];

	struct idmap seen; /* PC -> index of its visit */
	VEC(struct unwind_visit) visits;

	uint64_t code_start; /* the code read last */
	size_t code_length;
	unsigned char code[UNWIND_PATHS_BYTES];
};

/* For code in REGION, which is read through WALK; both are borrowed. */
void unwind_paths_init(struct unwind_paths *paths, struct unwind_walk *walk,
	const struct region *region);
void unwind_paths_finish(struct unwind_paths *paths);

/* Forget all paths. At most INSNS instructions are decoded from now on, and paths end
   outside [FIRST, LIMIT), unless both are 0. */
void unwind_paths_begin(
	struct unwind_paths *paths, uint64_t first, uint64_t limit, uint32_t insns);

bool unwind_paths_is_inside(const struct unwind_paths *paths, uint64_t pc);

/* Put a copy of PATH on the list, to be followed from PC, unless that is outside. */
void unwind_paths_add(
	struct unwind_paths *paths, const struct unwind_path *path, uint64_t pc);

/* Take one of the pending paths past the fewest calls. False if none is left. */
bool unwind_paths_take(struct unwind_paths *paths, struct unwind_path *path);

/* PATH reaches its PC. NULL if it is the first path to do so, else the visit of that one,
   valid until the next call. */
const struct unwind_visit *unwind_paths_visit(
	struct unwind_paths *paths, const struct unwind_path *path, int32_t note);

bool unwind_paths_is_visited(const struct unwind_paths *paths, uint64_t pc);

/* The instruction at PC. False if it cannot be read, or is not known, or there were too
   many. */
bool unwind_paths_decode(struct unwind_paths *paths, uint64_t pc, struct arch_insn *insn);

/* PATH has applied INSN and is at the next instruction: put the other ways that INSN
   leads on the list. False if PATH does not go on at the next instruction. */
bool unwind_paths_follow(struct unwind_paths *paths, const struct unwind_path *path,
	const struct arch_insn *insn);

/* The target of the branch or jump before PATH. */
static inline uint64_t unwind_paths_target(
	const struct unwind_path *path, const struct arch_insn *insn)
{
	return path->pc + (uint64_t)(int64_t)insn->target;
}

#endif
