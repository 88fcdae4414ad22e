/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf-image: this program, its libraries and its vDSO, seen as files and compared with
 * what the dynamic linker knows of them. */

#include "tests/lib/compiled.h"
#include "tests/lib/unit.h"

#include "src/read/elf/elf-image.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the truth: what is loaded in this process ------------------------------------- */

struct loaded {
	uintptr_t inside; /* asked: the object that holds this address */
	struct dl_phdr_info info;
	bool found;
};

static int match_object(struct dl_phdr_info *info, size_t size, void *data)
{
	struct loaded *loaded = data;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
		if (info->dlpi_phdr[i].p_type == PT_LOAD && loaded->inside >= start &&
			loaded->inside - start < info->dlpi_phdr[i].p_memsz) {
			loaded->info = *info;
			loaded->found = true;
		}
	}
	return loaded->found;
}

static struct loaded find_loaded(const void *inside)
{
	struct loaded loaded = {.inside = (uintptr_t)inside};
	dl_iterate_phdr(match_object, &loaded);
	assert_true(loaded.found);
	return loaded;
}

static const ElfW(Phdr) * find_header(const struct loaded *loaded, uint32_t type)
{
	for (int i = 0; i < loaded->info.dlpi_phnum; i++)
		if (loaded->info.dlpi_phdr[i].p_type == type)
			return &loaded->info.dlpi_phdr[i];
	return NULL;
}

static struct elf_image *open_image(const char *path)
{
	struct error err = {.text = ""};
	struct elf_image *image = elf_image_open(open(path, O_RDONLY | O_CLOEXEC), &err);
	if (!image)
		fail_msg("%s: %s", path, err.text);
	return image;
}

/* --- agreement with it ------------------------------------------------------------- */

static int static_function(int x)
{
	return x * 3 + 1;
}

/* The index that we make where the linker made none says the same as the linker's. */
static void assert_index_agrees(struct elf_image *image,
	const struct elf_unwind_table *table, const unsigned char *entries)
{
	const struct elf_fde_index *index = elf_image_fde_index(image);
	assert_non_null(index);
	assert_int_equal(index->count, table->fde_count);
	for (size_t i = 0; i < index->count; i++) {
		int32_t pair[2];
		memcpy(pair, entries + i * sizeof(pair), sizeof(pair));
		const struct elf_fde *ours = &index->entries[i];
		assert_true(index->base_vaddr + (uint64_t)(int64_t)ours->start ==
			    table->hdr_vaddr + (uint64_t)(int64_t)pair[0]);
		assert_true(index->base_vaddr + (uint64_t)(int64_t)ours->fde ==
			    table->hdr_vaddr + (uint64_t)(int64_t)pair[1]);
	}
}

static void assert_agrees(struct elf_image *image, const void *inside)
{
	struct loaded loaded = find_loaded(inside);
	uintptr_t bias = loaded.info.dlpi_addr;

	unsigned char bytes[64];
	assert_true(elf_image_read(image, loaded.inside - bias, bytes, sizeof(bytes)));
	assert_memory_equal(bytes, inside, sizeof(bytes));

	const ElfW(Phdr) *hdr = find_header(&loaded, PT_GNU_EH_FRAME);
	struct elf_unwind_table table;
	assert_non_null(hdr);
	assert_true(elf_image_unwind_table(image, &table));
	assert_int_equal(table.hdr_vaddr, hdr->p_vaddr);
	const unsigned char *in_memory = (const unsigned char *)bias + hdr->p_vaddr;
	uint32_t count;
	memcpy(&count, in_memory + 8, sizeof(count));
	assert_int_equal(table.fde_count, count);
	assert_int_equal(table.table_vaddr, hdr->p_vaddr + 12);
	/* The whole table, through the block cache. */
	unsigned char *whole = malloc(count * 8);
	assert_true(elf_image_read(image, table.table_vaddr, whole, count * 8));
	assert_memory_equal(whole, in_memory + 12, count * 8);
	assert_index_agrees(image, &table, whole);
	free(whole);

	const ElfW(Phdr) *relro = find_header(&loaded, PT_GNU_RELRO);
	if (relro)
		assert_false(elf_image_read(image, relro->p_vaddr, bytes, 8));
	assert_false(elf_image_read(image, UINT64_MAX - 3, bytes, 8));
	assert_false(elf_image_read(image, UINT64_C(0x7fffffffffff), bytes, 1));
}

static void test_this_program_agrees_with_its_memory(void **state)
{
	(void)state;
	struct elf_image *image = open_image("/proc/self/exe");
	assert_agrees(image, (const void *)static_function);
	struct loaded loaded = find_loaded((const void *)static_function);
	const struct elf_symbol *symbol =
		elf_image_symbol(image, loaded.inside - loaded.info.dlpi_addr + 1);
	assert_non_null(symbol);
	assert_string_equal(symbol->name, "static_function");
	elf_image_destroy(image);
	elf_image_destroy(NULL);
}

