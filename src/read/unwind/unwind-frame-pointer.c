/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-frame-pointer.h"

/* Step to the caller by the return address at SLOT. If calls do not push it, the caller's stack
   pointer may be anywhere above. */
static bool return_through(struct unwind_walk *walk, uint64_t slot, enum unwind_end *end)
{
	uint64_t pc;
	if (!unwind_walk_stack(walk, slot, &pc)) {
		*end = walk->fault;
		return false;
	}
	walk->registers.values[arch_sp] = slot + sizeof(pc);
	if (!ARCH_CALL_PUSHES)
		walk->registers.known &= ~arch_bit(arch_sp);
	return unwind_walk_return(walk, pc);
}

/* The same just after a call, by the return address where that leaves it. */
static bool return_from_call(struct unwind_walk *walk, enum unwind_end *end)
{
	const struct arch_registers *registers = &walk->registers;
	if (ARCH_CALL_PUSHES)
		return return_through(walk, registers->values[arch_sp], end);
	*end = UNWIND_NO_REGISTER;
	walk->missing = ARCH_RETURN;
	return (registers->known & arch_bit(ARCH_RETURN)) &&
	       unwind_walk_return(walk, registers->values[ARCH_RETURN]);
}

static enum arch_frame frame_state(struct unwind_walk *walk, struct frame frame)
{
	/* A caller has built its frame before the call; only an interrupted frame may be
	   incomplete. */
	const struct region *region =
		frame.is_activation ? address_space_find(walk->space, frame.pc) : NULL;
	return region ? unwind_walk_frame(walk, region, frame.pc) : ARCH_FRAME_BUILT;
}

/* Is ADDRESS in the part of the stack that was cut off? */
static bool beyond_copy(struct unwind_walk *walk, uint64_t address)
{
	uint64_t limit;
	if (!snapshot_is_cut_at(walk->snapshot, address, 2 * sizeof(address), &limit))
		return false;
	const struct region *stack = address_space_find(walk->space, limit - 1);
	return stack && address < stack->limit;
}

bool unwind_frame_pointer_step(
	struct unwind_walk *walk, struct frame frame, enum unwind_end *end)
{
	struct arch_registers *registers = &walk->registers;
	uint64_t sp = registers->values[arch_sp];
	enum arch_frame state = frame_state(walk, frame);
	if (state == ARCH_FRAME_NOT_BUILT)
		return return_from_call(walk, end);
	uint64_t fp = registers->values[arch_fp];
	if (state == ARCH_FRAME_PUSHED) {
		fp = sp;
	} else if (!(registers->known & arch_bit(arch_fp))) {
		*end = UNWIND_NO_REGISTER;
		walk->missing = arch_fp;
		return false;
	} else if (fp == 0) {
		/* The ABI's mark of the first frame. In a leaf it may as well be that the
		   register is used for something else. */
		*end = frame.is_activation ? UNWIND_NO_CFI : UNWIND_ROOT;
		return false;
	}
	uint64_t saved;
	if (fp < sp || !unwind_walk_stack(walk, fp, &saved) ||
		!return_through(walk, fp + sizeof(saved), end)) {
		*end = beyond_copy(walk, fp) ? UNWIND_TRUNCATED : UNWIND_NO_CFI;
		return false;
	}
	registers->values[arch_fp] = saved;
	registers->known |= arch_bit(arch_fp);
	return true;
}

bool unwind_bad_call_step(struct unwind_walk *walk, enum unwind_end *end)
{
	return return_from_call(walk, end);
}

bool unwind_signal_step(struct unwind_walk *walk, enum unwind_end *end)
{
	uint64_t sp = walk->registers.values[arch_sp], nothing;
	const void *context =
		snapshot_stack_at(walk->snapshot, sp, ARCH_SIGNAL_CONTEXT_BYTES);
	if (!context) {
		unwind_walk_stack(walk, sp + ARCH_SIGNAL_CONTEXT_BYTES, &nothing);
		*end = walk->fault;
		return false;
	}
	arch_decode_signal_context(context, &walk->registers);
	return true;
}
