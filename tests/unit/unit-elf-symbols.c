/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf-image: which symbol covers an address, by made-up tables, and in stripped
   libraries. */

#include "tests/lib/compiled.h"

#include "src/read/elf/elf-image.h"

#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* --- made-up tables -------------------------------------------------------------- */

struct made_symbol {
	const char *name;
	uint64_t vaddr, size;
	unsigned type, binding;
	uint16_t section; /* 0: .text */
	bool undefined;
};

enum {
	TEXT = 1,
	SYMTAB,
	STRTAB,
	DATA,
	SECTIONS
};
enum {
	TEXT_VADDR = 0x1000,
	TEXT_BYTES = 0x1000,
	MADE_MAX = 64
};

struct made_file {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	Elf64_Shdr sections[SECTIONS];
	Elf64_Sym symbols[MADE_MAX];
	char names[4096];
	char text[1];
};

static struct elf_image *make_image(const struct made_symbol *symbols, size_t count)
{
	struct made_file *file = calloc(1, sizeof(*file));
	memcpy(file->header.e_ident, ELFMAG, SELFMAG);
	file->header.e_ident[EI_CLASS] = ELFCLASS64;
	file->header.e_ident[EI_DATA] = ELFDATA2LSB;
	file->header.e_ident[EI_VERSION] = EV_CURRENT;
	file->header.e_type = ET_DYN;
	file->header.e_machine = EM_X86_64;
	file->header.e_version = EV_CURRENT;
	file->header.e_ehsize = sizeof(Elf64_Ehdr);
	file->header.e_phoff = offsetof(struct made_file, segment);
	file->header.e_phentsize = sizeof(Elf64_Phdr);
	file->header.e_phnum = 1;
	file->header.e_shoff = offsetof(struct made_file, sections);
	file->header.e_shentsize = sizeof(Elf64_Shdr);
	file->header.e_shnum = SECTIONS;
	file->segment = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_filesz = sizeof(*file),
		.p_memsz = TEXT_VADDR + 2 * TEXT_BYTES};
	file->sections[TEXT] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = TEXT_VADDR,
		.sh_size = TEXT_BYTES};
	file->sections[DATA] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC,
		.sh_addr = TEXT_VADDR + TEXT_BYTES,
		.sh_size = TEXT_BYTES};
	file->sections[SYMTAB] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
		.sh_offset = offsetof(struct made_file, symbols),
		.sh_size = (count + 1) * sizeof(Elf64_Sym),
		.sh_entsize = sizeof(Elf64_Sym),
		.sh_link = STRTAB};
	file->sections[STRTAB] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
		.sh_offset = offsetof(struct made_file, names),
		.sh_size = sizeof(file->names)};
	uint32_t at = 1;
	for (size_t i = 0; i < count; i++) {
		file->symbols[i + 1] = (Elf64_Sym){.st_name = at,
			.st_info = (unsigned char)ELF64_ST_INFO(
				symbols[i].binding, symbols[i].type),
			.st_shndx = symbols[i].undefined ? SHN_UNDEF
				    : symbols[i].section ? symbols[i].section
							 : TEXT,
			.st_value = symbols[i].vaddr,
			.st_size = symbols[i].size};
		strcpy(file->names + at, symbols[i].name);
		at += (uint32_t)strlen(symbols[i].name) + 1;
	}
	struct elf_image *image = elf_image_from_memory(file, sizeof(*file), NULL);
	assert_non_null(image);
	free(file);
	return image;
}

#define make(symbols) make_image(symbols, sizeof(symbols) / sizeof(*(symbols)))

static void assert_name(struct elf_image *image, uint64_t vaddr, const char *name)
{
	const struct elf_symbol *symbol = elf_image_symbol(image, vaddr);
	if (!name) {
		if (symbol)
			fail_msg(
				"%#lx: %s, not none", (unsigned long)vaddr, symbol->name);
		return;
	}
	if (!symbol || strcmp(symbol->name, name) != 0)
		fail_msg("%#lx: %s, not %s", (unsigned long)vaddr,
			symbol ? symbol->name : "none", name);
	assert_in_range(vaddr, symbol->vaddr, symbol->vaddr + symbol->size - 1);
}

