/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Go's table of functions and lines: the bytes are .gopclntab of a file that has little
 * else. The first two tell where its code is said to be, and which version wrote it; and the
 * last TAIL_BYTES may be its data, or its relocations, where the same is searched. */

#include "tests/fuzz/fuzz.h"

#include "src/read/elf/elf-go.h"
#include "src/read/elf/elf-image.h"

#include <elf.h>
#include <string.h>

enum {
	TEXT = 0x1000, /* the code, and where it is in the file */
	TEXT_BYTES = 0x1000,
	TABLE = TEXT + TEXT_BYTES,
	STEPS = 64,
	TAIL_BYTES = 32,
	TEXT_START = 24, /* in the table's header, the word that says where the code is */
};

static const char section_names[] = "\0.gopclntab\0.text\0.shstrtab\0.data";

struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[5];
	char names[sizeof(section_names)];
	union {
		uint64_t words[TAIL_BYTES];
		Elf64_Rela relocations[TAIL_BYTES / 2];
	} tail;
};

static void fill(struct file *file, size_t size, bool is_data)
{
	*file = (struct file){
		.header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
				   ELFDATA2LSB, EV_CURRENT},
			.e_type = is_data ? ET_DYN : ET_EXEC,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phoff = offsetof(struct file, segment),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = 1,
			.e_shoff = offsetof(struct file, sections),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 5,
			.e_shstrndx = 3},
		.segment = {.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_filesz = TABLE + size,
			.p_memsz = TABLE + size},
		.sections = {[1] = {.sh_name = 1,
				     .sh_type = SHT_PROGBITS,
				     .sh_flags = SHF_ALLOC,
				     .sh_addr = TABLE,
				     .sh_offset = TABLE,
				     .sh_size = size},
			[2] = {.sh_name = 12,
				.sh_type = SHT_PROGBITS,
				.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				.sh_addr = TEXT,
				.sh_offset = TEXT,
				.sh_size = TEXT_BYTES},
			[3] = {.sh_name = 18,
				.sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct file, names),
				.sh_size = sizeof(section_names)}},
	};
	memcpy(file->names, section_names, sizeof(section_names));
}

/* A byte of the tail as an address. */
static uint64_t word(uint8_t byte)
{
	return byte == 'T' ? TABLE : byte == 'C' ? TEXT : byte;
}

/* BYTES as what follows in the file: words, or pairs of where a word is and what it is. */
static void add_tail(
	struct file *file, const uint8_t bytes[TAIL_BYTES], bool are_relocations)
{
	file->sections[4] = (Elf64_Shdr){.sh_name = 28,
		.sh_type = are_relocations ? SHT_RELA : SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_WRITE,
		.sh_offset = offsetof(struct file, tail),
		.sh_size = sizeof(file->tail)};
	for (size_t i = 0; i < TAIL_BYTES; i++)
		if (!are_relocations)
			file->tail.words[i] = word(bytes[i]);
		else if (i % 2 == 0)
			file->tail.relocations[i / 2].r_offset =
				bytes[i] == 'H' ? TABLE + TEXT_START : bytes[i] * 8;
		else
			file->tail.relocations[i / 2].r_addend =
				(Elf64_Sxword)word(bytes[i]);
}

/* What a linker has written at the beginning, so that not all inputs end there. */
static void mend_header(unsigned char *table, size_t size, uint8_t choice)
{
	static const uint32_t magics[] = {0xfffffff1, 0xfffffff0, 0xfffffffa, 0xfffffffb};
	if (size < 8 || (choice & 0x80))
		return;
	memcpy(table, &magics[choice % 4], 4);
	table[4] = table[5] = 0;
	table[6] = 1;
	table[7] = 8;
}

static void ask(struct elf_go *go, uint64_t vaddr)
{
	struct elf_go_line line;
	uint64_t frame;
	const struct elf_symbol *symbol = elf_go_symbol(go, vaddr);
	FUZZ_CHECK(!symbol || strlen(symbol->name) < SIZE_MAX);
	elf_go_frame(go, vaddr, &frame);
	if (elf_go_line(go, vaddr, &line))
		FUZZ_CHECK(strlen(line.function) + strlen(line.file) < SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct file file;
	if (size < 2)
		return 0;
	size -= 2;
	unsigned char *image_bytes = calloc(1, TABLE + size);
	fill(&file, size, bytes[1] & 1);
	if (size >= TEXT_START + 8 + TAIL_BYTES && (bytes[1] & 6))
		add_tail(&file, bytes + 2 + size - TAIL_BYTES, bytes[1] & 4);
	memcpy(image_bytes, &file, sizeof(file));
	memcpy(image_bytes + TABLE, bytes + 2, size);
	mend_header(image_bytes + TABLE, size, bytes[0]);
	if (file.sections[4].sh_size > 0)
		memset(image_bytes + TABLE + TEXT_START, 0, 8);
	struct elf_image *image = elf_image_from_memory(image_bytes, TABLE + size, NULL);
	struct elf_go *go = image ? elf_go_open(image) : NULL;
	for (uint64_t i = 0; go && i < STEPS; i++) {
		ask(go, TEXT + i * (TEXT_BYTES / STEPS));
		ask(go, i * 7);
	}
	if (go)
		elf_go_named(go, "main.main");
	elf_go_close(go);
	elf_image_destroy(image);
	free(image_bytes);
	return 0;
}
