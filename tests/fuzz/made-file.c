/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/fuzz/made-file.h"

#include "tests/fuzz/fuzz.h"

#include <elf.h>
#include <stdalign.h>
#include <stdbool.h>

enum {
	FUNCTIONS = 4,
	CFI_BYTES = 47, /* so that an entry of .eh_frame has 64 bytes */
	TEXTS_BYTES = 512,
	SECTIONS = 10,
};

/* Functions that the unwinder knows by name, and one that it does not. */
static const char *const function_names[] = {"main", "runtime.systemstack",
	"runtime.mcall", "runtime.nanotime1", "runtime.morestack", "runtime.asmcgocall",
	"runtime.goexit.abi0", "_Unwind_Resume"};

static const char section_names[] =
	"\0.text\0.eh_frame_hdr\0.eh_frame\0.symtab\0."
	"strtab\0.dynsym\0.dynstr\0.rodata\0.shstrtab\0.gopclntab";

enum {
	NAME_TEXT = 1,
	NAME_HEADER = 7,
	NAME_FRAMES = 21,
	NAME_SYMBOLS = 31,
	NAME_STRINGS = 39,
	NAME_DYNAMIC = 47,
	NAME_DYNAMIC_STRINGS = 55,
	NAME_CONSTANTS = 63,
	NAME_NAMES = 71,
	NAME_GO = 81,
};

/* .eh_frame: one CIE, and an FDE for each function (LSB 5.0, 10.6). */
struct fde {
	uint32_t length, cie;
	int32_t start;
	uint32_t range;
	uint8_t no_data; /* the length of augmentation data */
	uint8_t cfi[CFI_BYTES];
};

/* .gopclntab of Go 1.16 (src/read/elf/elf-go.h), with the names of the functions. */
struct go_table {
	uint32_t magic;
	uint8_t zero[2], quantum, word_bytes;
	uint64_t count, files, names, units, file_table, lines, functions;
	struct {
		uint64_t start, record;
	} rows[FUNCTIONS + 1];
	struct go_record {
		uint64_t start;
		int32_t name;
		uint32_t arguments, defers, sp, file, line;
		uint32_t unused[4];
	} records[FUNCTIONS];
	uint8_t lists[16]; /* how far the stack pointer is below, as a list */
};

struct file {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	Elf64_Shdr sections[SECTIONS + 1];
	char section_names[sizeof(section_names)];
	Elf64_Sym symbols[FUNCTIONS + 1], variables[MADE_FILE_VARIABLES + 1];
	char dynamic_strings[TEXTS_BYTES];
	char constants[64];
	alignas(8) struct {
		uint8_t version, encodings[3];
		int32_t frames;
		uint32_t count;
		struct {
			int32_t start, fde;
		} entries[FUNCTIONS];
	} index;
	alignas(8) struct {
		uint32_t length, id;
		uint8_t version;
		char augmentation[3];
		uint8_t code_align, data_align, return_column, data_length, encoding;
		uint8_t cfi[7];
	} cie;
	struct fde fdes[FUNCTIONS];
	uint32_t end;
	alignas(8) struct go_table go;
	char strings[TEXTS_BYTES]; /* just behind it: it uses them, too */
};

_Static_assert(sizeof(struct fde) == 64, "no padding");
_Static_assert(sizeof(struct file) <= MADE_FILE_CODE, "the code is behind it");

static union {
	struct file file;
	uint8_t bytes[MADE_FILE_BYTES];
} made;

static Elf64_Shdr section(uint32_t name, uint32_t type, size_t at, size_t size)
{
	Elf64_Shdr section = {
		.sh_name = name,
		.sh_type = type,
		.sh_flags = SHF_ALLOC,
		.sh_addr = at,
		.sh_offset = at,
		.sh_size = size,
	};
	return section;
}

#define SECTION(name, type, member) \
	section(name, type, offsetof(struct file, member), sizeof(made.file.member))

static void make_headers(struct file *file, uint32_t entries)
{
	file->header = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_entry = MADE_FILE_CODE,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = offsetof(struct file, segments),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shoff = offsetof(struct file, sections),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS + 1,
		.e_shstrndx = SECTIONS,
	};
	file->segments[0] = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = MADE_FILE_BYTES,
		.p_memsz = MADE_FILE_BYTES,
		.p_align = 0x1000};
	size_t index_bytes = offsetof(struct file, index.entries) -
			     offsetof(struct file, index) + entries * 8;
	file->segments[1] = (Elf64_Phdr){.p_type = PT_GNU_EH_FRAME,
		.p_flags = PF_R,
		.p_offset = offsetof(struct file, index),
		.p_vaddr = offsetof(struct file, index),
		.p_filesz = index_bytes,
		.p_memsz = index_bytes};
	memcpy(file->section_names, section_names, sizeof(section_names));
	Elf64_Shdr *sections = file->sections;
	sections[1] =
		section(NAME_TEXT, SHT_PROGBITS, MADE_FILE_CODE, MADE_FILE_CODE_MAX);
	sections[1].sh_flags |= SHF_EXECINSTR;
	sections[2] = SECTION(NAME_HEADER, SHT_PROGBITS, index);
	sections[3] = section(NAME_FRAMES, SHT_PROGBITS, offsetof(struct file, cie),
		offsetof(struct file, go) - offsetof(struct file, cie));
	sections[4] = SECTION(NAME_SYMBOLS, SHT_SYMTAB, symbols);
	sections[4].sh_link = 5;
	sections[4].sh_entsize = sizeof(Elf64_Sym);
	sections[4].sh_info = 1;
	sections[5] = SECTION(NAME_STRINGS, SHT_STRTAB, strings);
	sections[6] = SECTION(NAME_DYNAMIC, SHT_DYNSYM, variables);
	sections[6].sh_link = 7;
	sections[6].sh_entsize = sizeof(Elf64_Sym);
	sections[7] = SECTION(NAME_DYNAMIC_STRINGS, SHT_STRTAB, dynamic_strings);
	sections[8] = SECTION(NAME_CONSTANTS, SHT_PROGBITS, constants);
	sections[9] = SECTION(NAME_GO, SHT_PROGBITS, go);
	sections[9].sh_size = sizeof(file->go) + TEXTS_BYTES;
	sections[10] = SECTION(NAME_NAMES, SHT_STRTAB, section_names);
}

