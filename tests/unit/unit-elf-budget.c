/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf-image: files that are small and claim to be large. A sparse file of some pages may
   have gigabytes in its sections, or thousands of sections with the same bytes. Each is
   read in bounded memory; what cannot be had has no name. */

#include "tests/lib/unit.h"

#include "src/base/rights/sanitized.h"
#include "src/read/elf/elf-image.h"
#include "src/read/elf/elf-lines.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

enum {
	CODE_OFFSET = 4096,
	CODE_BYTES = 4096,
	SECTIONS_OFFSET = 8192,
};

/* A shared library of one segment of code, with COUNT sections, HEADERS. */
static int make_file(const Elf64_Shdr *headers, uint64_t count, uint64_t size)
{
	Elf64_Ehdr header = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 1,
		.e_shoff = SECTIONS_OFFSET,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = count < SHN_LORESERVE ? (uint16_t)count : 0,
		.e_shstrndx = 1,
	};
	Elf64_Phdr segment = {
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = 0,
		.p_filesz = CODE_OFFSET + CODE_BYTES,
		.p_memsz = CODE_OFFSET + CODE_BYTES,
	};
	int fd = memfd_create("claims", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, &header, sizeof(header), 0), sizeof(header));
	assert_int_equal(
		pwrite(fd, &segment, sizeof(segment), sizeof(header)), sizeof(segment));
	size_t bytes = count * sizeof(*headers);
	assert_int_equal(pwrite(fd, headers, bytes, SECTIONS_OFFSET), bytes);
	assert_int_equal(ftruncate(fd, (off_t)size), 0);
	return fd;
}

static void write_at(int fd, const void *bytes, size_t length, uint64_t offset)
{
	assert_int_equal(pwrite(fd, bytes, length, (off_t)offset), length);
}

/* All that is asked of a file when a sample is in it. */
static const char *name_at(struct elf_image *image, uint64_t vaddr)
{
	uint64_t start, size;
	elf_image_fde_index(image);
	elf_image_fde_range(image, vaddr, &start, &size);
	elf_image_used_start(image, vaddr, &start, &size);
	elf_image_plt_symbol(image, vaddr);
	const struct elf_symbol *symbol = elf_image_symbol(image, vaddr);
	return symbol ? symbol->name : "";
}

/* This process never had more memory at once. Its peak cannot be set back, so the tests
   come in the order of what they may take. AddressSanitizer keeps what was freed. */
static void assert_peak_below(uint64_t mib)
{
#ifndef SANITIZED
	struct rusage usage;
	getrusage(RUSAGE_SELF, &usage);
	assert_in_range((uint64_t)usage.ru_maxrss >> 10, 1, mib);
#else
	(void)mib;
#endif
}

enum {
	NAMES_OFFSET = 64 << 20, /* behind all section headers */
	SYMBOLS_OFFSET = NAMES_OFFSET + 4096,
	STRINGS_OFFSET = NAMES_OFFSET + 8192,
};

/* The names of sections, .symtab and .strtab, with one function "work". */
static void add_symbol(int fd)
{
	Elf64_Sym symbols[2] = {
		{0}, {.st_name = 1,
			     .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
			     .st_shndx = 4,
			     .st_value = CODE_OFFSET,
			     .st_size = CODE_BYTES}};
	write_at(fd, symbols, sizeof(symbols), SYMBOLS_OFFSET);
	write_at(fd, "\0work", 6, STRINGS_OFFSET);
}

static void begin_sections(Elf64_Shdr *headers, uint64_t names, uint64_t strings)
{
	headers[1] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = NAMES_OFFSET, .sh_size = names};
	headers[2] = (Elf64_Shdr){.sh_type = SHT_SYMTAB,
		.sh_offset = SYMBOLS_OFFSET,
		.sh_size = 2 * sizeof(Elf64_Sym),
		.sh_entsize = sizeof(Elf64_Sym),
		.sh_link = 3};
	headers[3] = (Elf64_Shdr){
		.sh_type = SHT_STRTAB, .sh_offset = STRINGS_OFFSET, .sh_size = strings};
	headers[4] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC | SHF_EXECINSTR,
		.sh_addr = CODE_OFFSET,
		.sh_offset = CODE_OFFSET,
		.sh_size = CODE_BYTES};
}

