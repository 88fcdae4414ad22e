/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf-image: hostile files. Every field of every header is set to every value that might
   do harm; files are cut at every length; some files are only unusual. */

#include "tests/lib/unit.h"

#include "src/read/elf/elf-image.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- something to spoil ------------------------------------------------------------- */

struct bytes {
	unsigned char *data;
	size_t size;
};

static struct bytes read_whole(const char *path)
{
	struct bytes bytes = {0};
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) != 0)
		return bytes;
	bytes.size = (size_t)status.st_size;
	bytes.data = malloc(bytes.size);
	assert_int_equal(read(fd, bytes.data, bytes.size), bytes.size);
	close(fd);
	return bytes;
}

/* A small library with every table, made by the compiler of this build; OPTIONS are more
   of its options. Empty if there is no compiler, or it does not know them. */
static struct bytes compile(const char *options)
{
	char dir[] = "./hostile-XXXXXX", source[64], library[64], command[512];
	const char *cc = getenv("CC") ? getenv("CC") : "cc";
	assert_non_null(mkdtemp(dir));
	snprintf(source, sizeof(source), "%s/tiny.c", dir);
	snprintf(library, sizeof(library), "%s/libtiny.so", dir);
	FILE *out = fopen(source, "w");
	fputs("int table[100] = {1};\n"
	      "static int __attribute__((noinline)) one(int x) { return x + table[x]; }\n"
	      "int outside(int x);\n"
	      "int two(int x) { return one(x) * one(x + 1) + outside(x); }\n",
		out);
	fclose(out);
	snprintf(command, sizeof(command),
		"%s -g0 -O1 -fPIC -shared -nostdlib -Wl,--build-id %s -o %s %s "
		"2>/dev/null",
		cc, options, library, source);
	struct bytes bytes = {0};
	if (system(command) == 0)
		bytes = read_whole(library);
	unlink(source);
	unlink(library);
	rmdir(dir);
	return bytes;
}

static struct bytes copy_vdso(void)
{
	const unsigned char *vdso = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
	struct bytes bytes = {0};
	if (!vdso)
		return bytes;
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)vdso;
	bytes.size = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
	bytes.data = malloc(bytes.size);
	memcpy(bytes.data, vdso, bytes.size);
	return bytes;
}

/* --- all that is asked of an image -------------------------------------------------- */

static unsigned ask_everything(struct elf_image *image, size_t size)
{
	if (!image)
		return 0;
	unsigned sum = (unsigned)strlen(elf_image_build_id(image));
	uint64_t vaddr = 0;
	for (uint64_t offset = 0; offset < size; offset += 4096)
		sum += elf_image_vaddr_of_offset(image, offset, &vaddr);
	sum += elf_image_vaddr_of_offset(image, UINT64_MAX, &vaddr);
	unsigned char bytes[256];
	for (uint64_t at = 0; at < size; at += 1000)
		sum += elf_image_read(image, at, bytes, sizeof(bytes));
	sum += elf_image_read(image, UINT64_MAX - 100, bytes, sizeof(bytes));
	struct elf_unwind_table table;
	if (elf_image_unwind_table(image, &table)) {
		/* What it promises is there. */
		assert_true(elf_image_read(image, table.table_vaddr, bytes, 8));
		assert_true(elf_image_read(
			image, table.table_vaddr + (table.fde_count - 1) * 8, bytes, 8));
	}
	const struct elf_fde_index *index = elf_image_fde_index(image);
	for (size_t i = 1; index && i < index->count; i++)
		assert_true(index->entries[i - 1].start <= index->entries[i].start);
	for (uint64_t at = 0; at < size; at += 64) {
		uint64_t start, covered;
		if (elf_image_fde_range(image, at, &start, &covered))
			assert_true(at - start < covered);
		const struct elf_symbol *symbol = elf_image_symbol(image, at);
		if (symbol) {
			assert_true(at - symbol->vaddr < symbol->size);
			sum += (unsigned)strlen(symbol->name);
		}
	}
	for (uint64_t at = 0; at < size; at += 8) {
		const struct elf_symbol *stub = elf_image_plt_symbol(image, at);
		if (stub) {
			assert_true(at - stub->vaddr < stub->size);
			sum += (unsigned)strlen(stub->name);
		}
	}
	elf_image_plt_symbol(image, UINT64_MAX);
	elf_image_symbol(image, UINT64_MAX);
	elf_image_symbol(image, UINT64_C(1) << 63);
	return sum + (unsigned)elf_image_symbol_count(image);
}

