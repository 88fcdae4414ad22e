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

/* A symbol table with its names, each of which ends within them. */
struct symbols {
	Elf64_Sym *table;
	size_t count; /* 0: there is none, or it is malformed */
	char *names;
	size_t names_bytes;
};

static struct symbols read_symbols(
	const struct elf_image *image, const char *table, const char *names)
{
	struct symbols symbols = {.count = 0};
	size_t bytes = 0, names_bytes = 0;
	symbols.table = elf_image_section(image, table, TABLE_MAX_BYTES, &bytes);
	symbols.names = elf_image_section(image, names, TABLE_MAX_BYTES, &names_bytes);
	symbols.names_bytes = names_bytes;
	if (symbols.table && symbols.names && names_bytes > 0 &&
		symbols.names[names_bytes - 1] == '\0')
		symbols.count = bytes / sizeof(*symbols.table);
	return symbols;
}

static void free_symbols(struct symbols *symbols)
{
	free(symbols->table);
	free(symbols->names);
}

static bool is_defined(const struct symbols *symbols, size_t i)
{
	const Elf64_Sym *symbol = &symbols->table[i];
	return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
	       symbol->st_name < symbols->names_bytes;
}

static const char *name_of(const struct symbols *symbols, size_t i)
{
	return symbols->names + symbols->table[i].st_name;
}

static unsigned type_of(const struct symbols *symbols, size_t i)
{
	return ELF64_ST_TYPE(symbols->table[i].st_info);
}

void elf_image_find_variables(
	const struct elf_image *image, struct elf_variable *wanted, size_t n)
{
	struct symbols symbols = read_symbols(image, ".dynsym", ".dynstr");
	for (size_t k = 0; k < n; k++)
		wanted[k].vaddr = 0;
	for (size_t i = 0; i < symbols.count; i++) {
		unsigned type = type_of(&symbols, i);
		if (!is_defined(&symbols, i) || (type != STT_OBJECT && type != STT_FUNC))
			continue;
		for (size_t k = 0; k < n; k++)
			if (strcmp(wanted[k].name, name_of(&symbols, i)) == 0) {
				wanted[k].vaddr = symbols.table[i].st_value;
				wanted[k].size = symbols.table[i].st_size;
			}
	}
	free_symbols(&symbols);
}

static bool is_object(const struct symbols *symbols, size_t i)
{
	return type_of(symbols, i) == STT_OBJECT && is_defined(symbols, i);
}

static bool find_object(
	const struct symbols *symbols, uint64_t vaddr, struct elf_object *out)
{
	const Elf64_Sym *found = NULL;
	for (size_t i = 0; i < symbols->count && !found; i++)
		if (is_object(symbols, i) &&
			vaddr - symbols->table[i].st_value < symbols->table[i].st_size)
			found = &symbols->table[i];
	if (!found)
		return false;
	*out = (struct elf_object){.vaddr = found->st_value,
		.size = found->st_size,
		.name = mem_strdup(symbols->names + found->st_name)};
	for (size_t i = 0; i < symbols->count; i++)
		out->is_shared |= is_object(symbols, i) &&
				  symbols->table[i].st_value != found->st_value &&
				  strcmp(name_of(symbols, i), out->name) == 0;
	return true;
}