/* What symbols and the unwind table say of this program, each for itself. */
static void test_functions_begin_where_their_symbols_do(void **state)
{
	(void)state;
	struct elf_image *image = open_image("/proc/self/exe");
	unsigned both = 0, same = 0;
	for (uint64_t at = 0; at < 1 << 20; at += 4) {
		uint64_t start, size;
		const struct elf_symbol *symbol = elf_image_symbol(image, at);
		if (!elf_image_fde_range(image, at, &start, &size))
			continue;
		assert_true(at - start < size);
		if (!symbol)
			continue;
		both++;
		same += start == symbol->vaddr;
	}
	print_message("# %u of %u\n", same, both);
	assert_true(both > 1000);
	assert_true(same >= both / 100 * 95);
	uint64_t start, size;
	assert_false(elf_image_fde_range(image, 0, &start, &size));
	assert_false(elf_image_fde_range(image, UINT64_MAX, &start, &size));
	elf_image_destroy(image);
}

static void test_libc_agrees_with_its_memory(void **state)
{
	(void)state;
	const void *inside = dlsym(RTLD_DEFAULT, "hcreate"); /* no sanitizer's business */
	Dl_info info;
	assert_true(dladdr(inside, &info) != 0);
	struct elf_image *image = open_image(info.dli_fname);
	assert_agrees(image, inside);
	assert_int_equal(strlen(elf_image_build_id(image)), 40);
	elf_image_destroy(image);
}

static void test_vdso_is_read_from_memory(void **state)
{
	(void)state;
	const unsigned char *vdso = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
	if (!vdso)
		skip();
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)vdso;
	size_t size = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
	struct elf_image *image = elf_image_from_memory(vdso, size, NULL);
	assert_non_null(image);
	uint64_t vaddr = 1;
	assert_true(elf_image_vaddr_of_offset(image, 0, &vaddr));
	assert_int_equal(vaddr, 0);
	unsigned char bytes[64];
	assert_true(elf_image_read(image, 0, bytes, sizeof(bytes)));
	assert_memory_equal(bytes, vdso, sizeof(bytes));
	struct elf_unwind_table table;
	assert_true(elf_image_unwind_table(image, &table));
	elf_image_destroy(image);
}

static void test_only_tables_that_libunwind_can_read(void **state)
{
	(void)state;
	const unsigned char *vdso = (const unsigned char *)getauxval(AT_SYSINFO_EHDR);
	if (!vdso)
		skip();
	struct loaded loaded = find_loaded(vdso);
	const Elf64_Ehdr *header = (const Elf64_Ehdr *)vdso;
	size_t size = header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr);
	unsigned char *copy = malloc(size);
	memcpy(copy, vdso, size);
	unsigned char *hdr = copy + find_header(&loaded, PT_GNU_EH_FRAME)->p_offset;
	static const unsigned char usual[] = {1, 0x1b, 0x03, 0x3b};
	assert_memory_equal(hdr, usual, sizeof(usual));
	for (size_t byte = 0; byte < sizeof(usual); byte++) {
		for (unsigned value = 0; value < 256; value++) {
			hdr[byte] = (unsigned char)value;
			struct elf_image *image = elf_image_from_memory(copy, size, NULL);
			struct elf_unwind_table table = {0};
			bool usable = elf_image_unwind_table(image, &table);
			if (byte != 1) /* the pointer to .eh_frame may vary */
				assert_true(usable == (value == usual[byte]));
			else if (value == 0x1b || value == 0x03)
				assert_int_equal(table.table_vaddr, table.hdr_vaddr + 12);
			else if (value == 0x50 || value == 0x01)
				assert_false(usable);
			elf_image_destroy(image);
		}
		hdr[byte] = usual[byte];
	}
	free(copy);
}

/* As LLD lays a file out: segments follow each other without padding, so that two of them
   share a page of the file, which is mapped twice. Here even two executable ones do. */
static void test_segments_that_share_a_page(void **state)
{
	(void)state;
	struct {
		Elf64_Ehdr header;
		Elf64_Phdr segments[4];
		unsigned char rest[0x4000];
	} *file = calloc(1, sizeof(*file));
	file->header = (Elf64_Ehdr){
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 4,
	};
	static const struct {
		uint32_t flags;
		uint64_t offset, vaddr, bytes;
	} layout[] = {
		{PF_R, 0x0, 0x0, 0x1640},
		{PF_R | PF_X, 0x1640, 0x2640, 0xfc0}, /* to 0x2600 */
		{PF_R | PF_X, 0x2600, 0x4600, 0x500}, /* to 0x2b00 */
		{PF_R | PF_W, 0x2b00, 0x5b00, 0x500},
	};
	for (size_t i = 0; i < 4; i++)
		file->segments[i] = (Elf64_Phdr){.p_type = PT_LOAD,
			.p_flags = layout[i].flags,
			.p_offset = layout[i].offset,
			.p_vaddr = layout[i].vaddr,
			.p_filesz = layout[i].bytes,
			.p_memsz = layout[i].bytes};
	memset((unsigned char *)file + 0x1640, 'a', 0xfc0);
	memset((unsigned char *)file + 0x2600, 'b', 0x500);
	memset((unsigned char *)file + 0x2b00, 'w', 0x500);
	struct elf_image *image = elf_image_from_memory(file, sizeof(*file), NULL);
	assert_non_null(image);

	/* The kernel maps the pages of the executable segments from 0x1000 to 0x2000, and
	   from 0x2000 to 0x4000. */
	uint64_t vaddr = 0;
	assert_true(elf_image_vaddr_of_offset(image, 0x1000, &vaddr));
	assert_int_equal(vaddr, 0x2000);
	assert_true(elf_image_vaddr_of_offset(image, 0x2000, &vaddr));
	assert_int_equal(vaddr, 0x4000);
	assert_false(elf_image_vaddr_of_offset(image, 0x4000, &vaddr));

	char byte;
	assert_true(elf_image_read(image, 0x2640, &byte, 1) && byte == 'a');
	assert_true(elf_image_read(image, 0x35ff, &byte, 1) && byte == 'a');
	assert_false(elf_image_read(image, 0x3600, &byte, 1));
	assert_true(elf_image_read(image, 0x4600, &byte, 1) && byte == 'b');
	assert_false(elf_image_read(image, 0x5b00, &byte, 1)); /* writable */
	elf_image_destroy(image);
	free(file);
}