static void test_names_of_sections_of_three_gigabytes(void **state)
{
	(void)state;
	Elf64_Shdr headers[5] = {{0}};
	begin_sections(headers, 3072 * MIB, 16);
	int fd = make_file(headers, 5, 4096 * MIB);
	add_symbol(fd);
	struct elf_image *image = elf_image_open(fd, NULL);
	assert_non_null(image);
	assert_string_equal(name_at(image, CODE_OFFSET), "work");
	elf_image_destroy(image);
	assert_peak_below(100);
}

static void test_four_million_section_headers(void **state)
{
	(void)state;
	Elf64_Shdr headers[5] = {{.sh_size = 4000000}};
	begin_sections(headers, 16, 16);
	int fd = make_file(headers, 5, 4096 * MIB);
	uint16_t none = 0;
	write_at(fd, &none, sizeof(none), offsetof(Elf64_Ehdr, e_shnum));
	struct error err;
	assert_null(elf_image_open(fd, &err));
	assert_string_equal(err.text, "more than 65536 section headers");
	assert_peak_below(100);
}

static void test_more_program_headers_than_can_be(void **state)
{
	(void)state;
	Elf64_Shdr headers[5] = {{.sh_info = UINT32_MAX}};
	begin_sections(headers, 16, 16);
	int fd = make_file(headers, 5, UINT64_C(1) << 40);
	uint16_t many = PN_XNUM;
	write_at(fd, &many, sizeof(many), offsetof(Elf64_Ehdr, e_phnum));
	struct error err;
	assert_null(elf_image_open(fd, &err));
	assert_string_equal(err.text, "more than 65534 program headers");
}

/* COUNT sections of TYPE and FLAGS, all of the same SIZE bytes; the function is named. */
static void check_repeated(
	uint32_t type, uint64_t flags, uint64_t entry_bytes, uint64_t size, size_t count)
{
	Elf64_Shdr *headers = calloc(count, sizeof(*headers));
	begin_sections(headers, 64, 16);
	for (size_t i = 5; i < count; i++)
		headers[i] = (Elf64_Shdr){.sh_type = type,
			.sh_name = 1,
			.sh_flags = flags,
			.sh_offset = STRINGS_OFFSET + 4096,
			.sh_size = size,
			.sh_entsize = entry_bytes,
			.sh_link = 2};
	int fd = make_file(headers, count, 1024 * MIB);
	write_at(fd, "\0.plt", 6, NAMES_OFFSET);
	add_symbol(fd);
	struct elf_image *image = elf_image_open(fd, NULL);
	assert_non_null(image);
	/* Symbols first, as in a session. */
	const struct elf_symbol *symbol = elf_image_symbol(image, CODE_OFFSET);
	assert_non_null(symbol);
	assert_string_equal(symbol->name, "work");
	assert_string_equal(name_at(image, CODE_OFFSET), "work");
	elf_image_destroy(image);
	free(headers);
}

static void test_ten_thousand_headers_of_one_table(void **state)
{
	(void)state;
	check_repeated(SHT_RELA, SHF_ALLOC, sizeof(Elf64_Rela), 60 * MIB, 10000);
	check_repeated(SHT_RELA, SHF_ALLOC, sizeof(Elf64_Rela), 4096, 60000);
	assert_peak_below(250);
}

static void test_sixty_thousand_stubs(void **state)
{
	(void)state;
	check_repeated(SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 16, 15 * MIB, 60000);
	assert_peak_below(250);
}

