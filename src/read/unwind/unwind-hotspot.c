/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-hotspot.h"

#include "src/arch/arch-code.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/read/runtimes/hotspot/hotspot-code.h"
#include "src/read/runtimes/hotspot/hotspot-machine.h"
#include "src/read/unwind/unwind-code.h"

#include <stdlib.h>

#define LOOK_AGAIN_NS (NS_PER_SEC / 2)

enum {
	WORD = 8,
	/* Of the interpreter's frames, below the return address and the caller's frame
	   pointer (frame_x86.hpp, frame_aarch64.hpp: interpreter_frame_sender_sp_offset). */
	SENDER_SP_SLOT = -3 * WORD,
	/* The same, from the frame pointer on: interpreter_frame_method_offset, and
	   interpreter_frame_bcp_offset since JDK 9 and before. */
	METHOD_SLOT = -3 * WORD,
	MIRROR_SLOT = ARCH_JAVA_MIRROR * WORD, /* since JDK 9 */
	BYTECODE_SLOT = ARCH_JAVA_BYTECODE * WORD,
	BYTECODE_SLOT_8 = -7 * WORD,
	/* rbcp, while the frame is the innermost */
	BYTECODE_REGISTER = ARCH_JAVA_BYTECODE_REGISTER,
	/* How far up the frame is searched above which a virtual thread's frames lie. */
	CONTINUATION_ABOVE = 1024 * WORD,
	INTERPRETED_ABOVE = 8 * WORD,
};

struct unwind_hotspot {
	struct hotspot_machine machine;
	struct hotspot *code;		   /* NULL: its records are not known */
	struct hotspot_monitors *monitors; /* NULL: nobody has asked, or there are none */
	bool is_asked;
	uint64_t
		looked_ns; /* when CODE was last searched without success; 0: not lately */
};

struct unwind_hotspot *unwind_hotspot_create(void)
{
	return mem_zalloc(sizeof(struct unwind_hotspot));
}

static void forget(struct unwind_hotspot *hotspot)
{
	hotspot_destroy(hotspot->code);
	hotspot->code = NULL;
	hotspot_monitors_destroy(hotspot->monitors);
	hotspot->monitors = NULL;
	hotspot->is_asked = false;
	hotspot->looked_ns = 0;
}

void unwind_hotspot_destroy(struct unwind_hotspot *hotspot)
{
	if (!hotspot)
		return;
	forget(hotspot);
	hotspot_machine_finish(&hotspot->machine);
	free(hotspot);
}

struct hotspot_monitors *unwind_hotspot_monitors(struct unwind_hotspot *hotspot)
{
	if (!hotspot->code)
		return NULL;
	struct target_memory memory = address_space_memory(hotspot->machine.space);
	if (!hotspot->is_asked)
		hotspot->monitors =
			hotspot_monitors_create(&memory, hotspot->machine.addresses);
	hotspot->is_asked = true;
	return hotspot->monitors;
}

/* Is there a virtual machine whose records are known? If it has only just started, they are
   searched again a while later. */
static bool is_ready(struct unwind_hotspot *hotspot, const struct unwind_walk *walk)
{
	uint64_t now_ns = walk->snapshot->time_ns;
	hotspot->machine.space = walk->space;
	if (hotspot_machine_look(&hotspot->machine))
		forget(hotspot);
	if (hotspot->code || !hotspot_machine_is_there(&hotspot->machine) ||
		(hotspot->looked_ns && now_ns - hotspot->looked_ns < LOOK_AGAIN_NS))
		return hotspot->code != NULL;
	struct target_memory memory = address_space_memory(hotspot->machine.space);
	hotspot->looked_ns = now_ns;
	hotspot->code = hotspot_create(&memory, hotspot->machine.addresses);
	return hotspot->code != NULL;
}

/* --- rows ----------------------------------------------------------------------------- */

/* The return address and the caller's frame pointer are the last words below the CFA.
   Java code preserves no other register across a call. */