/* Both from memory and from a file: libelf has two ways too. */
static void survive(const struct bytes *bytes, size_t size)
{
	struct elf_image *image = elf_image_from_memory(bytes->data, size, NULL);
	ask_everything(image, bytes->size);
	elf_image_destroy(image);

	int fd = memfd_create("spoilt", MFD_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes->data, size), size);
	image = elf_image_open(fd, NULL);
	ask_everything(image, bytes->size);
	elf_image_destroy(image);
}

/* --- spoiling ----------------------------------------------------------------------- */

static void spoil_field(const struct bytes *bytes, size_t offset, size_t width)
{
	const uint64_t values[] = {0, 1, 3, 7, 0x7f, 0xff, 0xfff, 0x1000, 0xffff, 0x10000,
		0x7fffffff, 0x80000000, 0xffffffff, INT64_MAX, UINT64_C(1) << 63,
		UINT64_MAX - 7, UINT64_MAX, bytes->size - 1, bytes->size, bytes->size + 1,
		bytes->size / 2, (uint64_t)-4096};
	unsigned char before[8];
	if (offset > bytes->size || width > bytes->size - offset)
		return;
	memcpy(before, bytes->data + offset, width);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		memcpy(bytes->data + offset, &values[i], width); /* little-endian */
		survive(bytes, bytes->size);
	}
	memcpy(bytes->data + offset, before, width);
}

static void spoil_fields(
	const struct bytes *bytes, size_t base, const size_t (*fields)[2], size_t count)
{
	for (size_t i = 0; i < count; i++)
		spoil_field(bytes, base + fields[i][0], fields[i][1]);
}

#define FIELD(type, member)                                         \
	{                                                           \
		offsetof(type, member), sizeof(((type *)0)->member) \
	}
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const size_t header_fields[][2] = {
	FIELD(Elf64_Ehdr, e_type),
	FIELD(Elf64_Ehdr, e_machine),
	FIELD(Elf64_Ehdr, e_version),
	FIELD(Elf64_Ehdr, e_entry),
	FIELD(Elf64_Ehdr, e_phoff),
	FIELD(Elf64_Ehdr, e_shoff),
	FIELD(Elf64_Ehdr, e_flags),
	FIELD(Elf64_Ehdr, e_ehsize),
	FIELD(Elf64_Ehdr, e_phentsize),
	FIELD(Elf64_Ehdr, e_phnum),
	FIELD(Elf64_Ehdr, e_shentsize),
	FIELD(Elf64_Ehdr, e_shnum),
	FIELD(Elf64_Ehdr, e_shstrndx),
};

static const size_t segment_fields[][2] = {
	FIELD(Elf64_Phdr, p_type),
	FIELD(Elf64_Phdr, p_flags),
	FIELD(Elf64_Phdr, p_offset),
	FIELD(Elf64_Phdr, p_vaddr),
	FIELD(Elf64_Phdr, p_filesz),
	FIELD(Elf64_Phdr, p_memsz),
	FIELD(Elf64_Phdr, p_align),
};

static const size_t section_fields[][2] = {
	FIELD(Elf64_Shdr, sh_type),
	FIELD(Elf64_Shdr, sh_flags),
	FIELD(Elf64_Shdr, sh_addr),
	FIELD(Elf64_Shdr, sh_offset),
	FIELD(Elf64_Shdr, sh_size),
	FIELD(Elf64_Shdr, sh_link),
	FIELD(Elf64_Shdr, sh_entsize),
	FIELD(Elf64_Shdr, sh_addralign),
};

static const size_t symbol_fields[][2] = {
	FIELD(Elf64_Sym, st_name),
	FIELD(Elf64_Sym, st_info),
	FIELD(Elf64_Sym, st_shndx),
	FIELD(Elf64_Sym, st_value),
	FIELD(Elf64_Sym, st_size),
};

static void spoil_structure(struct bytes bytes)
{
	Elf64_Ehdr header;
	memcpy(&header, bytes.data, sizeof(header));
	for (size_t i = 0; i < EI_NIDENT; i++)
		spoil_field(&bytes, i, 1);
	spoil_fields(&bytes, 0, header_fields, COUNT(header_fields));
	for (size_t i = 0; i < header.e_phnum; i++)
		spoil_fields(&bytes, header.e_phoff + i * sizeof(Elf64_Phdr),
			segment_fields, COUNT(segment_fields));
	for (size_t i = 0; i < header.e_shnum; i++) {
		size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
		spoil_fields(&bytes, at, section_fields, COUNT(section_fields));
		Elf64_Shdr section;
		memcpy(&section, bytes.data + at, sizeof(section));
		if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM)
			continue;
		for (size_t k = 0; k < section.sh_size / sizeof(Elf64_Sym); k++)
			spoil_fields(&bytes, section.sh_offset + k * sizeof(Elf64_Sym),
				symbol_fields, COUNT(symbol_fields));
	}
	/* .eh_frame_hdr and the notes, byte by byte. */
	for (size_t i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;
		memcpy(&segment, bytes.data + header.e_phoff + i * sizeof(segment),
			sizeof(segment));
		if (segment.p_type == PT_GNU_EH_FRAME || segment.p_type == PT_NOTE)
			for (size_t k = 0; k < segment.p_filesz && k < 64; k++)
				spoil_field(&bytes, segment.p_offset + k, 1);
	}
}

