/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-code.h"

#include "src/arch/arch-code.h"
#include "src/read/elf/code-names.h"
#include "src/read/elf/elf-image.h"
#include "src/read/unwind/unwind-explore.h"
#include "src/read/unwind/unwind-switch.h"

#include <string.h>

enum {
	WORD = 8,		/* bytes */
	SEARCH_WORDS = 4 << 10, /* of the stack, for a return address */
	SEARCH_NEAR = 256,	/* so many are wanted in any case */
	SEARCH_FAR = 8 << 10,	/* the same, if none at all was found so far */
	/* instructions that the code at an entry point may have */
	ENTRY_INSNS = 64,
	CALLEE_BYTES = 8 << 10, /* from a function's start to a PC in it */
	FRAME_MAX = 1 << 30,	/* bytes of one */
};

/* Is FRAME that of the code a process begins with, at the file's entry point? */
static bool is_entry_code(
	struct explorer *e, struct elf_image *image, uint64_t bias, struct frame frame)
{
	uint64_t entry = image ? elf_image_entry(image) : 0, start, size;
	if (entry == 0)
		return false;
	/* A table says where it ends, perhaps with a call that does not return. */
	bool is_bounded = elf_image_fde_range(image, entry, &start, &size);
	struct explore_question question = {
		.start = entry + bias,
		.goal = frame.pc,
		.insns = ENTRY_INSNS,
		.is_entry = true,
		.first = is_bounded ? start + bias : 0,
		.limit = is_bounded ? start + size + bias : 0,
	};
	struct explore_answer answer = explorer_ask(e, &question);
	return frame.is_activation ? answer.is_reached : answer.is_returned;
}

/* Explore the function [FIRST, LIMIT) from its start to PC. A PC at LIMIT is in it, too: it
   is behind a call that does not return, with which the function ends. */
static struct explore_answer ask_behind(
	struct explorer *e, uint64_t first, uint64_t limit, uint64_t pc)
{
	struct explore_question behind = {
		.start = first,
		.goal = pc,
		.first = first,
		.limit = limit + (pc == limit),
		.insns = EXPLORE_INSNS,
	};
	return explorer_ask(e, &behind);
}

/* Explore from the PC to a return, and from the function's start to the PC. A way on that
   leads past calls counts only if CALLS_RETURN. */
static struct unwind_row ask_both_ways(struct explorer *e,
	const struct elf_symbol *symbol, uint64_t bias, uint64_t pc, bool calls_return)
{
	struct explore_question ahead = {.start = pc, .insns = EXPLORE_INSNS};
	if (symbol) {
		ahead.first = symbol->vaddr + bias;
		ahead.limit = ahead.first + symbol->size;
	}
	struct explore_answer answer = explorer_ask(e, &ahead);
	bool goes_on =
		!symbol || pc < ahead.limit; /* a call at the very end does not return */
	struct unwind_row row = {.is_dead_end = goes_on && answer.is_dead_end};
	if (answer.is_found && (calls_return || answer.rank == 0))
		row = answer.row;
	if (!symbol || (answer.is_found && answer.rank == 0))
		return row;
	answer = ask_behind(e, ahead.first, ahead.limit, pc);
	if (!answer.is_found)
		return row;
	answer.row.is_dead_end = row.is_dead_end;
	return answer.row;
}

/* ROW is what the code from the PC on tells. What does the code tell that leads to the PC
   from where a function begins, by its use? That is the better answer if the PC is at the
   end of that function, behind a call that does not return. */
static void ask_likely_start(struct explorer *e, struct elf_image *image, uint64_t bias,
	struct frame frame, struct unwind_row *row, struct unwind_row *other)
{
	uint64_t first, limit;
	if (!image ||
		!elf_image_used_start(image, frame_code(frame) - bias, &first, &limit))
		return;
	first += bias;
	limit += bias;
	struct explore_answer answer = ask_behind(e, first, limit, frame.pc);
	if (!answer.is_found)
		return;
	answer.row.start = first;
	answer.row.is_dead_end = row->is_dead_end;
	*other = answer.row;
	if (frame.pc == limit) {
		*other = *row;
		*row = answer.row;
	}
}

