/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-arrival.h"

#include "src/read/unwind/unwind-code.h"
#include "src/read/unwind/unwind-frame-pointer.h"

enum {
	ABOVE_WORDS = 8 << 10, /* of the stack, for a return address */
	LINKS = 2,	       /* in a row are no chance */
};

struct search {
	struct unwind_table *table;
	struct unwind_walk *walk;
};

static bool is_return(void *context, uint64_t pc)
{
	struct search *search = context;
	return unwind_table_is_return(search->table, search->walk, pc);
}

static const struct unwind_row *row_at_jump(void *context, uint64_t pc)
{
	struct search *search = context;
	return unwind_table_row_at_jump(search->table, search->walk, pc);
}

/* The first return address above WALK's stack pointer. False if there is none, and *END
   says why no more was looked at: UNWIND_ROOT if there was no more. */
static bool find_return(
	struct unwind_table *table, struct unwind_walk *walk, enum unwind_end *end)
{
	uint64_t slot = arch_get_sp(&walk->registers), word;
	uint64_t stack_top = walk->stack_top;
	bool found = false;
	*end = UNWIND_NO_CFI;
	for (unsigned i = 0; i < ABOVE_WORDS && !found; i++, slot += sizeof(word)) {
		if (!unwind_walk_stack(walk, slot, &word)) {
			*end = walk->fault == UNWIND_TRUNCATED ? UNWIND_TRUNCATED
							       : UNWIND_ROOT;
			break;
		}
		found = unwind_table_is_return(table, walk, word);
	}
	walk->stack_top = stack_top; /* no longer copy is needed for that */
	return found;
}

bool unwind_has_return_above(struct unwind_table *table, struct unwind_walk *walk)
{
	enum unwind_end end;
	return find_return(table, walk, &end);
}

bool unwind_is_alone(struct unwind_table *table, struct unwind_walk *walk)
{
	enum unwind_end end;
	return !find_return(table, walk, &end) && end == UNWIND_ROOT;
}

/* Did nobody call the frame that PC returns to, whose stack pointer is SP? */
static bool is_root(void *context, uint64_t pc, uint64_t sp)
{
	struct search *search = context;
	struct frame frame = {.pc = pc};
	struct unwind_rule rule = unwind_table_find(search->table, search->walk, frame);
	if (rule.kind != UNWIND_RULE_ROW || !rule.row->is_inferred)
		return false;
	if (rule.row->is_root || !rule.row->is_dead_end)
		return rule.row->is_root;
	struct unwind_walk above = *search->walk;
	above.registers.values[arch_sp] = sp;
	return unwind_is_alone(search->table, &above);
}

bool unwind_search_step(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, enum unwind_end *end)
{
	struct search search = {table, walk};
	*end = UNWIND_NO_CFI;
	if (!ARCH_CALL_PUSHES) /* so the slot of one does not tell how large the frame is */
		return false;
	struct unwind_code_caller caller = {&search, is_return, row_at_jump, is_root};
	return unwind_code_search(walk, frame, &caller, end);
}

/* --- where it arrived --------------------------------------------------------------- */

bool unwind_is_marked_first(const struct unwind_walk *walk)
{
	const struct arch_registers *registers = &walk->registers;
	return (registers->known & arch_bit(arch_fp)) && registers->values[arch_fp] == 0;
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
		!(registers->known & arch_bit(arch_fp)) || fp < arch_get_sp(registers) ||
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
	walk->is_entered = (registers->known & arch_bit(arch_fp)) &&
			   fp >= arch_get_sp(registers) &&
			   unwind_code_is_start(walk, arch_get_pc(registers)) &&
			   unwind_walk_stack(walk, fp + sizeof(fp), &next.pc) &&
			   (unwind_is_anonymous(walk, next) ||
				   unwind_table_is_return(table, walk, next.pc) ||
				   unwind_code_is_start(walk, next.pc));
	return walk->is_entered;
}

void unwind_count_link(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, const struct arch_registers *before)
{
	const struct arch_registers *registers = &walk->registers;
	uint64_t place = before->values[arch_fp], saved, return_pc;
	bool is_link = (before->known & registers->known & arch_bit(arch_fp)) &&
		       unwind_is_anonymous(walk, frame) &&
		       unwind_walk_stack(walk, place, &saved) &&
		       unwind_walk_stack(walk, place + sizeof(place), &return_pc) &&
		       saved == registers->values[arch_fp] &&
		       return_pc == arch_get_pc(registers);
	if (!is_link)
		walk->links = 0;
	else if (unwind_table_is_return(table, walk, return_pc))
		walk->links++;
}

bool unwind_is_linked(const struct unwind_walk *walk)
{
	return walk->links >= LINKS;
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
	} else if (*end == UNWIND_ROOT &&
		   !(is_jit &&
			   (unwind_is_linked(walk) || unwind_is_alone(table, walk)))) {
		*end = UNWIND_NO_CFI;
	}
	return false;
}

static bool follow_told(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, const struct unwind_row *row, enum unwind_end *end)
{
	struct arch_registers before = walk->registers;
	if (unwind_row_step(row, walk, end)) {
		struct frame caller = {.pc = arch_get_pc(&walk->registers)};
		if ((!row->is_registered && unwind_is_anonymous(walk, caller)) ||
			unwind_came_from_call(table, walk, frame))
			return true;
		unwind_walk_note_miss(walk);
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
