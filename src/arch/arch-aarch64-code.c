/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/arch/arch-code.h"

#include "src/arch/arch-aarch64-words.h"

enum {
	SP = 31,
	LINK = 30,
};

/* In DWARF's numbers. A handler gets its arguments in x0 to x3; but the dynamic linker's resolver saves
   these, too, so no function is known by them. A call preserves x19 to x29: Procedure Call
   Standard, 6.1.1. */
const arch_set arch_handler_arguments = (arch_set)1 << 32; /* the PC: no table saves it */
const arch_set arch_preserved = (arch_set)0xfff << 19;

/* --- the parts of an instruction --------------------------------------------------- */

static unsigned destination(uint32_t word)
{
	return word & 31;
}

static unsigned base(uint32_t word)
{
	return word >> 5 & 31;
}

/* Register 31 is SP here. */
static void sets(struct arch_insn *insn, unsigned reg, unsigned from, int32_t offset)
{
	insn->effect = ARCH_EFFECT_SET;
	insn->reg = (uint8_t)reg;
	insn->base = (uint8_t)from;
	insn->offset = offset;
}

/* REG has an unknown value now; 31 is the one that is always 0. */
static void changes(struct arch_insn *insn, unsigned reg)
{
	if (reg < SP)
		sets(insn, reg, ARCH_NO_REG, 0);
}

static void leads(struct arch_insn *insn, enum arch_flow flow, int32_t words)
{
	insn->flow = (uint8_t)flow;
	insn->is_direct = true;
	insn->target = words * 4 - 4; /* it counts from the instruction itself */
	if (flow == ARCH_FLOW_CALL)
		changes(insn, LINK);
}

/* --- classes of instructions ------------------------------------------------------- */

static void branches_and_system(struct arch_insn *insn, uint32_t word)
{
	unsigned kind;
	if ((word & 0x7c000000) == 0x14000000) {
		leads(insn, word >> 31 ? ARCH_FLOW_CALL : ARCH_FLOW_JUMP,
			a64_signed(word, 0, 26));
	} else if ((word & 0xff000000) == 0x54000000 ||
		   (word & 0x7e000000) == 0x34000000) {
		leads(insn, ARCH_FLOW_BRANCH, a64_signed(word, 5, 19));
	} else if ((word & 0x7e000000) == 0x36000000) {
		leads(insn, ARCH_FLOW_BRANCH, a64_signed(word, 5, 14));
	} else if (a64_is_jump(word, &kind)) {
		if (kind == A64_CALL) {
			insn->flow = ARCH_FLOW_CALL;
			changes(insn, LINK);
		} else {
			insn->flow = kind == A64_RETURN	     ? ARCH_FLOW_RETURN
				     : a64_is_plt_jump(word) ? ARCH_FLOW_SLOT
							     : ARCH_FLOW_INDIRECT;
		}
	} else if ((word & 0xff000000) == 0xd4000000) {
		insn->is_syscall = word == (uint32_t)ARCH_CALL_CODE;
		if ((word & 3) == 0) /* brk, hlt */
			insn->flow = ARCH_FLOW_STOP;
		else
			changes(insn, 0);
	} else if ((word & 0xfff00000) == 0xd5300000) { /* mrs */
		changes(insn, destination(word));
	}
}

static void with_immediate(struct arch_insn *insn, uint32_t word)
{
	unsigned to = destination(word), from = base(word);
	bool is_wide = word >> 31, sets_flags = word >> 29 & 1;
	switch (word >> 23 & 7) {
	case 0: /* adr, adrp */
	case 1:
		changes(insn, to);
		insn->has_reference = !(word >> 31);
		insn->reference =
			insn->has_reference ? (int32_t)a64_address_offset(word) - 4 : 0;
		break;
	case 2: { /* add, sub */
		int32_t offset = (int32_t)(word >> 10 & 0xfff)
				 << (word >> 22 & 1 ? 12 : 0);
		if (sets_flags)
			changes(insn, to);
		else
			sets(insn, to, is_wide ? from : ARCH_NO_REG,
				word >> 30 & 1 ? -offset : offset);
		break;
	}
	case 4: /* and, orr, eor; ands */
		if ((word >> 29 & 3) == 3)
			changes(insn, to);
		else
			sets(insn, to, ARCH_NO_REG, 0);
		break;
	default:
		changes(insn, to);
	}
}