/* The symbol of the function that FRAME is in, or NULL. A PLT stub does not count: its
   code goes on in the next stub. */
static const struct elf_symbol *find_symbol(
	struct unwind_walk *walk, const struct region *region, struct frame frame)
{
	uint64_t bias;
	struct code_names *names = address_space_names(walk->space, region, &bias);
	const struct elf_symbol *symbol =
		names ? code_names_symbol(names, frame_code(frame) - bias) : NULL;
	return symbol && symbol->size > 0 && !strstr(symbol->name, "@plt") ? symbol
									   : NULL;
}

/* The size of FRAME by the compiler's own table, which Go writes for its tracebacks. It
   does not say which registers are saved. */
static void ask_compiler(struct unwind_walk *walk, const struct region *region,
	struct frame frame, struct unwind_row *row)
{
	uint64_t bias, bytes;
	struct code_names *names = address_space_names(walk->space, region, &bias);
	if (!names || !code_names_frame(names, frame_code(frame) - bias, &bytes) ||
		bytes > FRAME_MAX)
		return;
	*row = (struct unwind_row){
		.cfa_register = (uint8_t)arch_sp,
		.cfa_offset = (int32_t)bytes + ARCH_CALL_PUSHES,
		.lost = arch_preserved & ~arch_bit(arch_sp),
	};
	/* A register of return addresses is saved at the stack pointer. */
	row->in_register = !ARCH_CALL_PUSHES && bytes == 0;
	row->saved = row->in_register ? 0 : arch_bit(ARCH_RETURN);
	row->slots[ARCH_RETURN] = ARCH_CALL_PUSHES ? -WORD : -(int32_t)bytes;
}

bool unwind_code_bounds(struct unwind_walk *walk, const struct region *region,
	struct frame frame, uint64_t *first, uint64_t *limit, bool *is_named)
{
	uint64_t bias = 0;
	struct elf_image *image = address_space_image(walk->space, region, &bias);
	const struct elf_symbol *symbol = find_symbol(walk, region, frame);
	*is_named = symbol != NULL;
	if (symbol) {
		*first = symbol->vaddr;
		*limit = symbol->vaddr + symbol->size;
	} else if (!image ||
		   !elf_image_used_start(image, frame_code(frame) - bias, first, limit)) {
		return false;
	}
	*first += bias;
	*limit += bias;
	return true;
}

bool unwind_code_row_ahead(struct unwind_walk *walk, const struct region *region,
	uint64_t pc, struct unwind_row *row)
{
	struct explorer *e = explorer_create(walk, region);
	struct explore_question ahead = {.start = pc, .insns = EXPLORE_INSNS};
	struct explore_answer answer = explorer_ask(e, &ahead);
	explorer_destroy(e);
	*row = answer.row;
	row->is_inferred = true;
	return answer.is_found && answer.rank == 0;
}

bool unwind_code_row_behind(struct unwind_walk *walk, const struct region *region,
	uint64_t first, uint64_t limit, uint64_t pc, struct unwind_row *row)
{
	struct explorer *e = explorer_create(walk, region);
	struct explore_answer answer = ask_behind(e, first, limit, pc);
	explorer_destroy(e);
	*row = answer.row;
	row->is_inferred = true;
	return answer.is_found;
}

/* The row of a function that switches stacks and now is on the other one; OWN if that is
   not so. An instruction of its own may run on either: if the code tells where the return
   address is, it is on the caller's. */
static struct unwind_row switch_row(struct unwind_walk *walk, const struct region *region,
	struct frame frame, enum unwind_switch what, const struct unwind_row *own)
{
	struct unwind_row row = {0};
	if (what == UNWIND_SWITCH_NONE ||
		(frame.is_activation && unwind_row_returns(own)))
		return *own;
	if (what == UNWIND_SWITCH_RETURN) {
		uint64_t back = unwind_switch_back(walk, region, frame);
		if (back == 0 && !frame.is_activation && unwind_row_returns(own))
			return *own;
		if (back == 0 || !unwind_code_row_ahead(walk, region, back, &row))
			row = (struct unwind_row){0};
	}
	row.is_root = what == UNWIND_SWITCH_ROOT;
	row.switches = (uint8_t)what;
	return row;
}

