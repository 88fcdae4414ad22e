/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where bytes lead that look like a call or like the taking of an address; and what
   compilers and assemblers leave between two functions. */

#include "src/arch/arch-code.h"

#include <string.h>

enum {
	CALL = 0xe8,	       /* and four bytes */
	JUMP = 0xe9,	       /* the same */
	JUMP_SHORT = 0xeb,     /* and one byte */
	LEA = 0x8d,	       /* behind a REX prefix, before ModRM */
	RIP_RELATIVE = 0x05,   /* in ModRM, whatever its register */
	MOVE_IMMEDIATE = 0xb8, /* to any of eight registers; and four bytes */
	MOVE_EXTENDED = 0xc7,  /* the same, with ModRM */
	/* how ModRM says where to: */
	SHORT_OFFSET = 1,
	LONG_OFFSET = 2,
	DIRECT = 3,
	WITH_SIB = 4,
	RETURN = 0xc3,
	NOP = 0x90,
	TRAP = 0xcc,
};

static int32_t distance_at(const unsigned char *bytes)
{
	int32_t distance;
	memcpy(&distance, bytes, sizeof(distance));
	return distance;
}

enum arch_reference arch_reference(const unsigned char *code, int64_t *to)
{
	if (code[0] == CALL) {
		*to = 5 + (int64_t)distance_at(code + 1);
		return ARCH_REFERENCE_RELATIVE;
	}
	if ((code[0] & 0xf8) == 0x48 && code[1] == LEA &&
		(code[2] & 0xc7) == RIP_RELATIVE) {
		*to = 7 + (int64_t)distance_at(code + 3);
		return ARCH_REFERENCE_RELATIVE;
	}
	if ((code[0] & 0xf8) == MOVE_IMMEDIATE) {
		*to = distance_at(code + 1);
		return ARCH_REFERENCE_ABSOLUTE;
	}
	if (code[0] == MOVE_EXTENDED) {
		unsigned mode = code[1] >> 6, extra = mode == SHORT_OFFSET;
		if ((code[1] & 0x38) || mode == LONG_OFFSET ||
			(mode != DIRECT && (code[1] & 7) == WITH_SIB))
			return ARCH_REFERENCE_NONE;
		*to = distance_at(code + 2 + extra);
		return ARCH_REFERENCE_ABSOLUTE;
	}
	return ARCH_REFERENCE_NONE;
}

bool arch_may_start_behind(const unsigned char *after)
{
	unsigned char last = after[-1];
	bool is_trap = after[-2] == 0x0f && last == 0x0b; /* ud2 */
	return last == RETURN || last == NOP || last == TRAP || last == 0 || is_trap ||
	       after[-2] == JUMP_SHORT || after[-5] == JUMP || after[-5] == CALL;
}
