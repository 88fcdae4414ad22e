/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of PLT entries. A stub has no symbol: it jumps through a word of the GOT, and a
   relocation of that word says what it leads to. All of this is in the file, with any
   linker. */

#include "src/read/elf/elf-image.h"

#include "src/arch/arch.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/read/elf/elf-internal.h"

#include <elf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	RELOCATIONS_MAX_BYTES = 64 << 20,
	CODE_MAX_BYTES = 16 << 20,
	SYMBOLS_MAX_BYTES = 64 << 20,
	STRINGS_MAX_BYTES = 128 << 20,
	NAME_MAX_BYTES = 4096,
	NAMES_MAX_BYTES = 64 << 20, /* of all stubs */
	SLOTS_MAX = 1 << 20,
};

#define NO_NAME UINT32_MAX

struct stub {
	uint64_t vaddr, size;
	uint32_t name; /* where in NAMES */
};

struct builder {
	struct elf_image *image;
	size_t names_section; /* the section with the names of sections */
	VEC(GElf_Shdr) sections;
	struct idmap slots;	/* (address of a GOT word, 0) -> where in NAMES */
	VEC(uint32_t) by_index; /* the same, of .rela.plt in its order */
	VEC(char) names;
	VEC(struct stub) stubs;
};

static const char *section_name(const struct builder *builder, const GElf_Shdr *header)
{
	const char *name =
		elf_strptr(builder->image->elf, builder->names_section, header->sh_name);
	return name ? name : "";
}

/* --- what the words of the GOT lead to --------------------------------------------- */

static uint32_t add_name(struct builder *builder, const char *name)
{
	size_t length = strnlen(name, NAME_MAX_BYTES);
	uint32_t at = (uint32_t)builder->names.len;
	if (length == 0 || builder->names.len > NAMES_MAX_BYTES)
		return NO_NAME;
	for (size_t i = 0; i < length; i++)
		vec_push(&builder->names, name[i]);
	for (const char *c = "@plt"; *c; c++)
		vec_push(&builder->names, *c);
	vec_push(&builder->names, '\0');
	return at;
}

/* The symbol table that a section of relocations is about. */
struct linked {
	Elf64_Sym *symbols;
	size_t count;
	char *strings;
	size_t strings_bytes;
};

static struct linked read_linked(const struct builder *builder, uint32_t index)
{
	struct linked linked = {0};
	if (index == 0 || index >= builder->sections.len)
		return linked;
	const GElf_Shdr *table = &builder->sections.data[index];
	if (table->sh_entsize != sizeof(Elf64_Sym) ||
		table->sh_link >= builder->sections.len)
		return linked;
	const GElf_Shdr *strings = &builder->sections.data[table->sh_link];
	linked.strings = elf_image_bytes_of(builder->image, strings, STRINGS_MAX_BYTES);
	linked.strings_bytes = strings->sh_size;
	linked.symbols = elf_image_bytes_of(builder->image, table, SYMBOLS_MAX_BYTES);
	if (linked.symbols && linked.strings)
		linked.count = table->sh_size / sizeof(Elf64_Sym);
	return linked;
}

static uint32_t name_of(struct builder *builder, const struct linked *linked,
	const Elf64_Rela *relocation)
{
	uint64_t index = ELF64_R_SYM(relocation->r_info);
	uint64_t kind = ELF64_R_TYPE(relocation->r_info);
	if (kind == arch_relocation_irelative) {
		const struct elf_symbol *chooser =
			elf_image_symbol(builder->image, (uint64_t)relocation->r_addend);
		return chooser ? add_name(builder, chooser->name) : NO_NAME;
	}
	if ((kind != arch_relocation_jump_slot && kind != arch_relocation_glob_dat) ||
		index >= linked->count)
		return NO_NAME;
	uint32_t at = linked->symbols[index].st_name;
	return at < linked->strings_bytes ? add_name(builder, linked->strings + at)
					  : NO_NAME;
}

static void take_relocations(struct builder *builder, const GElf_Shdr *header)
{
	Elf64_Rela *all =
		elf_image_bytes_of(builder->image, header, RELOCATIONS_MAX_BYTES);
	if (!all)
		return;
	struct linked linked = read_linked(builder, header->sh_link);
	bool is_plt = strcmp(section_name(builder, header), ".rela.plt") == 0;
	size_t count = header->sh_size / sizeof(*all);
	for (size_t i = 0; i < count; i++) {
		uint32_t name = name_of(builder, &linked, &all[i]);
		if (is_plt)
			vec_push(&builder->by_index, name);
		if (name != NO_NAME && builder->slots.len < SLOTS_MAX)
			idmap_put(&builder->slots, all[i].r_offset, 0, name);
	}
	free(linked.symbols);
	free(linked.strings);
	free(all);
}