static void test_size_is_respected(void **state)
{
	(void)state;
	static const struct made_symbol symbols[] = {
		{"second", 0x1100, 0x10, STT_FUNC, STB_GLOBAL, 0},
		{"first", 0x1000, 0x20, STT_FUNC, STB_LOCAL, 0},
		{"ifunc", 0x1200, 8, STT_GNU_IFUNC, STB_GLOBAL, 0},
		{"object", 0x1300, 8, STT_OBJECT, STB_GLOBAL, 0},
		{"imported", 0x1400, 8, STT_FUNC, STB_GLOBAL, 0, true},
		{"elsewhere", 0x9000, 8, STT_FUNC, STB_GLOBAL, 0},
		{"too_large", 0x1f00, UINT64_MAX, STT_FUNC, STB_GLOBAL, 0},
	};
	struct elf_image *image = make(symbols);
	assert_int_equal(elf_image_symbol_count(image), 5);
	assert_name(image, 0xfff, NULL);
	assert_name(image, 0x1000, "first");
	assert_name(image, 0x101f, "first");
	assert_name(image, 0x1020, NULL); /* not under its neighbour's name */
	assert_name(image, 0x10ff, NULL);
	assert_name(image, 0x110f, "second");
	assert_name(image, 0x1207, "ifunc");
	assert_name(image, 0x1307, "object"); /* it lies in code */
	assert_name(image, 0x1308, NULL);
	assert_name(image, 0x2fff, "too_large");
	assert_name(image, 0x3000, NULL);
	assert_name(image, UINT64_MAX, NULL);
	assert_name(image, 0, NULL);
	elf_image_destroy(image);
}

static void test_aliases_are_one_entry(void **state)
{
	(void)state;
	static const struct made_symbol symbols[] = {
		{"__GI_read", 0x1000, 0x10, STT_FUNC, STB_LOCAL, 0},
		{"read", 0x1000, 0x10, STT_FUNC, STB_WEAK, 0},
		{"__libc_read", 0x1000, 0x18, STT_FUNC, STB_GLOBAL, 0},
		{"__read", 0x1000, 0x10, STT_FUNC, STB_GLOBAL, 0},
		{"label", 0x1000, 0, STT_NOTYPE, STB_GLOBAL, 0},
		{"asm_start", 0x1100, 0, STT_NOTYPE, STB_GLOBAL, 0},
		{"asm_function", 0x1100, 0, STT_FUNC, STB_LOCAL, 0},
	};
	struct elf_image *image = make(symbols);
	assert_int_equal(elf_image_symbol_count(image), 2);
	assert_name(image, 0x1000, "read"); /* as programs call it */
	assert_name(image, 0x1017, "read"); /* the longest of them */
	assert_name(image, 0x1100, "asm_function");
	elf_image_destroy(image);
}

static void test_assembly_without_types_or_sizes(void **state)
{
	(void)state;
	static const struct made_symbol symbols[] = {
		{"_start", 0x1000, 0, STT_NOTYPE, STB_GLOBAL, 0},
		{"restore", 0x1040, 9, STT_NOTYPE, STB_LOCAL, 0},
		{"function", 0x1080, 0x40, STT_FUNC, STB_GLOBAL, 0},
		{"loop", 0x1090, 0, STT_NOTYPE, STB_LOCAL, 0},
		{"entry", 0x10a0, 0, STT_FUNC, STB_LOCAL, 0},
		{".Lhidden", 0x1800, 0, STT_NOTYPE, STB_LOCAL, 0},
		{"last", 0x1f00, 0, STT_FUNC, STB_GLOBAL, 0},
		{"constant", 0x2000, 8, STT_NOTYPE, STB_GLOBAL, DATA},
		{"variable", 0x2010, 8, STT_OBJECT, STB_GLOBAL, DATA},
		{"absolute", 0x1900, 8, STT_NOTYPE, STB_GLOBAL, SHN_ABS},
	};
	struct elf_image *image = make(symbols);
	assert_name(image, 0x103f, "_start"); /* to the next symbol */
	assert_name(image, 0x1048, "restore");
	assert_name(image, 0x1049, NULL); /* it said its size */
	assert_name(image, 0x1095, "function");
	assert_name(image, 0x10bf, "function"); /* labels inside are not functions */
	assert_name(image, 0x10c0, NULL);
	assert_name(image, 0x1900, NULL);
	assert_name(image, 0x1fff, "last"); /* to the end of its section */
	assert_name(image, 0x2000, NULL);
	assert_int_equal(elf_image_symbol_count(image), 4);
	elf_image_destroy(image);
}