static void with_registers(struct arch_insn *insn, uint32_t word)
{
	unsigned to = destination(word);
	if ((word & 0x1fe00000) == 0x1a400000) /* ccmp: it has flags there */
		return;
	if ((word & 0xffe0ffe0) == 0xaa0003e0 && to != SP) /* mov */
		sets(insn, to, word >> 16 & 31, 0);
	else if ((word & 0x3fe00000) == 0x0b200000) /* add, sub of SP */
		sets(insn, to, ARCH_NO_REG, 0);
	else
		changes(insn, to);
	if (insn->base == SP) /* it is the one that is always 0 */
		insn->base = ARCH_NO_REG;
}

/* INSN accesses memory at its base plus OFFSET, which is added to the base before, behind, or not
   at all. */
static void accesses(
	struct arch_insn *insn, uint32_t word, int32_t offset, unsigned index)
{
	enum {
		BEHIND = 1,
		BEFORE = 3
	};
	insn->base = (uint8_t)base(word);
	insn->offset = index == BEHIND ? 0 : offset;
	if (index == BEHIND || index == BEFORE)
		insn->moved = (int16_t)offset;
}

/* REG is loaded or stored; 31 is no register here. */
static uint8_t transferred(unsigned reg)
{
	return reg < SP ? (uint8_t)reg : ARCH_NO_REG;
}

/* ldp, stp */
static void pair(struct arch_insn *insn, uint32_t word)
{
	bool is_load = word >> 22 & 1, is_vector = word >> 26 & 1;
	unsigned size = word >> 30, first = destination(word), second = word >> 10 & 31;
	unsigned scale = is_vector ? 2 + size : size == 2 ? 3 : 2;
	int32_t offset = a64_signed(word, 15, 7) * (1 << scale);
	bool is_whole = !is_vector && size == 2;
	insn->effect = is_load ? ARCH_EFFECT_LOAD : ARCH_EFFECT_STORE;
	accesses(insn, word, offset, word >> 23 & 3);
	if (is_vector)
		return;
	/* Parts of registers: what they are is not known. */
	insn->reg = is_whole || is_load ? transferred(first) : ARCH_NO_REG;
	insn->reg2 = is_whole || is_load ? transferred(second) : ARCH_NO_REG;
}

/* ldr, str and their like */
static void single(struct arch_insn *insn, uint32_t word)
{
	bool is_vector = word >> 26 & 1, is_unsigned = word >> 24 & 1;
	unsigned size = word >> 30, kind = word >> 22 & 3, index = word >> 10 & 3;
	bool is_load = is_vector ? kind & 1 : kind != 0;
	unsigned scale = is_vector && (kind & 2) ? 4 : size;
	bool is_far = !is_unsigned && (word >> 21 & 1); /* by a register; atomic */
	insn->effect = is_load ? ARCH_EFFECT_LOAD : ARCH_EFFECT_STORE;
	if (is_far) {
		insn->effect = ARCH_EFFECT_NONE;
		if (!is_vector && (is_load || index == 0))
			changes(insn, destination(word));
		return;
	}
	if (is_unsigned)
		accesses(insn, word, (int32_t)(word >> 10 & 0xfff) << scale, 0);
	else
		accesses(insn, word, a64_signed(word, 12, 9), index);
	if (!is_vector && (size == 3 || is_load))
		insn->reg = transferred(destination(word));
}

static void memory(struct arch_insn *insn, uint32_t word)
{
	unsigned group = word >> 28 & 3;
	if (word >> 26 & 1 && group == 0) { /* vectors */
		if (word >> 23 & 1)
			sets(insn, base(word), ARCH_NO_REG, 0);
	} else if (group == 0) { /* exclusive */
		changes(insn, word >> 22 & 1 ? destination(word) : word >> 16 & 31);
	} else if (group == 1) {
		/* near the PC; or tags, and those with an offset of 9 bits */
		if (!(word >> 26 & 1))
			changes(insn, destination(word));
	} else if (group == 2) {
		pair(insn, word);
	} else {
		single(insn, word);
	}
}

