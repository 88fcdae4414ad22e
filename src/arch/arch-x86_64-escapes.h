/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch-x86_64-escapes: the opcodes of x86_64 that do not fit into one byte.
 *
 * Behind 0f come two and three bytes of opcode; behind c4, c5 and 62 (VEX and EVEX)
 * mostly arithmetic on vectors, whose registers are not followed. Private to
 * src/arch/arch-x86_64-code.c, which has the one-byte map.
 */
#ifndef CPROFTOP_ARCH_X86_64_ESCAPES_H
#define CPROFTOP_ARCH_X86_64_ESCAPES_H

#include "src/arch/arch-x86_64-operands.h"

/* What comes behind 0f. */
void x86_two_bytes(struct x86_decoder *d, struct arch_insn *insn);

/* OPCODE is c4, c5 or 62: vector instructions, and a few of BMI. */
void x86_vector(struct x86_decoder *d, struct arch_insn *insn, unsigned opcode);

#endif
