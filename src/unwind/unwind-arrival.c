/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/unwind/unwind-arrival.h"

#include "src/unwind/unwind-code.h"
#include "src/unwind/unwind-frame-pointer.h"
#include "src/unwind/unwind-search.h"

bool unwind_is_marked_first(const struct unwind_walk *walk)
{
	const struct arch_registers *registers = &walk->registers;
	return (registers->known & 1u << arch_fp) && registers->values[arch_fp] == 0;
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

bool unwind_arrive_by_frame_pointer(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, enum unwind_end *end)
{
	bool is_jit = unwind_is_anonymous(walk, frame);
	if (unwind_frame_pointer_step(walk, frame, end)) {
		if (is_jit || unwind_came_from_call(table, walk, frame) ||
			unwind_came_to_start(table, walk))
			return true;
		*end = UNWIND_NO_CFI;
	} else if (*end == UNWIND_ROOT && !(is_jit && unwind_is_alone(table, walk))) {
		*end = UNWIND_NO_CFI;
	}
	return false;
}