/* Vectors whose result is in a general register: moves and conversions. */
static void vectors(struct arch_insn *insn, uint32_t word)
{
	if ((word & 0x5f20fc00) == 0x1e200000 || (word & 0x5f200000) == 0x1e000000 ||
		(word & 0x9fe08400) == 0x0e000400)
		changes(insn, destination(word));
}

/* Only those that set a general register: addvl, addpl, rdvl; cntb and its like. */
static void scalable(struct arch_insn *insn, uint32_t word)
{
	if ((word & 0xffa0f000) == 0x04205000)
		sets(insn, destination(word), ARCH_NO_REG, 0);
	else if ((word & 0xff20f000) == 0x0420e000)
		changes(insn, destination(word));
}

bool arch_decode_insn(const unsigned char *code, size_t length, struct arch_insn *out)
{
	*out = (struct arch_insn){.length = ARCH_INSN_MAX,
		.reg = ARCH_NO_REG,
		.base = ARCH_NO_REG,
		.reg2 = ARCH_NO_REG};
	if (length < ARCH_INSN_MAX) {
		out->length = (uint8_t)length;
		return false;
	}
	uint32_t word = a64_word(code);
	switch (word >> 25 & 15) {
	case 0: /* udf; else not known */
		out->flow = ARCH_FLOW_STOP;
		return word >> 16 == 0;
	case 1:
	case 3:
		return false;
	case 2:
		scalable(out, word);
		break;
	case 8:
	case 9:
		with_immediate(out, word);
		break;
	case 10:
	case 11:
		branches_and_system(out, word);
		break;
	case 5:
	case 13:
		with_registers(out, word);
		break;
	case 7:
	case 15:
		vectors(out, word);
		break;
	default:
		memory(out, word);
	}
	return true;
}

/* --- calls ------------------------------------------------------------------------- */

bool arch_ends_with_call(const unsigned char *after, size_t count)
{
	struct arch_insn insn;
	return count >= 4 && arch_decode_insn(after - 4, 4, &insn) &&
	       insn.flow == ARCH_FLOW_CALL;
}

/* stp x16, x30, [sp, #-16]! is its first one. */
bool arch_is_plt_push(const unsigned char *code)
{
	return a64_word(code) == 0xa9bf7bf0;
}

bool arch_called(const unsigned char *after, int32_t *distance)
{
	struct arch_insn insn;
	bool is_call = arch_decode_insn(after - 4, 4, &insn) &&
		       insn.flow == ARCH_FLOW_CALL && insn.is_direct;
	*distance = insn.target;
	return is_call;
}

/* Such a call is several instructions. */
bool arch_called_slot(const unsigned char *after, int32_t *distance)
{
	(void)after;
	*distance = 0;
	return false;
}

/* bl, adr. The pages of adrp count from where the instruction lies, which is not known. Every word of a
   large file is asked for, so it is not decoded. */
enum arch_reference arch_reference(const unsigned char *code, int64_t *to)
{
	uint32_t word = a64_word(code);
	*to = 0;
	if ((word & 0xfc000000) == 0x94000000)
		*to = (int64_t)a64_signed(word, 0, 26) * 4;
	else if ((word & 0x9f000000) == 0x10000000)
		*to = a64_address_offset(word);
	else
		return ARCH_REFERENCE_NONE;
	return ARCH_REFERENCE_RELATIVE;
}

bool arch_may_start_behind(const unsigned char *after)
{
	struct arch_insn insn;
	uint32_t last = a64_word(after - 4);
	bool is_insn = arch_decode_insn(after - 4, 4, &insn);
	return last == 0 || last == 0xd503201f /* nop */ || !is_insn ||
	       insn.flow == ARCH_FLOW_RETURN || insn.flow == ARCH_FLOW_JUMP ||
	       insn.flow == ARCH_FLOW_INDIRECT || insn.flow == ARCH_FLOW_STOP ||
	       insn.flow == ARCH_FLOW_CALL;
}