/* --- the stubs --------------------------------------------------------------------- */

static uint32_t name_of_stub(const struct builder *builder, const struct arch_plt *entry)
{
	if (!entry->has_slot)
		return entry->index < builder->by_index.len
			       ? builder->by_index.data[entry->index]
			       : NO_NAME;
	const uint32_t *name = idmap_get(&builder->slots, entry->slot, 0);
	return name ? *name : NO_NAME;
}

static void take_stubs(struct builder *builder, const GElf_Shdr *header)
{
	unsigned char *code = elf_image_bytes_of(builder->image, header, CODE_MAX_BYTES);
	bool is_got = strcmp(section_name(builder, header), ".plt.got") == 0;
	uint64_t step = header->sh_entsize;
	if (step != 8 && step != 16 && step != 24)
		step = is_got && ARCH_INSN_ALIGNMENT == 1 ? 8 : 16;
	for (uint64_t at = 0, skip; code && header->sh_size - at >= step; at += skip) {
		struct arch_plt entry;
		uint64_t vaddr = header->sh_addr + at;
		bool is_entry = arch_plt_entry(code + at, step, vaddr, &entry);
		/* What comes first may be of another length. */
		skip = is_entry || ARCH_INSN_ALIGNMENT == 1 ? step : ARCH_INSN_ALIGNMENT;
		if (!is_entry)
			continue;
		uint32_t name = name_of_stub(builder, &entry);
		if (name != NO_NAME)
			vec_push(&builder->stubs, (struct stub){vaddr, step, name});
	}
	free(code);
}

static int compare_stubs(const void *left, const void *right)
{
	const struct stub *a = left, *b = right;
	return (a->vaddr > b->vaddr) - (a->vaddr < b->vaddr);
}

static void fill_table(struct builder *builder, struct elf_symbols *plt)
{
	plt->count = builder->stubs.len;
	plt->strings = builder->names.data;
	builder->names.data = NULL;
	if (plt->count == 0)
		return;
	qsort(builder->stubs.data, plt->count, sizeof(*builder->stubs.data),
		compare_stubs);
	plt->entries = mem_resize(NULL, plt->count, sizeof(*plt->entries));
	for (size_t i = 0; i < plt->count; i++) {
		const struct stub *stub = &builder->stubs.data[i];
		plt->entries[i] = (struct elf_symbol){
			.vaddr = stub->vaddr,
			.size = stub->size,
			.name = plt->strings + stub->name,
		};
	}
}

static void load(struct elf_image *image)
{
	struct builder builder = {.image = image};
	builder.names_section = elf_image_section_names(image);
	if (!builder.names_section)
		return;
	for (Elf_Scn *section = elf_getscn(image->elf, 0); section;
		section = elf_nextscn(image->elf, section)) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header))
			header = (GElf_Shdr){.sh_type = SHT_NULL};
		vec_push(&builder.sections, header);
	}
	vec_each (&builder.sections, header)
		if (header->sh_type == SHT_RELA && (header->sh_flags & SHF_ALLOC) &&
			header->sh_entsize == sizeof(Elf64_Rela))
			take_relocations(&builder, header);
	vec_each (&builder.sections, header)
		if ((header->sh_flags & SHF_EXECINSTR) &&
			strncmp(section_name(&builder, header), ".plt", 4) == 0)
			take_stubs(&builder, header);
	fill_table(&builder, &image->plt);
	image->plt_slots = builder.slots;
	vec_free(&builder.sections);
	vec_free(&builder.by_index);
	vec_free(&builder.names);
	vec_free(&builder.stubs);
}

static const struct elf_symbols *plt_of(struct elf_image *image)
{
	if (!image->plt.loaded) {
		image->plt.loaded = true;
		load(image);
	}
	return &image->plt;
}

const char *elf_image_slot_name(struct elf_image *image, uint64_t vaddr)
{
	const struct elf_symbols *plt = plt_of(image);
	const uint32_t *at = idmap_get(&image->plt_slots, vaddr, 0);
	return at ? plt->strings + *at : NULL;
}

const struct elf_symbol *elf_image_plt_symbol(struct elf_image *image, uint64_t vaddr)
{
	const struct elf_symbols *plt = plt_of(image);
	size_t low = 0, high = plt->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (plt->entries[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || vaddr - plt->entries[low - 1].vaddr >= plt->entries[low - 1].size)
		return NULL;
	return &plt->entries[low - 1];
}
