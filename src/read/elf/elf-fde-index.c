/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A binary search table for .eh_frame, for files that were linked without one: static
   programs of gcc, all of musl-gcc; and what an entry of either covers. The format: LSB
   Core, "Exception Frames". */

#include "src/read/elf/elf-image.h"

#include "src/base/byte-cursor.h"
#include "src/base/mem.h"
#include "src/read/elf/elf-internal.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum {
	EH_FRAME_MAX_BYTES = 64 << 20,
	ENTRY_MAX_BYTES = 64, /* of an entry, up to the fields that are needed */
};

/* How the FDEs of the CIE at OFFSET encode their start. */
static unsigned fde_encoding(struct byte_cursor section, uint64_t offset)
{
	if (offset > section.limit)
		return PE_OMIT;
	section.at = offset;
	uint64_t length = byte_cursor_number(&section, 4),
		 id = byte_cursor_number(&section, 4);
	uint64_t version = byte_cursor_number(&section, 1);
	char augmentation[8] = "";
	for (size_t i = 0; i < sizeof(augmentation); i++)
		if ((augmentation[i] = (char)byte_cursor_number(&section, 1)) == '\0')
			break;
	if (section.failed || length == 0 || id != 0 || augmentation[7] != '\0')
		return PE_OMIT;
	if (augmentation[0] == '\0')
		return PE_ABSPTR;
	byte_cursor_leb128(&section); /* code alignment, data alignment, return address */
	byte_cursor_leb128(&section);
	if (version == 1)
		byte_cursor_number(&section, 1);
	else
		byte_cursor_leb128(&section);
	if (augmentation[0] != 'z')
		return PE_OMIT;
	byte_cursor_leb128(&section);
	unsigned encoding = PE_ABSPTR;
	for (const char *letter = augmentation + 1; *letter; letter++) {
		if (*letter == 'R')
			encoding = (unsigned)byte_cursor_number(&section, 1);
		else if (*letter == 'L')
			byte_cursor_number(&section, 1);
		else if (*letter == 'P')
			byte_cursor_number(&section,
				pointer_encoding_bytes(
					(unsigned)byte_cursor_number(&section, 1)));
		else if (*letter != 'S' && *letter != 'B')
			return PE_OMIT;
	}
	return section.failed ? PE_OMIT : encoding;
}

static bool decode_start(struct byte_cursor *cursor, uint64_t section_vaddr,
	unsigned encoding, uint64_t *start)
{
	size_t bytes = pointer_encoding_bytes(encoding);
	unsigned application = encoding & ~(unsigned)PE_FORMAT_MASK;
	if (encoding == PE_OMIT || bytes == 0 ||
		(application != 0 && application != PE_PCREL))
		return false;
	uint64_t here = section_vaddr + cursor->at;
	uint64_t value = byte_cursor_number(cursor, bytes);
	unsigned format = encoding & PE_FORMAT_MASK;
	if (format == PE_SDATA2)
		value = (uint64_t)(int64_t)(int16_t)value;
	else if (format == PE_SDATA4)
		value = (uint64_t)(int64_t)(int32_t)value;
	*start = application == PE_PCREL ? here + value : value;
	return !cursor->failed;
}

static void add_entry(
	struct elf_fde_index *index, size_t *room, uint64_t start, uint64_t fde)
{
	struct elf_fde entry = {
		.start = (int32_t)(start - index->base_vaddr),
		.fde = (int32_t)(fde - index->base_vaddr),
	};
	if ((uint64_t)(int64_t)entry.start != start - index->base_vaddr)
		return;
	if (index->count == *room) {
		*room = *room ? *room * 2 : 1024;
		index->entries = mem_resize(index->entries, *room, sizeof(entry));
	}
	index->entries[index->count++] = entry;
}

/* Read all entries, up to one that is damaged or has a 64-bit length. */
static void scan(struct elf_fde_index *index, struct byte_cursor section)
{
	size_t room = 0;
	uint64_t cie = UINT64_MAX;
	unsigned encoding = PE_OMIT;
	while (section.at < section.limit) {
		size_t entry = section.at;
		uint64_t length = byte_cursor_number(&section, 4);
		size_t body = section.at;
		if (section.failed || length > section.limit - body)
			return;
		if (length == 0) /* the terminator of one object file's part */
			continue;
		uint64_t id = byte_cursor_number(&section, 4), start;
		if (id != 0 && id <= body) {
			if (cie != body - id)
				encoding = fde_encoding(section, body - id);
			cie = body - id;
			if (decode_start(&section, index->base_vaddr, encoding, &start))
				add_entry(index, &room, start, index->base_vaddr + entry);
		}
		section.at = body + length;
		section.failed = false;
	}
}

static int compare(const void *a, const void *b)
{
	int32_t x = ((const struct elf_fde *)a)->start,
		y = ((const struct elf_fde *)b)->start;
	return (x > y) - (x < y);
}