static void test_strings_with_holes_are_not_kept(void **state)
{
	(void)state;
	enum {
		FILES = 6
	};
	struct elf_image *images[FILES];
	for (int i = 0; i < FILES; i++) {
		Elf64_Shdr headers[5] = {{0}};
		begin_sections(headers, 16, 250 * MIB);
		int fd = make_file(headers, 5, 1024 * MIB);
		add_symbol(fd);
		images[i] = elf_image_open(fd, NULL);
		assert_non_null(images[i]);
		assert_string_equal(name_at(images[i], CODE_OFFSET), "work");
	}
	assert_peak_below(400);
	for (int i = 0; i < FILES; i++)
		elf_image_destroy(images[i]);
}

static void test_strings_of_half_a_gigabyte_are_not_read(void **state)
{
	(void)state;
	Elf64_Shdr headers[5] = {{0}};
	begin_sections(headers, 16, 512 * MIB);
	int fd = make_file(headers, 5, 1024 * MIB);
	add_symbol(fd);
	struct elf_image *image = elf_image_open(fd, NULL);
	assert_non_null(image);
	assert_string_equal(name_at(image, CODE_OFFSET), "");
	elf_image_destroy(image);
	assert_peak_below(400);
}

/* A file with .debug_info, packed, and the section LINE as .debug_line, which says that it has
   UNPACKED bytes if it is packed. */
static int make_packed(Elf64_Shdr line, uint64_t unpacked)
{
	Elf64_Shdr headers[7] = {{0}};
	begin_sections(headers, 64, 16);
	headers[5] = (Elf64_Shdr){.sh_type = SHT_PROGBITS,
		.sh_name = 1,
		.sh_flags = SHF_COMPRESSED,
		.sh_offset = STRINGS_OFFSET + 4096 * 5,
		.sh_size = 4096};
	headers[6] = line;
	headers[6].sh_type = SHT_PROGBITS;
	headers[6].sh_name = 13;
	headers[6].sh_offset = STRINGS_OFFSET + 4096 * 6;
	int fd = make_file(headers, 7, 1024 * MIB);
	write_at(fd, "\0.debug_info\0.debug_line", 25, NAMES_OFFSET);
	for (uint32_t i = 5; i < 7; i++) {
		Elf64_Chdr packed = {.ch_type = ELFCOMPRESS_ZLIB,
			.ch_size = i == 5 ? 8192 : unpacked,
			.ch_addralign = 1};
		write_at(fd, &packed, sizeof(packed), headers[i].sh_offset);
	}
	return fd;
}

static void test_lines_that_were_packed_too_well(void **state)
{
	(void)state;
	const Elf64_Shdr line = {.sh_flags = SHF_COMPRESSED, .sh_size = 323 << 10};
	struct error err;
	assert_null(elf_lines_open(make_packed(line, 300 * MIB), false, &err));
	assert_string_equal(err.text, "its debug sections are too large");
	assert_peak_below(400);
}

/* Such a section is not measured, so it is not unpacked either; the last of these sizes made the
   sum a small one. */
static void test_lines_that_are_to_be_in_memory(void **state)
{
	(void)state;
	const uint64_t sizes[] = {300 * MIB, UINT64_MAX / 4, 0 - (uint64_t)8192};
	struct error err;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		const Elf64_Shdr line = {.sh_flags = SHF_ALLOC, .sh_size = sizes[i]};
		elf_lines_close(elf_lines_open(make_packed(line, 0), false, &err));
	}
	assert_peak_below(400);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_sections_of_three_gigabytes),
		cmocka_unit_test(test_four_million_section_headers),
		cmocka_unit_test(test_more_program_headers_than_can_be),
		cmocka_unit_test(test_sixty_thousand_stubs),
		cmocka_unit_test(test_ten_thousand_headers_of_one_table),
		cmocka_unit_test(test_strings_with_holes_are_not_kept),
		cmocka_unit_test(test_strings_of_half_a_gigabyte_are_not_read),
		cmocka_unit_test(test_lines_that_were_packed_too_well),
		cmocka_unit_test(test_lines_that_are_to_be_in_memory),
	};
	return unit_run(tests);
}