unsigned unwind_code_rows(struct unwind_walk *walk, const struct region *region,
	struct frame frame, struct unwind_row rows[UNWIND_CODE_ROWS])
{
	uint64_t bias = 0, pc = frame.pc;
	struct elf_image *image = address_space_image(walk->space, region, &bias);
	const struct elf_symbol *symbol = find_symbol(walk, region, frame);
	struct explorer *e = explorer_create(walk, region);
	struct unwind_row row = {.is_root = is_entry_code(e, image, bias, frame)};
	rows[1] = (struct unwind_row){.saved = 0};
	if (!row.is_root) {
		enum unwind_switch what = unwind_switch_of(symbol);
		row = ask_both_ways(e, symbol, bias, pc, what == UNWIND_SWITCH_NONE);
		row = switch_row(walk, region, frame, what, &row);
		if (!symbol)
			ask_likely_start(e, image, bias, frame, &row, &rows[1]);
	}
	if (!row.is_root && !row.switches && !unwind_row_returns(&row))
		ask_compiler(walk, region, frame, &row);
	explorer_destroy(e);
	rows[0] = row;
	rows[0].is_inferred = rows[1].is_inferred = true;
	rows[0].has_other = unwind_row_returns(&rows[1]);
	return rows[0].has_other ? 2 : 1;
}

/* Does the direct call before RETURN_PC, which lies at SLOT, lead to FRAME's code, and
   with just this frame? */
static bool calls_here(struct unwind_walk *walk, struct explorer *e, struct frame frame,
	uint64_t slot, uint64_t return_pc, struct unwind_row *row)
{
	struct explore_question question = {
		.goal = frame.pc,
		.insns = EXPLORE_INSNS,
	};
	if (!unwind_called_by(walk, return_pc, &question.start) ||
		question.start > frame.pc || frame.pc - question.start > CALLEE_BYTES)
		return false;
	struct explore_answer answer = explorer_ask(e, &question);
	*row = answer.row;
	const struct arch_registers *registers = &walk->registers;
	return answer.is_found && (registers->known & arch_bit(row->cfa_register)) &&
	       registers->values[row->cfa_register] + (uint64_t)row->cfa_offset ==
		       slot + WORD;
}

/* Step to the caller by the return address at SLOT; other registers become unknown. */
static void leave_through(struct unwind_walk *walk, uint64_t slot, uint64_t return_pc)
{
	walk->registers.known = arch_bit(arch_pc) | arch_bit(arch_sp);
	walk->registers.values[arch_pc] = return_pc;
	walk->registers.values[arch_sp] = slot + WORD;
}

static bool is_code(const struct unwind_walk *walk, uint64_t address)
{
	const struct region *region = address_space_find(walk->space, address);
	return region && region->permissions & REGION_EXECUTE;
}