static void build(struct elf_image *image, struct elf_fde_index *index)
{
	GElf_Shdr header;
	if (!elf_image_find_section(image, ".eh_frame", &header) ||
		header.sh_size > EH_FRAME_MAX_BYTES ||
		!elf_image_holds(image, header.sh_addr, header.sh_size))
		return;
	/* An entry of the index takes half of what the shortest entry takes in the file. */
	uint64_t charged = image->charged;
	if (!elf_image_take(image, header.sh_size + header.sh_size / 2))
		return;
	unsigned char *bytes = mem_alloc(header.sh_size + 1);
	index->base_vaddr = header.sh_addr;
	if (elf_image_read(image, header.sh_addr, bytes, header.sh_size))
		scan(index,
			(struct byte_cursor){.bytes = bytes, .limit = header.sh_size});
	free(bytes);
	if (index->count > 0)
		qsort(index->entries, index->count, sizeof(*index->entries), compare);
	elf_image_keep(image, charged, index->count * sizeof(*index->entries) * 2);
}

const struct elf_fde_index *elf_image_fde_index(struct elf_image *image)
{
	if (!image->fde_index) {
		image->fde_index = mem_zalloc(sizeof(*image->fde_index));
		build(image, image->fde_index);
	}
	return image->fde_index->count > 0 ? image->fde_index : NULL;
}

/* --- one entry --------------------------------------------------------------------- */

/* The sorted entries of a file, from either source. */
struct entries {
	struct elf_image *image;
	uint64_t base_vaddr, table_vaddr, count;
	const struct elf_fde_index *index; /* NULL: the file's own table */
};

static bool find_entries(struct elf_image *image, struct entries *out)
{
	struct elf_unwind_table table;
	*out = (struct entries){.image = image};
	if (elf_image_unwind_table(image, &table)) {
		out->base_vaddr = table.hdr_vaddr;
		out->table_vaddr = table.table_vaddr;
		out->count = table.fde_count;
		return true;
	}
	out->index = elf_image_fde_index(image);
	if (!out->index)
		return false;
	out->base_vaddr = out->index->base_vaddr;
	out->count = out->index->count;
	return true;
}

/* Entry NUMBER: where a function starts, and where its FDE is. */
static bool entry_at(
	const struct entries *entries, uint64_t number, uint64_t *start, uint64_t *fde)
{
	struct elf_fde entry;
	if (number >= entries->count)
		return false;
	if (entries->index)
		entry = entries->index->entries[number];
	else if (!elf_image_read(entries->image,
			 entries->table_vaddr + number * sizeof(entry), &entry,
			 sizeof(entry)))
		return false;
	*start = entries->base_vaddr + (uint64_t)(int64_t)entry.start;
	*fde = entries->base_vaddr + (uint64_t)(int64_t)entry.fde;
	return true;
}

/* The number of the first entry that starts behind VADDR. */
static uint64_t first_behind(const struct entries *entries, uint64_t vaddr)
{
	uint64_t low = 0, high = entries->count, start, fde;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (!entry_at(entries, middle, &start, &fde))
			return 0;
		if (start <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool elf_image_next_fde(struct elf_image *image, uint64_t vaddr, uint64_t *start)
{
	struct entries entries;
	uint64_t fde;
	return find_entries(image, &entries) &&
	       entry_at(&entries, first_behind(&entries, vaddr), start, &fde) &&
	       *start > vaddr;
}

/* BYTES has room for LIMIT; as many of them as the segment has. */
static struct byte_cursor read_entry(
	struct elf_image *image, uint64_t vaddr, unsigned char *bytes, size_t limit)
{
	while (limit > 0 && !elf_image_read(image, vaddr, bytes, limit))
		limit--;
	return (struct byte_cursor){.bytes = bytes, .limit = limit};
}

bool elf_image_fde_range(
	struct elf_image *image, uint64_t vaddr, uint64_t *start, uint64_t *size)
{
	struct entries entries;
	uint64_t fde;
	if (!find_entries(image, &entries) ||
		!entry_at(&entries, first_behind(&entries, vaddr) - 1, start, &fde))
		return false;
	unsigned char bytes[ENTRY_MAX_BYTES], cie_bytes[ENTRY_MAX_BYTES];
	struct byte_cursor entry = read_entry(image, fde, bytes, sizeof(bytes));
	byte_cursor_number(&entry, 4);
	uint64_t id = byte_cursor_number(&entry, 4), cie = fde + 4 - id;
	if (entry.failed || id == 0)
		return false;
	unsigned encoding =
		fde_encoding(read_entry(image, cie, cie_bytes, sizeof(cie_bytes)), 0);
	if (!decode_start(&entry, fde, encoding, start))
		return false;
	*size = byte_cursor_number(&entry, pointer_encoding_bytes(encoding));
	return !entry.failed && vaddr - *start < *size;
}

void elf_fde_index_destroy(struct elf_fde_index *index)
{
	if (index)
		free(index->entries);
	free(index);
}
