/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables that a file exports, by name. */

#include "src/read/elf/elf-image.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
	TABLE_MAX_BYTES = 64 << 20,
};

static void take(
	const Elf64_Sym *symbol, const char *name, struct elf_variable *wanted, size_t n)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE ||
		(type != STT_OBJECT && type != STT_FUNC))
		return;
	for (size_t i = 0; i < n; i++)
		if (strcmp(wanted[i].name, name) == 0)
			wanted[i].vaddr = symbol->st_value;
}

void elf_image_find_variables(
	const struct elf_image *image, struct elf_variable *wanted, size_t n)
{
	size_t bytes = 0, names_bytes = 0;
	for (size_t i = 0; i < n; i++)
		wanted[i].vaddr = 0;
	Elf64_Sym *table = elf_image_section(image, ".dynsym", TABLE_MAX_BYTES, &bytes);
	char *names = elf_image_section(image, ".dynstr", TABLE_MAX_BYTES, &names_bytes);
	bool is_whole = table && names && names[names_bytes - 1] == '\0';
	for (size_t i = 0; is_whole && i < bytes / sizeof(*table); i++)
		if (table[i].st_name < names_bytes)
			take(&table[i], names + table[i].st_name, wanted, n);
	free(table);
	free(names);
}