static struct unwind_row told_row(unsigned reg, int32_t offset)
{
	struct unwind_row row = {
		.is_told = true,
		.cfa_register = (uint8_t)reg,
		.cfa_offset = offset,
		.saved = arch_bit(ARCH_RETURN) | arch_bit(arch_fp),
		.lost = arch_preserved & ~(arch_bit(arch_sp) | arch_bit(arch_fp)),
	};
	row.slots[ARCH_RETURN] = -WORD;
	row.slots[arch_fp] = -2 * WORD;
	return row;
}

/* The row for code that has not built its frame yet. */
static struct unwind_row frameless_row(void)
{
	struct unwind_row row = told_row(arch_sp, ARCH_CALL_PUSHES);
	row.saved = ARCH_CALL_PUSHES ? arch_bit(ARCH_RETURN) : 0;
	row.in_register = !ARCH_CALL_PUSHES;
	return row;
}

/* The row for compiled code that was interrupted: it may have removed its frame before
   its return, or may not have built it yet. */
static struct unwind_row interrupted_row(struct unwind_walk *walk,
	const struct region *region, uint64_t pc, const struct hotspot_code *code)
{
	struct unwind_row row;
	if (unwind_code_row_ahead(walk, region, pc, &row))
		return row;
	if (pc >= code->complete)
		return told_row(arch_sp, (int32_t)code->frame_bytes);
	if (unwind_code_row_behind(walk, region, code->start, code->limit, pc, &row))
		return row;
	return frameless_row();
}

/* Does the call before RETURN_PC lead to CODE? */
static bool leads_to(struct unwind_walk *walk, const struct region *region,
	uint64_t return_pc, const struct hotspot_code *code)
{
	unsigned char call[WORD];
	int32_t distance;
	return unwind_walk_code(
		       walk, region, return_pc - sizeof(call), call, sizeof(call)) &&
	       arch_called(call + sizeof(call), &distance) &&
	       return_pc + (uint64_t)(int64_t)distance - code->start <
		       code->limit - code->start;
}

/* Is RETURN_PC, found ABOVE the nearest possible place, the return address of a call to
   CODE? A call of the interpreter cannot be distinguished from others. */
static bool is_called_from(struct unwind_hotspot *hotspot, struct unwind_walk *walk,
	uint64_t return_pc, int32_t above, const struct hotspot_code *code)
{
	struct hotspot_code caller;
	const struct region *region = address_space_find(walk->space, return_pc - 1);
	if (!region || region->inode || !(region->permissions & REGION_EXECUTE))
		return false;
	if (leads_to(walk, region, return_pc, code))
		return true;
	return above < INTERPRETED_ABOVE &&
	       hotspot_find_code(hotspot->code, return_pc - 1, &caller) &&
	       caller.kind == HOTSPOT_INTERPRETER;
}

/* The row for a frame in the stubs that copy the frames of a virtual thread to the stack:
   either a stub whose address replaces the return address into frames that are not on the
   stack yet, or one that is running. Above all frames of the thread is a frame of
   Continuation.enterSpecial. It is at the stack pointer, or above arguments, or above the
   room that is made for more frames. */
static bool continuation_row(
	struct unwind_hotspot *hotspot, struct unwind_walk *walk, struct unwind_row *row)
{
	struct hotspot_code base;
	uint64_t sp = arch_get_sp(&walk->registers), return_pc;
	uint64_t pc = hotspot_continuation_pc(hotspot->code);
	if (!pc || !hotspot_find_code(hotspot->code, pc - 1, &base) ||
		base.kind != HOTSPOT_FRAME)
		return false;
	for (int32_t above = 0; above < CONTINUATION_ABOVE; above += WORD) {
		int32_t offset = above + (int32_t)base.frame_bytes;
		if (!unwind_walk_stack(walk, sp + (uint64_t)offset - WORD, &return_pc))
			return false;
		if (!is_called_from(hotspot, walk, return_pc, above, &base))
			continue;
		*row = told_row(arch_sp, offset);
		row->is_parked = true;
		return true;
	}
	return false;
}

/* The row for a stub that calls, as the one by which C++ calls Java. It has a frame pointer; where
   that does not lie just below the caller's frame by itself, these begin with it
   (MacroAssembler::enter). */
