/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Function symbols: from the file's table of everything to a sorted table of code. */

#include "src/read/elf/elf-image.h"

#include "src/base/mem.h"
#include "src/read/elf/elf-internal.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum {
	TABLE_MAX_BYTES = 96 << 20,    /* four million symbols */
	STRINGS_MAX_BYTES = 256 << 20, /* a debug build of a browser has 200 MiB */
	STRINGS_KEPT_BYTES = 16 << 20, /* of more, only the names of code */
	NAME_MAX_BYTES = 4096,
	NESTING_MAX = 32,
};

#define NO_SYMBOL UINT32_MAX

/* What decides between names of one address; lower is better. */
enum grade {
	GRADE_LABEL = 16,  /* no function of known size: hand-written assembly */
	GRADE_UNTYPED = 8, /* STT_NOTYPE */
	GRADE_LOCAL = 4,
	GRADE_RESERVED =
		2, /* of the implementation: "__libc_read", whose other name is "read" */
	GRADE_WEAK = 1,
};

struct candidate {
	uint64_t vaddr, size;
	uint32_t name; /* in the string table */
	uint32_t index;
	uint16_t section;
	uint8_t grade;
};

/* Everything that building needs and the finished table does not. */
struct builder {
	struct elf_image *image;
	VEC(GElf_Shdr) sections;
	Elf64_Sym *table;
	size_t table_count;
	char *strings;
	size_t strings_bytes;
	VEC(struct candidate) candidates;
};

/* --- reading ----------------------------------------------------------------------- */

static void read_sections(struct builder *builder)
{
	for (Elf_Scn *section = elf_getscn(builder->image->elf, 0); section;
		section = elf_nextscn(builder->image->elf, section)) {
		GElf_Shdr header;
		if (!gelf_getshdr(section, &header))
			header = (GElf_Shdr){.sh_type = SHT_NULL};
		vec_push(&builder->sections, header);
	}
}

static bool read_table(struct builder *builder, uint32_t type)
{
	const GElf_Shdr *table = NULL;
	vec_each (&builder->sections, header)
		if (header->sh_type == type && !table)
			table = header;
	if (!table || table->sh_entsize != sizeof(Elf64_Sym) ||
		table->sh_link >= builder->sections.len)
		return false;
	const GElf_Shdr *strings = &builder->sections.data[table->sh_link];
	if (strings->sh_type != SHT_STRTAB)
		return false;
	builder->table = elf_image_bytes_of(builder->image, table, TABLE_MAX_BYTES);
	builder->strings = elf_image_bytes_of(builder->image, strings, STRINGS_MAX_BYTES);
	builder->table_count = table->sh_size / sizeof(Elf64_Sym);
	builder->strings_bytes = strings->sh_size;
	return builder->table && builder->strings;
}

/* --- choosing ---------------------------------------------------------------------- */

static const GElf_Shdr *section_of(const struct builder *builder, uint32_t index)
{
	bool special = index == SHN_UNDEF || index >= SHN_LORESERVE;
	return special || index >= builder->sections.len ? NULL
							 : &builder->sections.data[index];
}

/* The vDSO's functions are called by their reserved names: libc has those of the others. */
static bool is_reserved(const char *name)
{
	return strncmp(name, "__", 2) == 0 && strncmp(name, "__vdso_", 7) != 0;
}

static uint8_t grade_of(const Elf64_Sym *symbol, const char *name, bool untyped)
{
	unsigned binding = ELF64_ST_BIND(symbol->st_info);
	return (untyped || symbol->st_size == 0 ? GRADE_LABEL : 0) |
	       (untyped ? GRADE_UNTYPED : 0) | (is_reserved(name) ? GRADE_RESERVED : 0) |
	       (binding == STB_LOCAL	     ? GRADE_LOCAL
		       : binding == STB_WEAK ? GRADE_WEAK
					     : 0);
}

/* Functions, and other names in code sections: of assembly that says no type, or calls it
   an object, as the Glasgow Haskell Compiler does. $x and $d say only where there is code and
   where data (ELF for the Arm 64-bit Architecture, 5.5.4). */
static bool is_code(const struct builder *builder, const Elf64_Sym *symbol, bool *untyped)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);
	*untyped = type == STT_NOTYPE || type == STT_OBJECT;
	if (symbol->st_shndx == SHN_UNDEF || symbol->st_name >= builder->strings_bytes ||
		!builder->strings[symbol->st_name])
		return false;
	if (type == STT_FUNC || type == STT_GNU_IFUNC)
		return true;
	const GElf_Shdr *section = section_of(builder, symbol->st_shndx);
	const char *name = builder->strings + symbol->st_name;
	return *untyped && section && (section->sh_flags & SHF_EXECINSTR) &&
	       strncmp(name, ".L", 2) != 0 && name[0] != '$';
}

