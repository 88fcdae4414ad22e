/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-guess.h"

#include "src/arch/arch-code.h"
#include "src/read/unwind/unwind-arrival.h"
#include "src/read/unwind/unwind-explore.h"
#include "src/read/unwind/unwind-frame-pointer.h"
#include "src/read/unwind/unwind-row.h"

enum {
	WORD = 8, /* bytes */
	/* A frame is aligned so that a callee can use vector registers (System V ABI
	   AMD64, 3.2.2), and the frame pointer two words below its end, too. */
	ALIGNMENT = 16,
	SEARCH_BYTES = 32 << 10,
	CALL_BYTES = 8,
	PLT_BYTES = 16,
	CALLER_BYTES = 512, /* of a function that may end with a tail call */
};

/* Where a stub of the PLT at PC leads, else PC itself. 0 if that cannot be read, as of a
   process that has ended. */
static uint64_t past_stub(struct unwind_walk *walk, uint64_t pc)
{
	unsigned char code[PLT_BYTES];
	struct arch_plt plt;
	uint64_t target;
	const struct region *region = address_space_find(walk->space, pc);
	if (region && unwind_walk_code(walk, region, pc, code, sizeof(code)) &&
		arch_plt_entry(code, sizeof(code), pc, &plt) && plt.has_slot)
		return address_space_read(walk->space, plt.slot, &target,
			       sizeof(target)) == sizeof(target)
			       ? target
			       : 0;
	return pc;
}

/* Does the function at PC end with a jump to FIRST? */
static bool is_tail_caller(const struct unwind_guess *guess, uint64_t pc)
{
	struct unwind_walk *walk = guess->walk;
	uint64_t start, limit;
	unsigned char code[CALLER_BYTES];
	const struct region *region = address_space_find(walk->space, pc);
	if (!region || !unwind_table_function(guess->table, walk, pc, &start, &limit) ||
		start != pc || limit - start > sizeof(code) ||
		!unwind_walk_code(walk, region, start, code, limit - start))
		return false;
	struct arch_insn insn;
	for (size_t at = 0; at < limit - start; at += insn.length) {
		if (!arch_decode_insn(code + at, limit - start - at, &insn))
			return false;
		uint64_t next = start + at + insn.length;
		uint64_t target = next + (uint64_t)(int64_t)insn.target;
		if ((insn.flow == ARCH_FLOW_JUMP || insn.flow == ARCH_FLOW_BRANCH) &&
			past_stub(walk, target) == guess->first)
			return true;
	}
	return false;
}

enum callee {
	THIS,
	ANOTHER,
	ANY, /* called through a pointer, or that is not known */
};

/* What does the call before RETURN_PC call? */
static enum callee callee_of(const struct unwind_guess *guess, uint64_t return_pc)
{
	unsigned char call[CALL_BYTES];
	int32_t distance;
	struct unwind_walk *walk = guess->walk;
	const struct region *region = address_space_find(walk->space, return_pc - 1);
	if (!region ||
		!unwind_walk_code(
			walk, region, return_pc - sizeof(call), call, sizeof(call)) ||
		!arch_called(call + sizeof(call), &distance))
		return ANY;
	uint64_t target = past_stub(walk, return_pc + (uint64_t)(int64_t)distance);
	if (target == guess->first || is_tail_caller(guess, target))
		return THIS;
	return target ? ANOTHER : ANY;
}

/* May what lies at PLACE be the caller's frame pointer? If a direct call led here, it may
   be anything, as the caller can use that register for something else. */
static bool is_plausible(struct unwind_walk *walk, uint64_t place)
{
	uint64_t word;
	if (!unwind_walk_stack(walk, place, &word))
		return false;
	return word == 0 ||
	       (word > place && word % WORD == 0 &&
		       snapshot_stack_at(walk->snapshot, word, 2 * WORD) != NULL);
}

void unwind_guess_begin(struct unwind_guess *guess, struct unwind_walk *walk,
	struct unwind_table *table, uint64_t pc)
{
	uint64_t limit, sp = arch_get_sp(&walk->registers);
	*guess = (struct unwind_guess){
		.walk = walk,
		.table = table,
		.at = (sp + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1),
		.limit = sp + SEARCH_BYTES,
	};
	guess->is_done = !unwind_table_function(table, walk, pc, &guess->first, &limit);
}

