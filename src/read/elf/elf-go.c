/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/elf/elf-go.h"

#include "src/base/mem.h"
#include "src/read/elf/elf-go-text.h"
#include "src/read/elf/elf-internal.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum {
	TABLE_MAX_BYTES = 512 << 20,
	FUNCTIONS_MAX = 8 << 20,
	STEPS_MAX = 1 << 20, /* of one function's lines */
	PARTS = 5,
	/* the function sets the stack pointer; the table is not valid */
	FLAG_SPWRITE = 2,
};

static const char *const section_names[] = {
	".gopclntab", ".data.rel.ro.gopclntab", /* of position-independent programs */
};

/* The layout of one version of the table. */
struct layout {
	uint32_t magic;
	bool relative;	     /* entries are 32 bits, from where the text starts */
	unsigned first_part; /* which word of the header is the first of PARTS offsets */
	/* In a function's record. */
	unsigned name, pcsp, pcfile, pcln, unit, start_line; /* 0: is not there */
	unsigned flag;
};

static const struct layout layouts[] = {
	{0xfffffffa, false, 2, 8, 20, 24, 28, 36, 0, 41}, /* Go 1.16 */
	{0xfffffff0, true, 3, 4, 16, 20, 24, 32, 0, 37},  /* Go 1.18 */
	{0xfffffff1, true, 3, 4, 16, 20, 24, 32, 36, 41}, /* Go 1.20 */
};

struct elf_go {
	const struct layout *layout;
	char *table; /* ends with a NUL of ours */
	uint64_t bytes;
	unsigned quantum;
	uint64_t text;
	uint64_t names, units, files, lines, functions; /* the parts: offsets */
	size_t count;
	struct elf_symbol *entries; /* sorted */
	uint64_t *records;	    /* of each: its offset */
};

/* --- reading ----------------------------------------------------------------------- */

static bool read_at(const struct elf_go *go, uint64_t offset, void *out, uint64_t length)
{
	if (offset > go->bytes || length > go->bytes - offset)
		return false;
	memcpy(out, go->table + offset, length);
	return true;
}

/* 0 outside of the table, where every use of it ends soon. */
static uint32_t number_at(const struct elf_go *go, uint64_t offset)
{
	uint32_t number = 0;
	read_at(go, offset, &number, sizeof(number));
	return number;
}

static uint64_t word_at(const struct elf_go *go, uint64_t offset)
{
	uint64_t word = 0;
	read_at(go, offset, &word, sizeof(word));
	return word;
}

static uint64_t header_word(const struct elf_go *go, unsigned index)
{
	return word_at(go, 8 + 8 * (uint64_t)index);
}

static const char *string_at(const struct elf_go *go, uint64_t part, uint64_t offset)
{
	return part < go->bytes && offset < go->bytes - part ? go->table + part + offset
							     : "";
}

static bool read_number(const struct elf_go *go, uint64_t *at, uint32_t *out)
{
	*out = 0;
	for (unsigned shift = 0; shift < 32 && *at < go->bytes; shift += 7) {
		unsigned char byte = (unsigned char)go->table[(*at)++];
		*out |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/* The value at PC in a list of (change, length) pairs that begins at ENTRY; -1 if it has
   none. */
static int32_t value_at(
	const struct elf_go *go, uint64_t list, uint64_t entry, uint64_t pc)
{
	uint64_t at = go->lines + list;
	int32_t value = -1;
	if (list == 0 || list >= go->bytes || go->lines >= go->bytes)
		return -1;
	for (unsigned step = 0; step < STEPS_MAX; step++) {
		uint32_t change, length;
		if (!read_number(go, &at, &change) || (change == 0 && step > 0) ||
			!read_number(go, &at, &length))
			return -1;
		uint32_t magnitude = change >> 1;
		value = (int32_t)((uint32_t)value +
				  (change & 1 ? ~magnitude : magnitude));
		entry += (uint64_t)length * go->quantum;
		if (pc < entry)
			return value;
	}
	return -1;
}

/* --- opening ----------------------------------------------------------------------- */

static bool read_header(struct elf_go *go, struct elf_image *image, uint64_t table_vaddr)
{
	unsigned char head[8];
	uint32_t magic;
	if (!read_at(go, 0, head, sizeof(head)))
		return false;
	memcpy(&magic, head, sizeof(magic));
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].magic == magic)
			go->layout = &layouts[i];
	go->quantum = head[6];
	if (!go->layout || head[4] || head[5] || go->quantum == 0 || head[7] != 8)
		return false;
	uint64_t *const parts[PARTS] = {
		&go->names, &go->units, &go->files, &go->lines, &go->functions};
	for (unsigned i = 0; i < PARTS; i++)
		*parts[i] = header_word(go, go->layout->first_part + i);
	uint64_t count = header_word(go, 0);
	go->count = count < FUNCTIONS_MAX ? (size_t)count : 0;
	if (go->functions >= go->bytes)
		return false;
	if (go->layout->relative)
		go->text = elf_go_text(image, table_vaddr, table_vaddr + 8 + 2 * 8,
			header_word(go, 2), number_at(go, go->functions));
	return go->text || !go->layout->relative;
}

/* Row ROW of the list of functions: where it starts, and where its record is. The row
   behind the last tells where that ends. */
