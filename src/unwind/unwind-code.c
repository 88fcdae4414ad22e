/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/unwind/unwind-code.h"

#include "src/arch/arch-code.h"
#include "src/elf/code-names.h"
#include "src/elf/elf-image.h"
#include "src/unwind/unwind-entry.h"
#include "src/unwind/unwind-explore.h"

#include <string.h>

enum {
	WORD = 8,		/* bytes */
	SEARCH_WORDS = 4 << 10, /* of the stack, for a return address */
	SEARCH_NEAR = 256,	/* so many are wanted in any case */
	SEARCH_FAR = 8 << 10,	/* if there is none at all so far */
	ENTRY_INSNS = 64,	/* as many as the code at an entry point may have */
	CALLEE_BYTES = 8 << 10, /* from a function's start to a PC in it */
	FRAME_MAX = 1 << 30,	/* bytes of one */
};

/* Is FRAME that of the code a process begins with, at the file's entry point? */
static bool is_entry_code(
	struct explorer *e, struct elf_image *image, uint64_t bias, struct frame frame)
{
	uint64_t entry = image ? elf_image_entry(image) : 0;
	if (entry == 0)
		return false;
	struct explore_question question = {
		.start = entry + bias,
		.goal = frame.pc,
		.insns = ENTRY_INSNS,
		.is_entry = true,
	};
	struct explore_answer answer = explorer_ask(e, &question);
	return frame.is_activation ? answer.is_reached : answer.is_returned;
}

/* Go's scheduler runs on stacks of its own, which it switches to in these functions:
   below them there is nothing (runtime/asm_amd64.s). Where they are still on the caller's
   stack they have not called anything yet. */
static bool is_stack_switch(const struct elf_symbol *symbol, struct frame frame)
{
	static const char *const names[] = {
		"runtime.asmcgocall",
		"runtime.goexit",
		"runtime.mcall",
		"runtime.morestack",
		"runtime.mstart",
		"runtime.rt0_go",
		"runtime.systemstack",
	};
	if (!symbol || frame.is_activation)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		size_t length = strlen(names[i]);
		if (strncmp(symbol->name, names[i], length) == 0 &&
			(symbol->name[length] == '\0' ||
				strcmp(symbol->name + length, ".abi0") == 0))
			return true;
	}
	return false;
}

/* A function's code; both 0: that is not known. */
struct extent {
	uint64_t first, limit;
};

/* From START, the function's, to PC. */
static struct explore_answer ask_behind(
	struct explorer *e, const struct extent *function, uint64_t pc)
{
	struct explore_question behind = {
		.start = function->first,
		.goal = pc,
		.first = function->first,
		.limit = function->limit + (pc == function->limit),
		.insns = EXPLORE_INSNS,
	};
	return explorer_ask(e, &behind);
}

/* Ask from the PC on to a return, and from the function's start to the PC. */
static struct unwind_row ask_both_ways(
	struct explorer *e, const struct extent *function, uint64_t pc)
{
	struct explore_question ahead = {
		.start = pc,
		.first = function->first,
		.limit = function->limit,
		.insns = EXPLORE_INSNS,
	};
	struct explore_answer answer = explorer_ask(e, &ahead);
	bool is_known = function->limit > 0;
	bool goes_on = !is_known ||
		       pc < ahead.limit; /* a call at the very end does not return */
	struct unwind_row row = {.is_dead_end = goes_on && answer.is_dead_end};
	if (answer.is_found)
		row = answer.row;
	if (!is_known || (answer.is_found && answer.rank == 0))
		return row;
	answer = ask_behind(e, function, pc);
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
	struct extent function;
	if (!image || !elf_image_used_start(image, frame_code(frame) - bias,
			      &function.first, &function.limit))
		return;
	function.first += bias;
	function.limit += bias;
	struct explore_answer answer = ask_behind(e, &function, frame.pc);
	if (!answer.is_found)
		return;
	answer.row.start = function.first;
	answer.row.is_dead_end = row->is_dead_end;
	*other = answer.row;
	if (frame.pc == function.limit) {
		*other = *row;
		*row = answer.row;
	}
}

/* The function that FRAME is in, or NULL. A stub of the PLT is none: it goes on in the
   next one. */
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

/* What the compiler has written down of FRAME, as Go does for its own tracebacks. Which
   registers are saved it does not tell. */
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
		.cfa_offset = (int32_t)bytes + WORD,
		.saved = 1u << arch_pc,
		.lost = arch_preserved & ~(1u << arch_sp),
	};
	row->slots[arch_pc] = -WORD;
}

unsigned unwind_code_rows(struct unwind_walk *walk, const struct region *region,
	struct frame frame, struct unwind_row rows[UNWIND_CODE_ROWS])
{
	uint64_t bias = 0;
	struct elf_image *image = address_space_image(walk->space, region, &bias);
	const struct elf_symbol *symbol = find_symbol(walk, region, frame);
	struct explorer *e = explorer_create(walk, region);
	struct extent function = {0, 0};
	if (symbol) {
		function.first = symbol->vaddr + bias;
		function.limit = function.first + symbol->size;
	}
	rows[0] = (struct unwind_row){
		.is_root = is_stack_switch(symbol, frame) ||
			   is_entry_code(e, image, bias, frame),
	};
	rows[1] = (struct unwind_row){.saved = 0};
	if (!rows[0].is_root) {
		rows[0] = ask_both_ways(e, &function, frame.pc);
		if (!symbol)
			ask_likely_start(e, image, bias, frame, &rows[0], &rows[1]);
		if (!(rows[0].saved & 1u << arch_pc))
			ask_compiler(walk, region, frame, &rows[0]);
	}
	explorer_destroy(e);
	rows[0].is_inferred = rows[1].is_inferred = true;
	rows[0].has_other = rows[1].saved != 0;
	return rows[0].has_other ? 2 : 1;
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
	struct explore_question behind = {
		.start = first,
		.goal = pc,
		.first = first,
		.limit = limit,
		.insns = EXPLORE_INSNS,
	};
	struct explore_answer answer = explorer_ask(e, &behind);
	explorer_destroy(e);
	*row = answer.row;
	row->is_inferred = true;
	return answer.is_found;
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
	return answer.is_found && (registers->known & 1u << row->cfa_register) &&
	       registers->values[row->cfa_register] + (uint64_t)row->cfa_offset ==
		       slot + WORD;
}

/* Leave the frame through the return address at SLOT, with nothing known of others. */
static void leave_through(struct unwind_walk *walk, uint64_t slot, uint64_t return_pc)
{
	walk->registers.known = 1u << arch_pc | 1u << arch_sp;
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
		/* Between this frame and the first return address there is no other. */
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

/* Go makes the first return address of a goroutine by hand: one byte, a nop, into goexit
   (runtime/proc.go, newproc1). */
static bool is_made_by_hand(
	struct unwind_walk *walk, const struct region *region, uint64_t pc)
{
	uint64_t bias;
	struct frame frame = {.pc = pc};
	const struct elf_symbol *symbol = find_symbol(walk, region, frame);
	return symbol && is_stack_switch(symbol, frame) &&
	       address_space_image(walk->space, region, &bias) &&
	       symbol->vaddr + bias == pc - 1;
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