bool unwind_guess_next(struct unwind_guess *guess, uint64_t *frame_pointer)
{
	while (!guess->is_done && guess->at < guess->limit) {
		uint64_t return_pc, place = guess->at;
		guess->at += ALIGNMENT;
		if (!unwind_walk_stack(guess->walk, place + WORD, &return_pc))
			break;
		if (!unwind_table_is_return(guess->table, guess->walk, return_pc))
			continue;
		enum callee callee = callee_of(guess, return_pc);
		if (!guess->is_begun && callee == ANY && is_plausible(guess->walk, place))
			guess->pointer_call = place;
		guess->is_begun = true;
		*frame_pointer = place;
		if (callee == THIS)
			return true;
	}
	*frame_pointer = guess->pointer_call;
	bool is_one = !guess->is_done && guess->pointer_call;
	guess->is_done = true;
	return is_one;
}

/* Is the call before RETURN_PC one through a pointer? */
static bool is_pointer_call(struct unwind_walk *walk, uint64_t return_pc)
{
	unsigned char call[CALL_BYTES];
	int32_t distance;
	const struct region *region = address_space_find(walk->space, return_pc - 1);
	return region &&
	       unwind_walk_code(
		       walk, region, return_pc - sizeof(call), call, sizeof(call)) &&
	       !arch_called(call + sizeof(call), &distance);
}

bool unwind_guess_entry(
	struct unwind_walk *walk, struct unwind_table *table, uint64_t *slot)
{
	uint64_t sp = arch_get_sp(&walk->registers);
	for (; *slot < sp + SEARCH_BYTES; *slot += WORD) {
		struct frame frame = {.pc = 0};
		if (!unwind_walk_stack(walk, *slot, &frame.pc))
			return false;
		if (!unwind_table_is_return(table, walk, frame.pc) ||
			unwind_is_anonymous(walk, frame))
			continue;
		const struct unwind_row *jump =
			unwind_table_row_at_jump(table, walk, frame.pc);
		if (jump ? sp + (uint64_t)jump->cfa_offset <= *slot + WORD
			 : is_pointer_call(walk, frame.pc))
			return true;
	}
	return false;
}

/* --- functions that go to a handler -------------------------------------------------- */

/* May the call before RETURN_PC have led to the function that begins at FIRST, by its name:
   directly, or by a function that jumps there, or through the PLT or the GOT? */
static bool may_call(struct unwind_walk *walk, struct unwind_table *table,
	uint64_t return_pc, uint64_t first)
{
	struct unwind_guess guess = {.walk = walk, .table = table, .first = first};
	unsigned char call[CALL_BYTES];
	int32_t distance;
	uint64_t target;
	enum callee callee = callee_of(&guess, return_pc);
	const struct region *region = address_space_find(walk->space, return_pc - 1);
	if (callee != ANY || !region ||
		!unwind_walk_code(
			walk, region, return_pc - sizeof(call), call, sizeof(call)) ||
		!arch_called_slot(call + sizeof(call), &distance))
		return callee == THIS ||
		       (callee == ANY && unwind_called_by(walk, return_pc, &target));
	uint64_t slot = return_pc + (uint64_t)(int64_t)distance;
	return address_space_read(walk->space, slot, &target, sizeof(target)) !=
		       sizeof(target) ||
	       target == first;
}

bool unwind_goes_to_handler(const struct unwind_row *row)
{
	return (row->saved & arch_handler_arguments) == arch_handler_arguments;
}

bool unwind_handler_step(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, const struct unwind_row *row, enum unwind_end *end)
{
	struct arch_registers before = walk->registers;
	uint64_t first, limit;
	if (!unwind_row_step(row, walk, end))
		return false;
	if (!unwind_table_function(table, walk, frame_code(frame), &first, &limit) ||
		may_call(walk, table, arch_get_pc(&walk->registers), first))
		return true;
	walk->registers = before;
	*end = UNWIND_NO_CFI;
	return false;
}

/* --- expressions --------------------------------------------------------------------- */

bool unwind_expression_step(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, const struct unwind_rule *rule, unw_addr_space_t as,
	enum unwind_end *end)
{
	struct unwind_guess guess = {.walk = walk, .table = table};
	struct arch_registers before = walk->registers;
	enum unwind_end ignored;
	uint64_t limit;
	walk->image = rule->image;
	walk->index = NULL;
	walk->bias = rule->bias;
	if (!unwind_state_step(rule->state, as, walk, end))
		return false;
	if (frame.is_activation ||
		!unwind_table_function(
			table, walk, frame_code(frame), &guess.first, &limit) ||
		callee_of(&guess, arch_get_pc(&walk->registers)) != ANOTHER)
		return true;
	struct arch_registers told = walk->registers;
	walk->registers = before;
	if (!unwind_frame_pointer_step(walk, frame, &ignored) ||
		callee_of(&guess, arch_get_pc(&walk->registers)) != THIS)
		walk->registers = told;
	return true;
}