static uint64_t row_entry(const struct elf_go *go, size_t row)
{
	if (!go->layout->relative)
		return word_at(go, go->functions + 16 * (uint64_t)row);
	return go->text + number_at(go, go->functions + 8 * (uint64_t)row);
}

static uint64_t row_record(const struct elf_go *go, size_t row)
{
	if (!go->layout->relative)
		return go->functions +
		       word_at(go, go->functions + 16 * (uint64_t)row + 8);
	return go->functions + number_at(go, go->functions + 8 * (uint64_t)row + 4);
}

/* False if the rows are not all there, or not in order. */
static bool read_functions(struct elf_go *go, struct elf_image *image)
{
	uint64_t row_bytes = go->layout->relative ? 8 : 16;
	if (go->count == 0 || go->count > (go->bytes - go->functions) / row_bytes)
		return false;
	if (!elf_image_take(
		    image, go->count * (sizeof(*go->entries) + sizeof(*go->records))))
		return false;
	go->entries = mem_alloc(go->count * sizeof(*go->entries));
	go->records = mem_alloc(go->count * sizeof(*go->records));
	for (size_t i = 0; i < go->count; i++) {
		uint64_t start = row_entry(go, i), end = row_entry(go, i + 1);
		if (end < start)
			return false;
		go->records[i] = row_record(go, i);
		go->entries[i] = (struct elf_symbol){
			.vaddr = start,
			.size = end - start,
			.name = string_at(go, go->names,
				number_at(go, go->records[i] + go->layout->name)),
		};
	}
	return true;
}

/* Looked at before all of it is read, which may be a lot. */
static bool has_magic(const struct elf_image *image, const GElf_Shdr *header)
{
	uint32_t magic;
	bool has = false;
	if (header->sh_size < sizeof(magic) ||
		!elf_image_read_file(image, header->sh_offset, &magic, sizeof(magic)))
		return false;
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		has |= layouts[i].magic == magic;
	return has;
}

static bool read_table(struct elf_go *go, struct elf_image *image)
{
	for (size_t i = 0; i < sizeof(section_names) / sizeof(*section_names); i++) {
		GElf_Shdr header;
		if (!elf_image_find_section(image, section_names[i], &header) ||
			!has_magic(image, &header))
			continue;
		free(go->table);
		go->table = elf_image_bytes_of(image, &header, TABLE_MAX_BYTES);
		go->bytes = header.sh_size;
		if (go->table && read_header(go, image, header.sh_addr))
			return read_functions(go, image);
	}
	return false;
}

struct elf_go *elf_go_open(struct elf_image *image)
{
	struct elf_go *go = mem_zalloc(sizeof(*go));
	if (read_table(go, image))
		return go;
	elf_go_close(go);
	return NULL;
}

void elf_go_close(struct elf_go *go)
{
	if (!go)
		return;
	free(go->table);
	free(go->entries);
	free(go->records);
	free(go);
}

bool elf_go_is_there(const struct elf_image *image)
{
	return elf_image_has_section(image, section_names[0]) ||
	       elf_image_has_section(image, section_names[1]);
}

/* --- asking ------------------------------------------------------------------------ */

const struct elf_symbol *elf_go_symbol(struct elf_go *go, uint64_t vaddr)
{
	size_t low = 0, high = go->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (go->entries[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	const struct elf_symbol *found = low ? &go->entries[low - 1] : NULL;
	return found && vaddr - found->vaddr < found->size && found->name[0] ? found
									     : NULL;
}

const struct elf_symbol *elf_go_named(struct elf_go *go, const char *name)
{
	for (size_t i = 0; i < go->count; i++)
		if (strcmp(go->entries[i].name, name) == 0)
			return &go->entries[i];
	return NULL;
}

bool elf_go_line(struct elf_go *go, uint64_t vaddr, struct elf_go_line *out)
{
	const struct elf_symbol *function = elf_go_symbol(go, vaddr);
	if (!function)
		return false;
	const struct layout *layout = go->layout;
	uint64_t record = go->records[function - go->entries];
	int32_t file = value_at(
		go, number_at(go, record + layout->pcfile), function->vaddr, vaddr);
	int32_t line = value_at(
		go, number_at(go, record + layout->pcln), function->vaddr, vaddr);
	*out = (struct elf_go_line){.function = function->name, .file = ""};
	if (file >= 0 && line > 0) {
		uint64_t index =
			(uint64_t)number_at(go, record + layout->unit) + (uint32_t)file;
		uint32_t name = number_at(go, go->units + 4 * index);
		out->file = name == UINT32_MAX ? "" : string_at(go, go->files, name);
		out->line = (uint32_t)line;
	}
	uint32_t start =
		layout->start_line ? number_at(go, record + layout->start_line) : 0;
	out->start_line = start <= INT32_MAX ? start : 0;
	return true;
}

bool elf_go_frame(struct elf_go *go, uint64_t vaddr, uint64_t *bytes)
{
	unsigned char flag;
	const struct elf_symbol *function = elf_go_symbol(go, vaddr);
	if (!function)
		return false;
	uint64_t record = go->records[function - go->entries];
	if (!read_at(go, record + go->layout->flag, &flag, sizeof(flag)) ||
		(flag & FLAG_SPWRITE))
		return false;
	int32_t frame = value_at(
		go, number_at(go, record + go->layout->pcsp), function->vaddr, vaddr);
	*bytes = (uint64_t)frame;
	return frame >= 0;
}