static bool find_object_in(const struct elf_image *image, const char *table,
	const char *names, uint64_t vaddr, struct elf_object *out)
{
	struct symbols symbols = read_symbols(image, table, names);
	bool found = find_object(&symbols, vaddr, out);
	free_symbols(&symbols);
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

static bool find_variable(const struct elf_image *image, const char *table,
	const char *names, const char *name, uint64_t *vaddr, uint64_t *size)
{
	struct symbols symbols = read_symbols(image, table, names);
	const Elf64_Sym *found = NULL;
	for (size_t i = 0; i < symbols.count; i++) {
		const Elf64_Sym *symbol = &symbols.table[i];
		bool is_better = !found || ELF64_ST_BIND(found->st_info) == STB_LOCAL;
		if (is_better && is_object(&symbols, i) &&
			strcmp(name_of(&symbols, i), name) == 0)
			found = symbol;
	}
	if (found) {
		*vaddr = found->st_value;
		*size = found->st_size;
	}
	free_symbols(&symbols);
	return found != NULL;
}

bool elf_image_find_variable(
	const struct elf_image *image, const char *name, uint64_t *vaddr, uint64_t *size)
{
	return find_variable(image, ".symtab", ".strtab", name, vaddr, size) ||
	       find_variable(image, ".dynsym", ".dynstr", name, vaddr, size);
}

/* A global one rather than a static one, and what chooses rather than what it may choose: of two
   versions of a function that is the one that new programs call. */
static bool find_function(const struct elf_image *image, const char *table,
	const char *names, const char *name, struct elf_function *out)
{
	struct symbols symbols = read_symbols(image, table, names);
	unsigned found = 0;
	for (size_t i = 0; i < symbols.count; i++) {
		const Elf64_Sym *symbol = &symbols.table[i];
		bool is_indirect = type_of(&symbols, i) == STT_GNU_IFUNC;
		if (!is_defined(&symbols, i) ||
			(type_of(&symbols, i) != STT_FUNC && !is_indirect) ||
			strcmp(name_of(&symbols, i), name) != 0)
			continue;
		unsigned rank = 1 + (ELF64_ST_BIND(symbol->st_info) != STB_LOCAL) +
				2 * is_indirect;
		if (rank > found)
			*out = (struct elf_function){symbol->st_value, is_indirect};
		found = rank > found ? rank : found;
	}
	free_symbols(&symbols);
	return found > 0;
}

bool elf_image_find_function(
	const struct elf_image *image, const char *name, struct elf_function *out)
{
	return find_function(image, ".symtab", ".strtab", name, out) ||
	       find_function(image, ".dynsym", ".dynstr", name, out);
}

/* The symbol NAME of thread-local storage; its index, 0: there is none. */
static uint64_t find_tls(const struct symbols *symbols, const char *name)
{
	for (size_t i = 1; i < symbols->count; i++)
		if (type_of(symbols, i) == STT_TLS && is_defined(symbols, i) &&
			strcmp(name_of(symbols, i), name) == 0)
			return i;
	return 0;
}

/* Where the relocation of TYPE for symbol number INDEX is applied; 0: TABLE has none. */
static uint64_t find_relocation(
	const struct elf_image *image, const char *table, uint64_t type, uint64_t index)
{
	size_t bytes = 0;
	uint64_t found = 0;
	Elf64_Rela *relocations =
		elf_image_section(image, table, TABLE_MAX_BYTES, &bytes);
	for (size_t i = 0; relocations && i < bytes / sizeof(*relocations); i++)
		if (ELF64_R_TYPE(relocations[i].r_info) == type &&
			ELF64_R_SYM(relocations[i].r_info) == index)
			found = relocations[i].r_offset;
	free(relocations);
	return found;
}

bool elf_image_find_tls(
	const struct elf_image *image, const char *name, struct elf_tls *out)
{
	struct symbols symbols = read_symbols(image, ".dynsym", ".dynstr");
	uint64_t index = find_tls(&symbols, name);
	*out = (struct elf_tls){
		.offset = index ? symbols.table[index].st_value : 0,
		.module_slot = find_relocation(
			image, ".rela.dyn", arch_relocation_tls_module, index),
		.descriptor = find_relocation(
			image, ".rela.plt", arch_relocation_tls_descriptor, index),
	};
	if (!out->descriptor)
		out->descriptor = find_relocation(
			image, ".rela.dyn", arch_relocation_tls_descriptor, index);
	free_symbols(&symbols);
	return index != 0;
}

uint64_t elf_image_tls_module(const struct elf_image *image)
{
	return find_relocation(image, ".rela.dyn", arch_relocation_tls_module, 0);
}
