/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables and functions that a file exports, by name; variables by address. */

#include "src/read/elf/elf-image.h"

#include "src/arch/arch.h"
#include "src/base/mem.h"
#include "src/read/elf/elf-internal.h"

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

static bool is_object(const Elf64_Sym *symbol, size_t names_bytes)
{
	return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT &&
	       symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
	       symbol->st_name < names_bytes;
}

static bool find_object(const Elf64_Sym *table, size_t count, const char *names,
	size_t names_bytes, uint64_t vaddr, struct elf_object *out)
{
	const Elf64_Sym *found = NULL;
	for (size_t i = 0; i < count && !found; i++)
		if (is_object(&table[i], names_bytes) && table[i].st_size > 0 &&
			vaddr - table[i].st_value < table[i].st_size)
			found = &table[i];
	if (!found)
		return false;
	*out = (struct elf_object){.vaddr = found->st_value,
		.size = found->st_size,
		.name = mem_strdup(names + found->st_name)};
	for (size_t i = 0; i < count; i++)
		out->is_shared |= is_object(&table[i], names_bytes) &&
				  table[i].st_value != found->st_value &&
				  strcmp(names + table[i].st_name, out->name) == 0;
	return true;
}

static bool find_object_in(const struct elf_image *image, const char *symbols,
	const char *strings, uint64_t vaddr, struct elf_object *out)
{
	size_t bytes = 0, names_bytes = 0;
	Elf64_Sym *table = elf_image_section(image, symbols, TABLE_MAX_BYTES, &bytes);
	char *names = elf_image_section(image, strings, TABLE_MAX_BYTES, &names_bytes);
	bool found = table && names && names_bytes && names[names_bytes - 1] == '\0' &&
		     find_object(table, bytes / sizeof(*table), names, names_bytes, vaddr,
			     out);
	free(table);
	free(names);
	return found;
}

bool elf_image_object_at(
	const struct elf_image *image, uint64_t vaddr, struct elf_object *out)
{
	bool is_writable = false;
	vec_each (&image->segments, segment)
		is_writable |= (segment->flags & PF_W) &&
			       vaddr - segment->vaddr < segment->memory_bytes;
	return is_writable &&
	       (find_object_in(image, ".symtab", ".strtab", vaddr, out) ||
		       find_object_in(image, ".dynsym", ".dynstr", vaddr, out));
}

/* A global one rather than a static one, and what chooses rather than what it may choose: of two
   versions of a function that is the one that new programs call. */
static bool find_function(const struct elf_image *image, const char *table_name,
	const char *names_name, const char *name, struct elf_function *out)
{
	size_t bytes = 0, names_bytes = 0;
	Elf64_Sym *table = elf_image_section(image, table_name, TABLE_MAX_BYTES, &bytes);
	char *names = elf_image_section(image, names_name, TABLE_MAX_BYTES, &names_bytes);
	bool is_whole = table && names && names_bytes && names[names_bytes - 1] == '\0';
	unsigned found = 0;
	for (size_t i = 0; is_whole && i < bytes / sizeof(*table); i++) {
		const Elf64_Sym *symbol = &table[i];
		unsigned type = ELF64_ST_TYPE(symbol->st_info);
		if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= SHN_LORESERVE ||
			(type != STT_FUNC && type != STT_GNU_IFUNC) ||
			symbol->st_name >= names_bytes ||
			strcmp(names + symbol->st_name, name) != 0)
			continue;
		unsigned rank = 1 + (ELF64_ST_BIND(symbol->st_info) != STB_LOCAL) +
				2 * (type == STT_GNU_IFUNC);
		if (rank > found)
			*out = (struct elf_function){
				symbol->st_value, type == STT_GNU_IFUNC};
		found = rank > found ? rank : found;
	}
	free(table);
	free(names);
	return found > 0;
}

bool elf_image_find_function(
	const struct elf_image *image, const char *name, struct elf_function *out)
{
	return find_function(image, ".symtab", ".strtab", name, out) ||
	       find_function(image, ".dynsym", ".dynstr", name, out);
}

/* The symbol NAME of thread-local storage; its index in TABLE, 0: there is none. */
static uint64_t find_tls(const Elf64_Sym *table, size_t count, const char *names,
	size_t names_bytes, const char *name)
{
	for (size_t i = 1; i < count; i++)
		if (ELF64_ST_TYPE(table[i].st_info) == STT_TLS &&
			table[i].st_shndx != SHN_UNDEF &&
			table[i].st_name < names_bytes &&
			strcmp(names + table[i].st_name, name) == 0)
			return i;
	return 0;
}

bool elf_image_find_tls(
	const struct elf_image *image, const char *name, struct elf_tls *out)
{
	size_t bytes = 0, names_bytes = 0, relocations_bytes = 0;
	Elf64_Sym *table = elf_image_section(image, ".dynsym", TABLE_MAX_BYTES, &bytes);
	char *names = elf_image_section(image, ".dynstr", TABLE_MAX_BYTES, &names_bytes);
	Elf64_Rela *relocations = elf_image_section(
		image, ".rela.dyn", TABLE_MAX_BYTES, &relocations_bytes);
	uint64_t index = table && names && names[names_bytes - 1] == '\0'
				 ? find_tls(table, bytes / sizeof(*table), names,
					   names_bytes, name)
				 : 0;
	*out = (struct elf_tls){.offset = index ? table[index].st_value : 0};
	for (size_t i = 0; relocations && i < relocations_bytes / sizeof(*relocations);
		i++)
		if (ELF64_R_TYPE(relocations[i].r_info) == arch_relocation_tls_module &&
			ELF64_R_SYM(relocations[i].r_info) == index)
			out->module_slot = relocations[i].r_offset;
	free(table);
	free(names);
	free(relocations);
	return index != 0;
}
