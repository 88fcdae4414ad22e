/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch-x86_64-operands: decode the operands of an x86_64 instruction.
 *
 * Prefixes, ModRM and the operands they name, and the effect of the few instructions that
 * are followed. Private to src/arch/arch-x86_64-code.c and
 * src/arch/arch-x86_64-escapes.c, which have the opcode maps.
 */
#ifndef CPROFTOP_ARCH_X86_64_OPERANDS_H
#define CPROFTOP_ARCH_X86_64_OPERANDS_H

#include "src/arch/arch-code.h"

/* The processor's own numbers of two registers. */
enum {
	X86_SP = 4,
	X86_FP = 5,
};

/* An instruction while it is decoded. */
struct x86_decoder {
	const unsigned char *at, *limit;
	bool failed;
	bool operand16, address32, repeat; /* prefixes 66, 67, f3 */
	bool fs, gs;			   /* prefixes 64, 65 */
	uint8_t rex;
	bool has_rex;
	/* ModRM: */
	uint8_t mod, reg, rm; /* registers with their REX bit */
	uint8_t base;	      /* of a memory operand without an index; else NO_REG */
	bool is_rip;	      /* a fixed address, */
	bool is_absolute;     /* or one that is the displacement */
	int32_t displacement;
};

/* The next BYTES of the instruction as a number. Past the end: 0, and the decoder has
   failed. */
uint64_t x86_take(struct x86_decoder *d, size_t bytes);
int32_t x86_take_signed(struct x86_decoder *d, size_t bytes);

/* ModRM and what follows it. */
void x86_take_modrm(struct x86_decoder *d);

/* All prefixes; returns the first byte of the opcode. */
unsigned x86_take_prefixes(struct x86_decoder *d);

bool x86_is_wide(const struct x86_decoder *d); /* REX.W */

/* Effects. REG gets a value that is not followed... */
void x86_set_unknown(struct arch_insn *insn, unsigned reg);
/* ...by an operation on bytes or not; the same for the operand rm, if it is a
   register. */
void x86_writes(
	const struct x86_decoder *d, struct arch_insn *insn, unsigned reg, bool is_byte);
void x86_writes_rm(const struct x86_decoder *d, struct arch_insn *insn, bool is_byte);

/* REG may be ARCH_NO_REG. */
void x86_push(struct arch_insn *insn, unsigned reg);
void x86_pop(struct arch_insn *insn, unsigned reg);

/* mov of a number (c7), which is taken. */
void x86_move_number(struct x86_decoder *d, struct arch_insn *insn);

/* mov, lea; 80, 81 and 83 (add to cmp); fe and ff (inc to push). */
void x86_move(const struct x86_decoder *d, struct arch_insn *insn, bool to_reg);
void x86_load_address(const struct x86_decoder *d, struct arch_insn *insn);
void x86_arithmetic(struct x86_decoder *d, struct arch_insn *insn, unsigned opcode);
void x86_group_ff(struct x86_decoder *d, struct arch_insn *insn, unsigned opcode);

#endif