static void spoil_anywhere(struct bytes bytes)
{
	uint64_t random = 88172645463325252u; /* xorshift64 (Marsaglia 2003) */
	for (int i = 0; i < 2000; i++) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		size_t at = random % (bytes.size - 8);
		unsigned char before[8];
		memcpy(before, bytes.data + at, 8);
		memcpy(bytes.data + at, &random, 1 + random % 8);
		survive(&bytes, bytes.size);
		if (i % 16 != 15) /* let some of it add up */
			memcpy(bytes.data + at, before, 8);
	}
}

static void cut_short(struct bytes bytes)
{
	for (size_t size = 0; size < bytes.size; size += size < 1024 ? 1 : 37)
		survive(&bytes, size);
}

static void with_each_base(void (*spoil)(struct bytes))
{
	struct bytes bases[] = {copy_vdso(), compile("")};
	bool any = false;
	for (size_t i = 0; i < COUNT(bases); i++) {
		if (!bases[i].data)
			continue;
		any = true;
		/* Unspoilt, it gives answers: otherwise nothing here would mean much. */
		struct elf_image *image =
			elf_image_from_memory(bases[i].data, bases[i].size, NULL);
		struct elf_unwind_table table;
		assert_true(elf_image_unwind_table(image, &table));
		assert_true(elf_image_symbol_count(image) > 0);
		elf_image_destroy(image);
		spoil(bases[i]);
		free(bases[i].data);
	}
	if (!any)
		skip();
}

static void test_no_field_can_hurt(void **state)
{
	(void)state;
	with_each_base(spoil_structure);
}

static void test_no_length_can_hurt(void **state)
{
	(void)state;
	with_each_base(cut_short);
}

static void test_no_bytes_can_hurt(void **state)
{
	(void)state;
	with_each_base(spoil_anywhere);
}

/* --- sizes -------------------------------------------------------------------------- */

static void test_a_sparse_terabyte_is_not_read(void **state)
{
	(void)state;
	struct bytes base = copy_vdso();
	if (!base.data)
		skip();
	Elf64_Ehdr *header = (Elf64_Ehdr *)base.data;
	Elf64_Shdr *sections = (Elf64_Shdr *)(base.data + header->e_shoff);
	for (size_t i = 0; i < header->e_shnum; i++)
		if (sections[i].sh_type == SHT_DYNSYM ||
			sections[i].sh_type == SHT_STRTAB)
			sections[i].sh_size = UINT64_C(1) << 31;
	int fd = memfd_create("sparse", MFD_CLOEXEC);
	assert_int_equal(write(fd, base.data, base.size), base.size);
	assert_int_equal(ftruncate(fd, (off_t)1 << 40), 0);
	struct elf_image *image = elf_image_open(fd, NULL);
	assert_non_null(image);
	assert_int_equal(elf_image_symbol_count(image), 0);
	elf_image_destroy(image);
	free(base.data);
}

static void test_a_file_that_shrinks_is_no_bus_error(void **state)
{
	(void)state;
	struct bytes base = copy_vdso();
	if (!base.data)
		skip();
	int fd = memfd_create("shrinks", MFD_CLOEXEC);
	assert_int_equal(write(fd, base.data, base.size), base.size);
	struct elf_image *image = elf_image_open(dup(fd), NULL);
	assert_non_null(image);
	assert_int_equal(ftruncate(fd, 64), 0);
	unsigned char bytes[64];
	assert_false(elf_image_read(image, 128, bytes, sizeof(bytes)));
	ask_everything(image, base.size);
	elf_image_destroy(image);
	close(fd);
	free(base.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_field_can_hurt),
		cmocka_unit_test(test_no_length_can_hurt),
		cmocka_unit_test(test_no_bytes_can_hurt),
		cmocka_unit_test(test_a_sparse_terabyte_is_not_read),
		cmocka_unit_test(test_a_file_that_shrinks_is_no_bus_error),
	};
	return unit_run(tests);
}
