/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elf-image: which symbol covers an address, held against readelf. */

#include "tests/lib/unit.h"

#include "src/read/elf/elf-image.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

struct listed {
	uint64_t vaddr, size;
	char name[256];
};

/* The functions of known size that readelf lists. */
static struct listed *list_functions(const char *path, size_t *count)
{
	char command[4400], line[1024];
	snprintf(command, sizeof(command), "readelf -s -W '%s' 2>/dev/null", path);
	FILE *in = popen(command, "r");
	struct listed *all = NULL;
	size_t room = 0;
	*count = 0;
	while (in && fgets(line, sizeof(line), in)) {
		if (*count == room)
			all = realloc(all, (room = room * 2 + 64) * sizeof(*all));
		struct listed *entry = &all[*count];
		char size[32], type[16], section[16];
		unsigned long vaddr;
		if (sscanf(line, " %*d: %lx %31s %15s %*s %*s %15s %255s", &vaddr, size,
			    type, section, entry->name) != 5)
			continue;
		entry->vaddr = vaddr;
		entry->size = strtoull(size, NULL, 0);
		if ((strcmp(type, "FUNC") != 0 && strcmp(type, "IFUNC") != 0) ||
			strcmp(section, "UND") == 0 || entry->size == 0)
			continue;
		entry->name[strcspn(entry->name, "@")] = '\0';
		(*count)++;
	}
	if (in)
		pclose(in);
	return all;
}

static bool is_alias(
	const struct listed *all, size_t count, uint64_t vaddr, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (all[i].vaddr == vaddr &&
			strncmp(all[i].name, name, strcspn(name, "@")) == 0)
			return true;
	return false;
}

static void assert_agrees(const char *path)
{
	size_t count = 0;
	struct listed *all = list_functions(path, &count);
	if (count == 0)
		skip(); /* no readelf */
	struct elf_image *image = elf_image_open(open(path, O_RDONLY | O_CLOEXEC), NULL);
	assert_non_null(image);
	for (size_t i = 0; i < count; i++) {
		const struct elf_symbol *symbol = elf_image_symbol(image, all[i].vaddr);
		assert_non_null(symbol);
		assert_int_equal(symbol->vaddr, all[i].vaddr);
		assert_true(symbol->size >= all[i].size);
		assert_true(is_alias(all, count, all[i].vaddr, symbol->name));
		symbol = elf_image_symbol(image, all[i].vaddr + all[i].size - 1);
		assert_non_null(symbol);
		assert_true(symbol->vaddr >= all[i].vaddr);
	}
	elf_image_destroy(image);
	free(all);
}

static void test_symtab_agrees_with_readelf(void **state)
{
	(void)state;
	char exe[4096];
	ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	assert_true(length > 0);
	exe[length] = '\0';
	assert_agrees(exe);
}

static void test_dynsym_agrees_with_readelf(void **state)
{
	(void)state;
	Dl_info info;
	assert_true(dladdr(dlsym(RTLD_DEFAULT, "hcreate"), &info) != 0);
	assert_agrees(info.dli_fname);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_symtab_agrees_with_readelf),
		cmocka_unit_test(test_dynsym_agrees_with_readelf),
	};
	return unit_run(tests);
}