static void test_functions_inside_functions(void **state)
{
	(void)state;
	static const struct made_symbol symbols[] = {
		{"outer", 0x1000, 0x100, STT_FUNC, STB_GLOBAL, 0},
		{"inner", 0x1010, 0x40, STT_FUNC, STB_LOCAL, 0},
		{"innermost", 0x1020, 0x8, STT_FUNC, STB_LOCAL, 0},
		{"late", 0x1060, 0x10, STT_FUNC, STB_LOCAL, 0},
		{"across", 0x10f0, 0x20, STT_FUNC, STB_LOCAL, 0},
	};
	struct elf_image *image = make(symbols);
	assert_name(image, 0x100f, "outer");
	assert_name(image, 0x101f, "inner");
	assert_name(image, 0x1027, "innermost");
	assert_name(image, 0x1028, "inner");
	assert_name(image, 0x1050, "outer");
	assert_name(image, 0x106f, "late");
	assert_name(image, 0x1070, "outer");
	assert_name(image, 0x10f0, "across");
	assert_name(image, 0x110f, "across");
	assert_name(image, 0x1110, NULL);
	elf_image_destroy(image);
}

/* --- labels of stripped libraries ------------------------------------------------ */

/* What hand-written assembly brings: a global label without type and size, and behind it
   functions of other files, whose names a stripped library does not have. */
static const char label_source[] = "	.text\n"
				   "	.globl label, last_label, described\n"
				   "label:\n"
				   "	test %edi, %edi\n"
				   "	jz 1f\n"
				   "	mov $2, %eax\n"
				   "	ret\n"
				   "1:	vpaddd %ymm0, %ymm1, %ymm2\n"
				   "	mov $1, %eax\n"
				   "label_end:\n"
				   "	ret\n"
				   "	.p2align 4\n"
				   "bare:\n" /* no table tells of it */
				   "	nop\n"
				   "	ret\n"
				   "last_label:\n"
				   "	call *%rdi\n" /* which does not return */
				   "	.p2align 4\n"
				   "	.type with_cfi, @function\n"
				   "with_cfi:\n"
				   "	.cfi_startproc\n"
				   "	nop\n"
				   "	ret\n"
				   "	.cfi_endproc\n"
				   "	.size with_cfi, . - with_cfi\n"
				   "	.cfi_startproc\n"
				   "described:\n"
				   "	nop\n"
				   "	call *%rdi\n"
				   "	.cfi_endproc\n"
				   "next:	nop\n"
				   "	ret\n"
				   "	.section .note.GNU-stack,\"\",@progbits\n";

/* The address of NAME in the library that has all names. */
static uint64_t address_of(struct elf_image *full, const char *name)
{
	for (uint64_t vaddr = 0; vaddr < 0x10000; vaddr++) {
		const struct elf_symbol *symbol = elf_image_symbol(full, vaddr);
		if (symbol && strcmp(symbol->name, name) == 0)
			return symbol->vaddr;
	}
	fail_msg("no %s", name);
	return 0;
}

static void assert_labels(struct elf_image *full, struct elf_image *image)
{
	assert_name(image, address_of(full, "label"), "label");
	assert_name(image, address_of(full, "label_end"), "label");
	assert_name(image, address_of(full, "label_end") + 1, NULL);
	assert_name(image, address_of(full, "bare"), NULL);
	assert_name(image, address_of(full, "last_label"), "last_label");
	assert_name(image, address_of(full, "with_cfi"), NULL);
	assert_name(image, address_of(full, "with_cfi") + 1, NULL);
	assert_name(image, address_of(full, "described"), "described");
	assert_name(image, address_of(full, "described") + 1, "described");
	assert_name(image, address_of(full, "next"), NULL);
}

static void test_labels_end_where_others_begin(void **state)
{
	(void)state;
	static const char *const options[] = {"", "-Wl,--no-eh-frame-hdr"};
	static const char *const stripped[] = {"bare.so", "half.so"};
	struct compiled compiled = compiled_begin();
	unsigned made = 0;
	compiled_write(&compiled, "label.s", label_source);
	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++) {
		if (!compiled_run(&compiled,
			    "$CC -nostdlib -shared %s -o full.so label.s && "
			    "strip -o bare.so full.so && objcopy -x full.so half.so",
			    options[i]))
			continue;
		struct elf_image *full = compiled_image(&compiled, "full.so");
		for (size_t j = 0; j < sizeof(stripped) / sizeof(*stripped); j++) {
			struct elf_image *image = compiled_image(&compiled, stripped[j]);
			assert_labels(full, image);
			elf_image_destroy(image);
			made++;
		}
		elf_image_destroy(full);
	}
	compiled_end(&compiled);
	if (!made)
		skip();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_size_is_respected),
		cmocka_unit_test(test_aliases_are_one_entry),
		cmocka_unit_test(test_assembly_without_types_or_sizes),
		cmocka_unit_test(test_functions_inside_functions),
		cmocka_unit_test(test_labels_end_where_others_begin),
	};
	return unit_run(tests);
}
