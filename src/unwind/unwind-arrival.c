/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/unwind/unwind-arrival.h"

#include "src/unwind/unwind-code.h"

bool unwind_is_marked_first(const struct unwind_walk *walk)
{
	const struct arch_registers *registers = &walk->registers;
	return (registers->known & 1u << arch_fp) && registers->values[arch_fp] == 0;
}

bool unwind_came_to_left(struct unwind_table *table, struct unwind_walk *walk)
{
	const struct snapshot *snapshot = walk->snapshot;
	const struct arch_registers *registers = &walk->registers;
	if (!snapshot->link.is_away || walk->on_another_stack ||
		arch_get_sp(registers) != snapshot->link.sp ||
		arch_get_pc(registers) != snapshot->link.pc ||
		!unwind_table_is_return(table, walk, snapshot->link.pc))
		return false;
	walk->on_another_stack = walk->is_switched = true;
	return true;
}

bool unwind_came_from_call(
	struct unwind_table *table, struct unwind_walk *walk, struct frame frame)
{
	uint64_t pc = arch_get_pc(&walk->registers);
	if (pc == 0)
		return !frame.is_activation && unwind_is_marked_first(walk);
	return unwind_table_is_return(table, walk, pc);
}

bool unwind_is_anonymous(struct unwind_walk *walk, struct frame frame)
{
	uint64_t bias;
	const struct region *region = address_space_find(walk->space, frame.pc);
	return region && (region->permissions & REGION_EXECUTE) &&
	       !address_space_image(walk->space, region, &bias);
}

bool unwind_came_from_interpreter(
	struct unwind_table *table, struct unwind_walk *walk, struct frame frame)
{
	const struct arch_registers *registers = &walk->registers;
	struct frame caller = {.pc = arch_get_pc(registers)}, next = {0};
	uint64_t fp = registers->values[arch_fp];
	if (!unwind_is_anonymous(walk, frame) || !unwind_is_anonymous(walk, caller) ||
		!(registers->known & 1u << arch_fp) || fp < arch_get_sp(registers) ||
		!unwind_walk_stack(walk, fp + sizeof(fp), &next.pc))
		return false;
	return unwind_is_anonymous(walk, next) ||
	       unwind_table_is_return(table, walk, next.pc);
}

bool unwind_came_to_start(struct unwind_table *table, struct unwind_walk *walk)
{
	const struct arch_registers *registers = &walk->registers;
	struct frame next = {0};
	uint64_t fp = registers->values[arch_fp];
	walk->is_entered = (registers->known & 1u << arch_fp) &&
			   fp >= arch_get_sp(registers) &&
			   unwind_code_is_start(walk, arch_get_pc(registers)) &&
			   unwind_walk_stack(walk, fp + sizeof(fp), &next.pc) &&
			   (unwind_is_anonymous(walk, next) ||
				   unwind_table_is_return(table, walk, next.pc) ||
				   unwind_code_is_start(walk, next.pc));
	return walk->is_entered;
}

static bool follow_told(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, const struct unwind_row *row, enum unwind_end *end)
{
	struct arch_registers before = walk->registers;
	if (unwind_row_step(row, walk, end)) {
		struct frame caller = {.pc = arch_get_pc(&walk->registers)};
		if (unwind_is_anonymous(walk, caller) ||
			unwind_came_from_call(table, walk, frame))
			return true;
		*end = UNWIND_NO_CFI;
	}
	walk->registers = before;
	return false;
}

bool unwind_told_step(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, const struct unwind_row *row, enum unwind_end *end)
{
	bool is_found = follow_told(table, walk, frame, row, end);
	bool may_be_old = *end != UNWIND_TRUNCATED && *end != UNWIND_NO_REGISTER;
	if (row->is_parked || (!is_found && may_be_old))
		unwind_table_forget(table, frame);
	if (is_found || !may_be_old || row->is_parked)
		return is_found;
	struct unwind_rule rule = unwind_table_find(table, walk, frame);
	return rule.kind == UNWIND_RULE_ROW && rule.row->is_told &&
	       follow_told(table, walk, frame, rule.row, end);
}
