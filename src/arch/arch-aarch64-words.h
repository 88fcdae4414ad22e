/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * arch-aarch64-words: instructions of aarch64, each a word of 32 bits.
 *
 * Source: Arm Architecture Reference Manual for A-profile, C4. Private to src/arch/arch-aarch64*.
 */
#ifndef CPROFTOP_ARCH_AARCH64_WORDS_H
#define CPROFTOP_ARCH_AARCH64_WORDS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	A64_BTI_C = (int)0xd503245f,
};

static inline uint32_t a64_word(const unsigned char *code)
{
	uint32_t word;
	memcpy(&word, code, sizeof(word));
	return word;
}

/* The COUNT bits of WORD from FIRST on, as a number with a sign. */
static inline int32_t a64_signed(uint32_t word, unsigned first, unsigned count)
{
	return (int32_t)(word << (32 - first - count)) >> (32 - count);
}

/* adr, adrp: how far, in bytes or pages. */
static inline int64_t a64_address_offset(uint32_t word)
{
	return (int64_t)a64_signed(word, 5, 19) * 4 + (word >> 29 & 3);
}

/* bti c, paciasp, pacibsp: functions begin with them */
static inline bool a64_is_landing(uint32_t word)
{
	return word == (uint32_t)A64_BTI_C || (word & 0xffffffbf) == 0xd503233f;
}

enum a64_jump {
	A64_JUMP = 0,
	A64_CALL = 1,
	A64_RETURN = 2,
};

/* br, blr, ret, and those that check a signature. *KIND is one of enum a64_jump. */
static inline bool a64_is_jump(uint32_t word, unsigned *kind)
{
	*kind = word >> 21 & 3;
	return (word & 0xfe9ff000) == 0xd61f0000 && *kind <= A64_RETURN;
}

static inline bool a64_is_return(uint32_t word)
{
	unsigned kind;
	return a64_is_jump(word, &kind) && kind == A64_RETURN;
}

/* To x16 or x17, which only linkers use. */
static inline bool a64_is_plt_jump(uint32_t word)
{
	unsigned kind, reg = word >> 5 & 31;
	return a64_is_jump(word, &kind) && kind == A64_JUMP && (reg == 16 || reg == 17);
}

/* stp x29, x30, [sp, #-n]! */
static inline bool a64_is_push_record(uint32_t word)
{
	return (word & 0xffe07fff) == 0xa9a07bfd;
}

/* ldp x29, x30, [sp], #n */
static inline bool a64_is_pop_record(uint32_t word)
{
	return (word & 0xffe07fff) == 0xa8c07bfd;
}

/* mov x29, sp */
static inline bool a64_is_set_fp(uint32_t word)
{
	return word == 0x910003fd;
}

#endif
