/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * registered-file: generated code that goes on by a jump through memory, so that nothing in
 * it tells where its frame ends, and the file that a compiler would make of it for debuggers:
 * with a .debug_frame of addresses, as qemu does it, or an object file, as LLVM does it, with
 * an .eh_frame that a relocation is for.
 */
#ifndef CPROFTOP_TESTS_REGISTERED_FILE_H
#define CPROFTOP_TESTS_REGISTERED_FILE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	FRAME_BYTES = 56,
	EXIT_AT = 16, /* in the code */
};

static const uint8_t instructions[] = {
	0x48, 0x83, 0xec, FRAME_BYTES, /* sub $56, %rsp */
	0xb9, 0x40, 0x42, 0x0f, 0,     /* mov $1000000, %ecx */
	0xff, 0xc9,		       /* dec %ecx */
	0x75, 0xfc,		       /* jnz back to it */
	0xff, 0x27,		       /* jmp *(%rdi) */
	0xcc,			       /* */
	0x48, 0x83, 0xc4, FRAME_BYTES, /* add $56, %rsp */
	0xc3,			       /* ret */
};

enum {
	CODE = 1,
	FRAMES,
	SYMBOLS,
	RELOCATIONS,
	NAMES,
	SECTIONS,
};

static const char names[] = "\0.text\0.eh_frame\0.debug_frame";

enum {
	TEXT_NAME = 1,
	EH_FRAME_NAME = 7,
	DEBUG_FRAME_NAME = 17,
};

struct cie {
	uint32_t length, id;
	uint8_t version, augmentation, code_alignment, data_alignment, return_register;
	uint8_t program[7];
} __attribute__((packed));

struct fde {
	uint32_t length, cie;
	uint64_t start, bytes;
	uint8_t program[8];
} __attribute__((packed));

static struct file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[SECTIONS];
	Elf64_Sym symbols[2];
	Elf64_Rela relocation;
	struct {
		struct cie cie;
		struct fde fde;
	} __attribute__((packed)) frames;
	char names[sizeof(names)];
} file = {
	.header =
		{
			.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				ELFDATA2LSB, EV_CURRENT},
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_shoff = offsetof(struct file, sections),
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = SECTIONS,
			.e_shstrndx = NAMES,
		},
	.sections =
		{
			[CODE] = {.sh_name = TEXT_NAME,
				.sh_type = SHT_NOBITS,
				.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				.sh_size = sizeof(instructions)},
			[FRAMES] = {.sh_type = SHT_PROGBITS,
				.sh_offset = offsetof(struct file, frames),
				.sh_size = sizeof(struct cie) + sizeof(struct fde)},
			[SYMBOLS] = {.sh_type = SHT_SYMTAB,
				.sh_offset = offsetof(struct file, symbols),
				.sh_size = 2 * sizeof(Elf64_Sym),
				.sh_entsize = sizeof(Elf64_Sym),
				.sh_link = NAMES},
			[RELOCATIONS] = {.sh_offset = offsetof(struct file, relocation),
				.sh_size = sizeof(Elf64_Rela),
				.sh_entsize = sizeof(Elf64_Rela),
				.sh_info = FRAMES},
			[NAMES] = {.sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct file, names),
				.sh_size = sizeof(names)},
		},
	.symbols = {{0},
		{.st_info = ELF64_ST_INFO(STB_LOCAL, STT_SECTION), .st_shndx = CODE}},
	.relocation = {.r_info = ELF64_R_INFO(1, R_X86_64_64)},
	.frames =
		{
			.cie = {.length = sizeof(struct cie) - 4,
				.version = 1,
				.code_alignment = 1,
				.data_alignment = 0x78, /* -8 */
				.return_register = 16,
				/* The CFA is above RSP, the return address below it. */
				.program = {0x0c, 7, FRAME_BYTES + 8, 0x90, 1}},
			.fde = {.length = sizeof(struct fde) - 4,
				.bytes = sizeof(instructions)},
		},
};

/* The file for these instructions at the address CODE. */
static void make_file(uint64_t code, int is_object)
{
	memcpy(file.names, names, sizeof(names));
	file.sections[CODE].sh_addr = code;
	file.header.e_type = is_object ? ET_REL : ET_EXEC;
	file.sections[FRAMES].sh_name = is_object ? EH_FRAME_NAME : DEBUG_FRAME_NAME;
	file.sections[RELOCATIONS].sh_type = is_object ? SHT_RELA : SHT_NULL;
	file.relocation.r_offset = sizeof(struct cie) + offsetof(struct fde, start);
	file.frames.cie.id = is_object ? 0 : UINT32_MAX;
	file.frames.fde.cie =
		is_object ? sizeof(struct cie) + offsetof(struct fde, cie) : 0;
	file.frames.fde.start = is_object ? 0 : code;
}

#endif
