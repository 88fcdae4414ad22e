/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/unwind/unwind-signed.h"

#include "src/arch/arch.h"

#include <string.h>

enum {
	PROGRAM_BYTES = 4 << 10, /* longer ones are left as they are */
	NO_OPERATION = 0,
	NEGATE_RA_STATE = 0x2d,
};

/* What libunwind keeps of an entry of the table begins like this (struct dwarf_cie_info of
   include/dwarf.h there). */
struct entry {
	uint64_t common_start, common_limit;
	uint64_t start, limit; /* of its program */
};

struct unwind_program unwind_signed_program(const void *unwind_info)
{
	struct entry entry = {0};
	if (ARCH_SIGNS_RETURNS && unwind_info)
		memcpy(&entry, unwind_info, sizeof(entry));
	return (struct unwind_program){entry.start, entry.limit};
}

struct program {
	unsigned char bytes[PROGRAM_BYTES];
	size_t at, length;
};

static uint64_t take_number(struct program *program)
{
	uint64_t number = 0;
	for (unsigned shift = 0; program->at < program->length; shift += 7) {
		unsigned char byte = program->bytes[program->at++];
		if (shift < 64)
			number |= (uint64_t)(byte & 127) << shift;
		if (!(byte & 128))
			break;
	}
	return number;
}

static void take_block(struct program *program)
{
	uint64_t length = take_number(program);
	size_t rest = program->length - program->at;
	program->at += length < rest ? length : rest;
}

/* Take one instruction (DWARF 5, 7.24). False if it is none that is known. */
static bool take(struct program *program)
{
	/* how many numbers follow, or: */
	enum {
		BYTES = 8,  /* so many bytes */
		BLOCK = 16, /* a block, behind so many numbers */
		UNKNOWN = 32,
	};
	static const unsigned char follows[] = {0, UNKNOWN, BYTES + 1, BYTES + 2,
		BYTES + 4, 2, 1, 1, 1, 2, 0, 0, 2, 1, 1, BLOCK, BLOCK + 1, 2, 2, 1, 2, 2,
		BLOCK + 1};
	unsigned operation = program->bytes[program->at++], what = UNKNOWN;
	if (operation >= 0x40)
		what = operation >> 6 == 2;
	else if (operation < sizeof(follows))
		what = follows[operation];
	else if (operation == NEGATE_RA_STATE)
		what = 0;
	else if (operation == 0x2e || operation == 0x2f)
		what = operation - 0x2d;
	if (what & BYTES)
		program->at += what & 7;
	else
		for (unsigned i = 0; i < (what & 7); i++)
			take_number(program);
	if (what & BLOCK)
		take_block(program);
	return what != UNKNOWN && program->at <= program->length;
}

void unwind_signed_hide(const struct unwind_program *read, struct elf_image *image,
	uint64_t bias, uint64_t address, uint64_t *word)
{
	struct program program = {.length = read->limit - read->start};
	uint64_t start = read->start, limit = address + sizeof(*word);
	if (!ARCH_SIGNS_RETURNS || limit <= start || address >= read->limit ||
		program.length > PROGRAM_BYTES ||
		!elf_image_read(image, start - bias, program.bytes, program.length))
		return;
	while (program.at < program.length && start + program.at < limit) {
		uint64_t at = start + program.at - address;
		if (program.bytes[program.at] == NEGATE_RA_STATE && at < sizeof(*word))
			((unsigned char *)word)[at] = NO_OPERATION;
		if (!take(&program))
			return;
	}
}