static void test_what_is_no_elf_file_is_refused(void **state)
{
	(void)state;
	struct error err;
	assert_null(elf_image_open(open("/proc/self/cmdline", O_RDONLY), &err));
	assert_null(elf_image_open(open("/", O_RDONLY), &err));
	assert_string_equal(err.text, "not a regular file");
	assert_null(elf_image_open(open("/dev/zero", O_RDONLY), &err));
	assert_null(elf_image_open(-1, &err));
	assert_null(elf_image_from_memory("", 0, &err));
	assert_null(elf_image_from_memory("\177ELF", 4, &err));
	assert_string_equal(err.text, "not an ELF file");
	assert_null(elf_image_open(open("/etc/passwd", O_RDONLY), NULL));
}

static void test_variables_by_name(void **state)
{
	(void)state;
	struct compiled compiled = compiled_begin();
	compiled_write(&compiled, "v.c",
		"int shown = 3, also = 4;\n"
		"__thread int first, own;\n"
		"static __thread int inner;\n"
		"int *mine(void) { return &own; }\n"
		"int *its(void) { return &inner; }\n"
		"static int hidden = 5;\n"
		"extern int elsewhere;\n"
		"int function(void) { return hidden + elsewhere; }\n");
	if (!compiled_run(&compiled, "$CC -shared -fPIC -o v.so v.c && "
				     "nm v.so | grep ' shown$' >address")) {
		compiled_end(&compiled);
		skip();
	}
	struct elf_image *image = compiled_image(&compiled, "v.so");
	struct elf_variable wanted[] = {{.name = "also"}, {.name = "shown"},
		{.name = "function"}, {.name = "hidden"}, {.name = "elsewhere"},
		{.name = "own"}, {.name = "nothing"}};
	elf_image_find_variables(image, wanted, sizeof(wanted) / sizeof(*wanted));
	char text[64] = "";
	int fd = compiled_open(&compiled, "address");
	assert_true(read(fd, text, sizeof(text) - 1) > 0);
	close(fd);
	assert_true(wanted[1].vaddr == strtoull(text, NULL, 16));
	assert_true(wanted[0].vaddr != 0 && wanted[0].vaddr != wanted[1].vaddr);
	assert_true(wanted[2].vaddr != 0);
	for (int i = 3; i < 7; i++)
		assert_true(wanted[i].vaddr == 0);
	struct elf_object object;
	assert_true(elf_image_object_at(image, wanted[0].vaddr + 3, &object));
	assert_string_equal(object.name, "also");
	assert_int_equal(object.size, 4);
	assert_false(object.is_shared);
	free(object.name);
	assert_false(elf_image_object_at(image, wanted[2].vaddr, &object));
	assert_false(elf_image_object_at(image, 0, &object));
	struct elf_tls first, own;
	assert_true(elf_image_find_tls(image, "first", &first));
	assert_true(elf_image_find_tls(image, "own", &own));
	assert_int_equal(first.offset + own.offset, 4);
	assert_int_equal(first.module_slot, 0); /* no code asks for it */
	assert_true(own.module_slot != 0);
	uint64_t module = elf_image_tls_module(image);
	assert_true((module != 0) == (own.module_slot != 0));
	assert_true(module == 0 || module != own.module_slot);
	assert_false(elf_image_find_tls(image, "shown", &own));
	elf_image_destroy(image);
	compiled_end(&compiled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_this_program_agrees_with_its_memory),
		cmocka_unit_test(test_functions_begin_where_their_symbols_do),
		cmocka_unit_test(test_libc_agrees_with_its_memory),
		cmocka_unit_test(test_vdso_is_read_from_memory),
		cmocka_unit_test(test_only_tables_that_libunwind_can_read),
		cmocka_unit_test(test_segments_that_share_a_page),
		cmocka_unit_test(test_variables_by_name),
		cmocka_unit_test(test_what_is_no_elf_file_is_refused),
	};
	return unit_run(tests);
}