static bool stub_row(struct frame frame, struct unwind_row *row)
{
	*row = told_row(arch_fp, 2 * WORD);
	return !ARCH_CALL_PUSHES && !frame.is_activation;
}

bool unwind_hotspot_row(struct unwind_hotspot *hotspot, struct unwind_walk *walk,
	const struct region *region, struct frame frame, struct unwind_row *row)
{
	struct hotspot_code code;
	uint32_t bytes;
	if (!is_ready(hotspot, walk) ||
		!hotspot_find_code(hotspot->code, frame_code(frame), &code))
		return false;
	switch (code.kind) {
	case HOTSPOT_FRAME:
		if (frame.is_activation) {
			*row = interrupted_row(walk, region, frame.pc, &code);
			return true;
		}
		*row = told_row(arch_sp, (int32_t)code.frame_bytes);
		row->is_given_up =
			hotspot_is_given_up(hotspot->code, &code, frame.pc, &bytes);
		return true;
	case HOTSPOT_INTERPRETER:
		if (frame.is_activation &&
			unwind_walk_frame(walk, region, frame.pc) != ARCH_FRAME_BUILT)
			return false;
		*row = told_row(arch_fp, 2 * WORD);
		row->sp_slot = SENDER_SP_SLOT;
		row->is_interpreted = true;
		return true;
	case HOTSPOT_DISPATCH:
		*row = frameless_row();
		return frame.is_activation;
	case HOTSPOT_CONTINUATION:
		return continuation_row(hotspot, walk, row);
	case HOTSPOT_OTHER:
		return stub_row(frame, row);
	}
	return false;
}

void unwind_hotspot_interpreted(const struct unwind_hotspot *hotspot,
	struct unwind_walk *walk, struct frame *frame)
{
	const struct arch_registers *now = &walk->registers;
	int32_t slot = hotspot->code && hotspot_is_8(hotspot->code) ? BYTECODE_SLOT_8
								    : BYTECODE_SLOT;
	bool is_8 = slot == BYTECODE_SLOT_8;
	uint64_t fp = now->values[arch_fp];
	if (!(now->known & arch_bit(arch_fp)) || fp + (uint64_t)slot < arch_get_sp(now) ||
		!unwind_walk_stack(walk, fp + (uint64_t)METHOD_SLOT, &frame->method) ||
		!unwind_walk_stack(walk, fp + (uint64_t)slot, &frame->bytecodes[1]))
		frame->method = 0;
	if (is_8 || !unwind_walk_stack(walk, fp + (uint64_t)MIRROR_SLOT, &frame->mirror))
		frame->mirror = 0;
	if (frame->is_activation && now->known & arch_bit(BYTECODE_REGISTER))
		frame->bytecodes[0] = now->values[BYTECODE_REGISTER];
}

/* The code that PC is a handler of, and where above the stack pointer its return address is kept. */
static bool find_given_up(const struct unwind_hotspot *hotspot, uint64_t pc,
	struct hotspot_code *code, uint32_t *bytes)
{
	return hotspot->code && hotspot_find_code(hotspot->code, pc, code) &&
	       hotspot_is_given_up(hotspot->code, code, pc, bytes);
}

bool unwind_hotspot_is_return(
	const struct unwind_hotspot *hotspot, struct unwind_walk *walk, uint64_t pc)
{
	struct hotspot_code code;
	uint32_t bytes;
	const struct region *region = address_space_find(walk->space, pc);
	return region && !region->inode && (region->permissions & REGION_EXECUTE) &&
	       find_given_up(hotspot, pc, &code, &bytes);
}

void unwind_hotspot_given_up(const struct unwind_hotspot *hotspot,
	struct unwind_walk *walk, struct frame *frame)
{
	struct hotspot_code code;
	uint32_t bytes;
	uint64_t pc;
	if (find_given_up(hotspot, frame->pc, &code, &bytes) &&
		unwind_walk_stack(walk, arch_get_sp(&walk->registers) + bytes, &pc) &&
		pc > code.start && pc < code.limit)
		frame->pc = pc;
}
