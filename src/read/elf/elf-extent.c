/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Find the end of a function whose symbol has no size, and the start of one that has no
   symbol, as in hand-written assembly. */

#include "src/read/elf/elf-internal.h"

#include "src/arch/arch-code.h"
#include "src/read/elf/elf-image.h"

enum {
	PIECE_BYTES = 1 << 10, /* of code, read at once */
	SWEEP_BYTES = 1 << 20, /* no function is longer */
};

/* ROOM, limited to where the unwind table says that the function at VADDR ends or another
   one begins. */
static uint64_t room_by_table(struct elf_image *code, uint64_t vaddr, uint64_t room)
{
	uint64_t start, size, rest = room;
	if (elf_image_fde_range(code, vaddr, &start, &size))
		rest = size - (vaddr - start);
	else if (elf_image_next_fde(code, vaddr, &start))
		rest = start - vaddr;
	return rest < room ? rest : room;
}

struct sweep {
	struct elf_image *code;
	uint64_t at, reach; /* the farthest target of a forward branch so far */
	uint64_t limit;
	uint64_t piece; /* where the bytes below are from */
	size_t length;
	unsigned char bytes[PIECE_BYTES];
};

static bool decode(struct sweep *sweep, struct arch_insn *insn)
{
	uint64_t used = sweep->at - sweep->piece;
	if (used >= sweep->length || sweep->length - used < ARCH_INSN_MAX) {
		uint64_t rest = sweep->limit - sweep->at;
		sweep->piece = sweep->at;
		sweep->length = rest < PIECE_BYTES ? (size_t)rest : PIECE_BYTES;
		used = 0;
		if (!elf_image_read(sweep->code, sweep->at, sweep->bytes, sweep->length))
			sweep->length = 0;
	}
	return used < sweep->length &&
	       arch_decode_insn(sweep->bytes + used, sweep->length - used, insn);
}

/* Step over one instruction. False if neither it nor a branch leads to the next one. */
static bool pass(struct sweep *sweep)
{
	struct arch_insn insn;
	if (!decode(sweep, &insn))
		return false;
	sweep->at += insn.length;
	uint64_t target = sweep->at + (uint64_t)(int64_t)insn.target;
	switch ((enum arch_flow)insn.flow) {
	case ARCH_FLOW_NEXT:
	case ARCH_FLOW_CALL:
		return true;
	case ARCH_FLOW_BRANCH:
		if (target > sweep->reach && target < sweep->limit)
			sweep->reach = target;
		return true;
	default:
		return sweep->reach >= sweep->at;
	}
}

/* ROOM, limited to the end of the code: a return or a jump that no branch crosses. */
static uint64_t room_by_code(struct elf_image *code, uint64_t vaddr, uint64_t room)
{
	struct sweep sweep = {.code = code, .at = vaddr, .reach = vaddr, .piece = vaddr};
	sweep.limit = vaddr + (room < SWEEP_BYTES ? room : SWEEP_BYTES);
	while (sweep.at < sweep.limit && pass(&sweep))
		;
	return sweep.at - vaddr;
}

uint64_t elf_extent(
	struct elf_image *code, uint64_t vaddr, uint64_t room, bool others_are_named)
{
	room = room_by_table(code, vaddr, room);
	return others_are_named ? room : room_by_code(code, vaddr, room);
}

uint64_t elf_image_function_start(struct elf_image *image, uint64_t vaddr)
{
	uint64_t start, size, limit;
	if (elf_image_fde_range(image, vaddr, &start, &size))
		return start;
	bool is_used = elf_image_used_start(image, vaddr, &start, &limit);
	return is_used && vaddr - start < room_by_code(image, start, limit - start)
		       ? start
		       : vaddr;
}