/* NAME at the next place in TEXTS, whose *USED bytes are taken; returns that place. */
static uint32_t add_text(char *texts, size_t *used, const char *name)
{
	size_t at = *used, length = strlen(name) + 1;
	FUZZ_CHECK(at + length <= TEXTS_BYTES);
	memcpy(texts + at, name, length);
	*used += length;
	return (uint32_t)at;
}

static void make_function(struct file *file, struct input *input, unsigned i,
	uint32_t start, uint32_t size, size_t *texts)
{
	struct fde *fde = &file->fdes[i];
	size_t place = offsetof(struct file, fdes) + i * sizeof(*fde);
	unsigned name = (unsigned)input_number(input, 1);
	*fde = (struct fde){
		.length = sizeof(*fde) - 4,
		.cie = (uint32_t)(place + 4 - offsetof(struct file, cie)),
		.start = (int32_t)(start - (place + offsetof(struct fde, start))),
		.range = size,
	};
	input_bytes(input, fde->cfi, input_number(input, 1) % CFI_BYTES);
	file->index.entries[i].start = (int32_t)(start - offsetof(struct file, index));
	file->index.entries[i].fde = (int32_t)(place - offsetof(struct file, index));
	if (name >= 0xf0) /* without a symbol */
		return;
	name %= sizeof(function_names) / sizeof(*function_names);
	file->go.records[i].name = (int32_t)*texts;
	file->symbols[i + 1] = (Elf64_Sym){
		.st_name = add_text(file->strings, texts, function_names[name]),
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
		.st_shndx = 1,
		.st_value = start,
		.st_size = size,
	};
}

static void make_variables(
	struct file *file, uint64_t address, const char *const names[MADE_FILE_VARIABLES])
{
	size_t texts = 1;
	for (unsigned i = 0; i < MADE_FILE_VARIABLES; i++)
		file->variables[i + 1] = (Elf64_Sym){
			.st_name = add_text(file->dynamic_strings, &texts, names[i]),
			.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT),
			.st_shndx = 8,
			.st_value = address + i * 8,
			.st_size = 8,
		};
}

static void make_go_table(struct file *file, struct input *input, uint32_t size)
{
	struct go_table *go = &file->go;
	go->magic = 0xfffffffa;
	go->quantum = 1;
	go->word_bytes = 8;
	go->count = FUNCTIONS;
	go->names = offsetof(struct file, strings) - offsetof(struct file, go);
	go->lines = offsetof(struct go_table, lists) - 1;
	go->functions = offsetof(struct go_table, rows);
	for (unsigned i = 0; i <= FUNCTIONS; i++) {
		go->rows[i].start = MADE_FILE_CODE + (uint64_t)i * size;
		go->rows[i].record = offsetof(struct go_table, records) +
				     i * sizeof(struct go_record) - go->functions;
		if (i < FUNCTIONS)
			go->records[i].sp = 1;
	}
	input_bytes(input, go->lists, sizeof(go->lists));
}

const void *made_file(struct input *input, uint64_t variables,
	const char *const names[MADE_FILE_VARIABLES])
{
	struct file *file = &made.file;
	size_t texts = 1;
	memset(&made, 0, sizeof(made));
	unsigned flags = (unsigned)input_number(input, 1);
	unsigned in_index = flags % (FUNCTIONS + 1); /* so many have an unwind table */
	make_headers(file, in_index);
	file->index.version = 1;
	memcpy(file->index.encodings, "\x1b\x03\x3b", 3); /* as ld writes it */
	file->index.frames = (int32_t)(offsetof(struct file, cie) -
				       (offsetof(struct file, index) + 4));
	file->index.count = in_index;
	file->cie.length = sizeof(file->cie) - 4;
	file->cie.version = 1;
	memcpy(file->cie.augmentation, "zR", 3);
	file->cie.code_align = 1;
	file->cie.data_align = 0x78; /* -8 */
	file->cie.return_column = 16;
	file->cie.data_length = 1;
	file->cie.encoding = 0x1b;
	memcpy(file->cie.cfi, "\x0c\x07\x08\x90\x01",
		5); /* CFA = rsp + 8, RA at CFA - 8 */
	uint32_t size = MADE_FILE_CODE_MAX / FUNCTIONS;
	for (unsigned i = 0; i < FUNCTIONS; i++) {
		uint32_t start = i * size;
		make_function(file, input, i, MADE_FILE_CODE + start, size, &texts);
		input_bytes(input, made.bytes + MADE_FILE_CODE + start,
			input_number(input, 1));
	}
	if (in_index == 0 && !(flags & 0x80)) /* no unwind table at all */
		file->segments[1].p_type = file->sections[3].sh_type = 0;
	else if (flags & 0x40) /* .eh_frame alone */
		file->segments[1].p_type = 0;
	if (flags & 0x20)
		memcpy(file->constants, "(GHC version %s for %s)", 24);
	if (flags & 0x08)
		make_go_table(file, input, size);
	if (flags & 0x10)
		file->sections[4].sh_type = SHT_PROGBITS; /* no symbols */
	make_variables(file, variables, names);
	return made.bytes;
}