static void choose_candidates(struct builder *builder)
{
	for (size_t i = 0; i < builder->table_count; i++) {
		const Elf64_Sym *symbol = &builder->table[i];
		bool untyped = false;
		if (!is_code(builder, symbol, &untyped))
			continue;
		const struct elf_segment *segment =
			elf_image_code_segment(builder->image, symbol->st_value);
		if (!segment)
			continue;
		uint64_t room =
			segment->memory_bytes - (symbol->st_value - segment->vaddr);
		vec_push(&builder->candidates,
			(struct candidate){
				.vaddr = symbol->st_value,
				.size = symbol->st_size < room ? symbol->st_size : room,
				.name = symbol->st_name,
				.index = (uint32_t)i,
				.section = symbol->st_shndx,
				.grade = grade_of(symbol,
					builder->strings + symbol->st_name, untyped),
			});
	}
}

/* By address, grade and place in the table. */
static int compare_candidates(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;
	if (x->vaddr != y->vaddr)
		return x->vaddr < y->vaddr ? -1 : 1;
	if (x->grade != y->grade)
		return x->grade < y->grade ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static void sort_candidates(struct builder *builder)
{
	size_t count = builder->candidates.len;
	struct candidate *all = builder->candidates.data;
	if (count)
		qsort(all, count, sizeof(*all), compare_candidates);
}

/* Join the aliases candidates[FIRST..LIMIT) of one address into the best of them. */
static struct candidate join_aliases(
	const struct builder *builder, size_t first, size_t limit)
{
	struct candidate best = builder->candidates.data[first];
	if (limit - first == 1)
		return best;
	size_t best_length = strnlen(builder->strings + best.name, NAME_MAX_BYTES);
	for (size_t i = first + 1; i < limit; i++) {
		const struct candidate *other = &builder->candidates.data[i];
		if ((other->grade & GRADE_LABEL) == 0 && other->size > best.size)
			best.size = other->size;
		if (other->grade != best.grade)
			continue;
		size_t length = strnlen(builder->strings + other->name, best_length);
		if (length < best_length) {
			best.name = other->name;
			best_length = length;
		}
	}
	return best;
}

/* Sort; join aliases; drop labels inside functions of known size. */
static void settle_candidates(struct builder *builder)
{
	size_t count = builder->candidates.len, kept = 0;
	if (count == 0)
		return;
	sort_candidates(builder);
	struct candidate *all = builder->candidates.data;
	uint64_t covered = 0;
	for (size_t i = 0, next = 0; i < count; i = next) {
		while (next < count && all[next].vaddr == all[i].vaddr)
			next++;
		struct candidate best = join_aliases(builder, i, next);
		bool label = (best.grade & GRADE_LABEL) != 0;
		if (label && best.vaddr < covered)
			continue;
		if (!label && best.vaddr + best.size > covered)
			covered = best.vaddr + best.size;
		all[kept++] = best;
	}
	builder->candidates.len = kept;
}

/* Where a symbol without a size ends at the latest. */
static uint64_t room_after(const struct builder *builder, size_t i)
{
	const struct candidate *candidate = &builder->candidates.data[i];
	const struct elf_segment *segment =
		elf_image_code_segment(builder->image, candidate->vaddr);
	uint64_t room = segment->memory_bytes - (candidate->vaddr - segment->vaddr);
	const GElf_Shdr *section = section_of(builder, candidate->section);
	if (section && candidate->vaddr >= section->sh_addr &&
		candidate->vaddr - section->sh_addr < section->sh_size) {
		uint64_t rest = section->sh_size - (candidate->vaddr - section->sh_addr);
		room = rest < room ? rest : room;
	}
	if (i + 1 < builder->candidates.len) {
		uint64_t rest = candidate[1].vaddr - candidate->vaddr;
		room = rest < room ? rest : room;
	}
	return room;
}

/* Of a long table of strings, most of which may name no code, or be a hole in the file,
   keep only what is needed; unless that is more, because names overlap. */
static void keep_names(struct builder *builder)
{
	size_t bytes = 1;
	if (builder->strings_bytes <= STRINGS_KEPT_BYTES)
		return;
	vec_each (&builder->candidates, candidate) {
		bytes += strlen(builder->strings + candidate->name) + 1;
		if (bytes >= builder->strings_bytes)
			return;
	}
	char *kept = mem_alloc(bytes), *end = kept;
	vec_each (&builder->candidates, candidate) {
		size_t length = strlen(builder->strings + candidate->name) + 1;
		memcpy(end, builder->strings + candidate->name, length);
		candidate->name = (uint32_t)(end - kept);
		end += length;
	}
	free(builder->strings);
	builder->strings = kept;
	builder->strings_bytes = bytes;
}

/* --- the finished table ------------------------------------------------------------ */

static void fill_table(const struct builder *builder, struct elf_symbols *symbols)
{
	size_t count = builder->candidates.len;
	symbols->count = count;
	symbols->entries = mem_resize(NULL, count, sizeof(*symbols->entries));
	symbols->enclosing = mem_resize(NULL, count, sizeof(*symbols->enclosing));
	symbols->unsettled = mem_resize(NULL, count, sizeof(*symbols->unsettled));
	uint32_t open = NO_SYMBOL; /* the innermost symbol that has not ended */
	for (size_t i = 0; i < count; i++) {
		const struct candidate *candidate = &builder->candidates.data[i];
		struct elf_symbol *entry = &symbols->entries[i];
		*entry = (struct elf_symbol){
			.vaddr = candidate->vaddr,
			.size = candidate->size ? candidate->size
						: room_after(builder, i),
			.name = builder->strings + candidate->name,
		};
		symbols->unsettled[i] = candidate->size == 0;
		symbols->has_locals |= (candidate->grade & GRADE_LOCAL) != 0;
		while (open != NO_SYMBOL &&
			symbols->entries[open].vaddr + symbols->entries[open].size <=
				entry->vaddr)
			open = symbols->enclosing[open];
		symbols->enclosing[i] = open;
		open = (uint32_t)i;
	}
}

static bool load(struct elf_image *image, uint32_t type)
{
	struct builder builder = {.image = image};
	uint64_t charged = image->charged, kept = 0;
	read_sections(&builder);
	if (read_table(&builder, type)) {
		choose_candidates(&builder);
		settle_candidates(&builder);
		keep_names(&builder);
	}
	bool found = builder.candidates.len > 0;
	if (found) {
		fill_table(&builder, &image->symbols);
		kept = builder.strings_bytes +
		       builder.candidates.len *
			       (sizeof(*image->symbols.entries) +
				       sizeof(*image->symbols.enclosing) + 1);
		image->symbols.strings = builder.strings;
		builder.strings = NULL;
	}
	free(builder.strings);
	free(builder.table);
	vec_free(&builder.sections);
	vec_free(&builder.candidates);
	elf_image_keep(image, charged, kept);
	return found;
}

static const struct elf_symbols *symbols_of(struct elf_image *image)
{
	if (!image->symbols.loaded) {
		image->symbols.loaded = true;
		if (!load(image, SHT_SYMTAB))
			load(image, SHT_DYNSYM);
	}
	return &image->symbols;
}

void elf_image_set_code(struct elf_image *image, struct elf_image *code)
{
	image->code = code;
}

/* Entry AT says no size: where it really ends. Nothing is in it, so no other is
   changed. */
static void settle(struct elf_image *image, uint32_t at)
{
	struct elf_symbols *symbols = &image->symbols;
	struct elf_symbol *entry = &symbols->entries[at];
	if (!symbols->unsettled[at])
		return;
	symbols->unsettled[at] = false;
	entry->size = elf_extent(image->code ? image->code : image, entry->vaddr,
		entry->size, symbols->has_locals);
}

const struct elf_symbol *elf_image_symbol(struct elf_image *image, uint64_t vaddr)
{
	const struct elf_symbols *symbols = symbols_of(image);
	size_t low = 0, high = symbols->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (symbols->entries[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	uint32_t at = low ? (uint32_t)low - 1 : NO_SYMBOL;
	for (int depth = 0; at != NO_SYMBOL && depth < NESTING_MAX; depth++) {
		const struct elf_symbol *entry = &symbols->entries[at];
		settle(image, at);
		if (vaddr - entry->vaddr < entry->size)
			return entry;
		at = symbols->enclosing[at];
	}
	return NULL;
}

size_t elf_image_symbol_count(struct elf_image *image)
{
	return symbols_of(image)->count;
}

void elf_symbols_finish(struct elf_symbols *symbols)
{
	free(symbols->strings);
	free(symbols->entries);
	free(symbols->enclosing);
	free(symbols->unsettled);
	*symbols = (struct elf_symbols){0};
}
