/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An ELF file of the target's: all that is asked of one, of its debug file, which is itself, and
 * of Go's table in it. */

#include "tests/fuzz/fuzz.h"

#include "src/read/elf/code-names.h"
#include "src/read/elf/debug-file.h"
#include "src/read/elf/elf-go.h"
#include "src/read/elf/elf-image.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	STEPS = 64, /* places that are asked for */
};

static void ask_for_tables(struct elf_image *image)
{
	unsigned char word[8];
	struct elf_unwind_table table;
	if (elf_image_unwind_table(image, &table)) {
		uint64_t last = table.table_vaddr + (table.fde_count - 1) * 8;
		FUZZ_CHECK(elf_image_read(image, table.table_vaddr, word, 8));
		FUZZ_CHECK(elf_image_read(image, last, word, 8));
	}
	const struct elf_fde_index *index = elf_image_fde_index(image);
	for (size_t i = 1; index && i < index->count; i++)
		FUZZ_CHECK(index->entries[i - 1].start <= index->entries[i].start);
}

static void ask_for_debug_files(struct elf_image *image)
{
	char name[ELF_DEBUGLINK_NAME_MAX];
	uint32_t crc;
	size_t length;
	FUZZ_CHECK(strlen(elf_image_build_id(image)) % 2 == 0);
	if (elf_image_debuglink(image, name, &crc))
		FUZZ_CHECK(!strchr(name, '/') && strlen(name) < sizeof(name));
	elf_image_destroy(elf_image_packed_symbols(image));
	struct elf_variable variables[] = {{.name = "environ"}, {.name = "stdout"}};
	elf_image_find_variables(image, variables, 2);
	free(elf_image_section(image, ".debug_info", 1 << 20, &length));
	elf_image_has_section(image, ".text");
}

static char folder[] = "/tmp/cproftop-fuzz.XXXXXX";
static int folder_fd = -1;

static void remove_folder(void)
{
	unlinkat(folder_fd, "lib", AT_REMOVEDIR);
	unlinkat(folder_fd, ".build-id", AT_REMOVEDIR);
	rmdir(folder);
}

static void make_folder(void)
{
	FUZZ_CHECK(mkdtemp(folder));
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FUZZ_CHECK(mkdirat(folder_fd, "lib", 0700) == 0 &&
		   mkdirat(folder_fd, ".build-id", 0700) == 0);
	atexit(remove_folder);
}

/* IMAGE with itself, BYTES, as the debug file NAME. */
static void ask_with_debug_file(const struct elf_image *image, const char *name,
	const uint8_t *bytes, size_t size)
{
	static const char *const paths[] = {
		"/lib/a.so", "/lib/../lib/a.so", "a.so", "/nowhere/a.so"};
	char dirs[sizeof(folder) + 16];
	int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return; /* no file can have this name */
	FUZZ_CHECK(write(fd, bytes, size) == (ssize_t)size);
	close(fd);
	snprintf(dirs, sizeof(dirs), "/nowhere::%s", folder);
	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		struct elf_image *found = debug_file_open(image, paths[i], dirs);
		/* A copy has the same build ID. */
		FUZZ_CHECK(!found || strcmp(elf_image_build_id(found),
					     elf_image_build_id(image)) == 0);
		elf_image_destroy(found);
	}
	unlinkat(folder_fd, name, 0);
}

static void ask_for_itself(
	const struct elf_image *image, const uint8_t *bytes, size_t size)
{
	char name[ELF_DEBUGLINK_NAME_MAX], path[ELF_DEBUGLINK_NAME_MAX + 64];
	const char *id = elf_image_build_id(image);
	uint32_t crc;
	if (folder_fd < 0)
		make_folder();
	if (elf_image_debuglink(image, name, &crc)) {
		snprintf(path, sizeof(path), "lib/%s", name);
		ask_with_debug_file(image, path, bytes, size);
	}
	if (strlen(id) < 4 || strlen(id) > ELF_DEBUGLINK_NAME_MAX)
		return;
	snprintf(path, sizeof(path), ".build-id/%.2s", id);
	mkdirat(folder_fd, path, 0700);
	snprintf(path, sizeof(path), ".build-id/%.2s/%s.debug", id, id + 2);
	ask_with_debug_file(image, path, bytes, size);
	snprintf(path, sizeof(path), ".build-id/%.2s", id);
	unlinkat(folder_fd, path, AT_REMOVEDIR);
}

static void ask_for_names(struct elf_image *image, uint64_t vaddr)
{
	const struct elf_symbol *symbol = elf_image_symbol(image, vaddr);
	if (symbol) {
		FUZZ_CHECK(vaddr - symbol->vaddr < symbol->size);
		FUZZ_CHECK(strlen(symbol->name) < SIZE_MAX);
	}
	symbol = elf_image_plt_symbol(image, vaddr);
	FUZZ_CHECK(!symbol || strlen(symbol->name) < SIZE_MAX);
}

static void ask_go(struct elf_go *go, uint64_t vaddr)
{
	struct elf_go_line line;
	const struct elf_symbol *symbol = elf_go_symbol(go, vaddr);
	FUZZ_CHECK(!symbol || strlen(symbol->name) < SIZE_MAX);
	if (elf_go_line(go, vaddr, &line))
		FUZZ_CHECK(strlen(line.function) + strlen(line.file) < SIZE_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct elf_image *image = elf_image_from_memory(bytes, size, NULL);
	if (!image)
		return 0;
	ask_for_tables(image);
	ask_for_debug_files(image);
	ask_for_itself(image, bytes, size);
	struct elf_go *go = elf_go_open(image);
	uint64_t base = 0;
	elf_image_vaddr_of_offset(image, 0x1000, &base);
	for (uint64_t i = 0; i < STEPS; i++) {
		uint64_t vaddr = base + i * (size / STEPS);
		ask_for_names(image, vaddr);
		if (go)
			ask_go(go, vaddr);
	}
	ask_for_names(image, UINT64_MAX);
	elf_go_close(go);
	elf_image_destroy(image);
	return 0;
}