bool unwind_code_search(struct unwind_walk *walk, struct frame frame,
	const struct unwind_code_caller *caller, enum unwind_end *end)
{
	uint64_t sp = arch_get_sp(&walk->registers), return_pc;
	uint64_t stack_top = walk->stack_top;
	const struct region *region = address_space_find(walk->space, frame.pc);
	struct explorer *e = explorer_create(walk, region);
	uint64_t base = sp + unwind_bytes_to_jump(e, frame.pc);
	bool found = false;
	unsigned i = 0;
	*end = UNWIND_ROOT;
	for (; i < SEARCH_FAR && !found && region; i++) {
		uint64_t slot = sp + i * WORD;
		struct unwind_row row;
		if (i >= SEARCH_WORDS && *end != UNWIND_ROOT)
			break;
		if (!unwind_walk_stack(walk, slot, &return_pc)) {
			if (walk->fault == UNWIND_TRUNCATED &&
				(i < SEARCH_NEAR || *end == UNWIND_ROOT))
				*end = UNWIND_TRUNCATED;
			break;
		}
		if (!is_code(walk, return_pc) ||
			!caller->is_return(caller->context, return_pc))
			continue;
		/* No other return address lies between this frame and this one. */
		bool is_first = *end == UNWIND_ROOT;
		*end = UNWIND_NO_CFI;
		const struct unwind_row *jump =
			caller->row_at_jump(caller->context, return_pc);
		if (calls_here(walk, e, frame, slot, return_pc, &row)) {
			found = unwind_row_step(&row, walk, end);
		} else if (jump && base + (uint64_t)jump->cfa_offset == slot + WORD) {
			walk->registers.values[arch_sp] = base;
			found = unwind_row_step(jump, walk, end);
		} else if (is_first &&
			   caller->is_root(caller->context, return_pc, slot + WORD)) {
			leave_through(walk, slot, return_pc);
			found = true;
		}
	}
	explorer_destroy(e);
	/* Not to the end of the stack: there may be one. */
	if (i == SEARCH_FAR && *end == UNWIND_ROOT)
		*end = UNWIND_NO_CFI;
	if (!found) /* it was in vain: no longer copy is needed for it */
		walk->stack_top = stack_top;
	return found;
}

bool unwind_code_is_first(
	struct unwind_walk *walk, const struct region *region, struct frame frame)
{
	return region->inode && unwind_switch_begins(find_symbol(walk, region, frame));
}

/* Go makes the first return address of a goroutine by hand: one instruction, a nop, into goexit
   (runtime/proc.go, newproc1: sys.PCQuantum). */
static bool is_made_by_hand(
	struct unwind_walk *walk, const struct region *region, uint64_t pc)
{
	uint64_t bias;
	struct frame frame = {.pc = pc};
	const struct elf_symbol *symbol = find_symbol(walk, region, frame);
	return symbol && unwind_switch_of(symbol) == UNWIND_SWITCH_ROOT &&
	       address_space_image(walk->space, region, &bias) &&
	       symbol->vaddr + bias == pc - ARCH_INSN_ALIGNMENT;
}

bool unwind_code_is_return(struct unwind_walk *walk, uint64_t pc)
{
	unsigned char before[WORD];
	const struct region *region = address_space_find(walk->space, pc - 1);
	if (!region || !(region->permissions & REGION_EXECUTE))
		return false;
	if (unwind_walk_code(walk, region, pc - sizeof(before), before, sizeof(before)) &&
		arch_ends_with_call(before + sizeof(before), sizeof(before)))
		return true;
	return unwind_walk_frame(walk, region, pc) == ARCH_FRAME_SIGNAL ||
	       is_made_by_hand(walk, region, pc);
}

bool unwind_code_is_made_root(struct unwind_walk *walk, unw_addr_space_t as,
	const struct region *region, struct frame frame)
{
	struct explore_question ahead = {.start = frame.pc, .insns = EXPLORE_INSNS};
	if (frame.is_activation || !region->inode ||
		unwind_code_is_return(walk, frame.pc) ||
		!unwind_walk_function(walk, as, frame.pc, &ahead.first, &ahead.limit))
		return false;
	struct explorer *e = explorer_create(walk, region);
	struct explore_answer answer = explorer_ask(e, &ahead);
	explorer_destroy(e);
	return answer.is_dead_end;
}

bool unwind_code_is_start(struct unwind_walk *walk, uint64_t pc)
{
	uint64_t bias, start, size;
	struct frame frame = {.pc = pc, .is_activation = true};
	const struct region *region = address_space_find(walk->space, pc);
	const struct elf_symbol *symbol =
		region ? find_symbol(walk, region, frame) : NULL;
	struct elf_image *image =
		symbol ? address_space_image(walk->space, region, &bias) : NULL;
	return image && symbol->vaddr == pc - bias &&
	       !elf_image_fde_range(image, pc - bias, &start, &size);
}
