/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/unwind/unwind-entry.h"

#include "src/arch/arch-code.h"

enum {
	WORD = 8, /* bytes */
};

bool unwind_called_by(struct unwind_walk *walk, uint64_t return_pc, uint64_t *start)
{
	unsigned char call[WORD];
	int32_t distance;
	const struct region *region = address_space_find(walk->space, return_pc - 1);
	if (!region ||
		!unwind_walk_code(
			walk, region, return_pc - sizeof(call), call, sizeof(call)) ||
		!arch_called(call + sizeof(call), &distance))
		return false;
	*start = return_pc + (uint64_t)(int64_t)distance;
	return true;
}

bool unwind_entry_may_be_called(
	struct unwind_walk *walk, uint64_t return_pc, uint64_t start)
{
	struct explore_question question = {.goal = start, .insns = EXPLORE_INSNS};
	if (!unwind_called_by(walk, return_pc, &question.start) ||
		question.start == start)
		return true;
	const struct region *region = address_space_find(walk->space, start);
	struct explorer *e = explorer_create(walk, region);
	struct explore_answer answer = explorer_ask(e, &question);
	explorer_destroy(e);
	/* A jump there, with the stack as it was: a tail call. */
	return answer.is_found && answer.row.cfa_register == arch_sp &&
	       answer.row.cfa_offset == WORD;
}

bool unwind_entry_row_at_jump(
	struct unwind_walk *walk, uint64_t return_pc, struct unwind_row *row)
{
	struct explore_question question = {.wants_jump = true, .insns = EXPLORE_INSNS};
	if (!unwind_called_by(walk, return_pc, &question.start))
		return false;
	const struct region *region = address_space_find(walk->space, question.start);
	if (!region || !(region->permissions & REGION_EXECUTE))
		return false;
	struct explorer *e = explorer_create(walk, region);
	struct explore_answer answer = explorer_ask(e, &question);
	explorer_destroy(e);
	*row = answer.row;
	return answer.is_found && answer.rank == 0 && row->cfa_register == arch_sp;
}

uint64_t unwind_bytes_to_jump(struct explorer *e, uint64_t pc)
{
	struct explore_question question = {
		.start = pc,
		.wants_jump = true,
		.insns = EXPLORE_INSNS,
	};
	struct explore_answer answer = explorer_ask(e, &question);
	bool is_told = answer.is_found && answer.row.cfa_register == arch_sp;
	return is_told ? WORD - (uint64_t)(int64_t)answer.row.cfa_offset : 0;
}
