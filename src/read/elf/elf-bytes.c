/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of the file, by offset, section and address; for the tables that are read
   from them (elf-internal.h). */

#include "src/read/elf/elf-image.h"

#include "src/base/mem.h"
#include "src/read/elf/elf-internal.h"
#include "src/read/elf/file-budget.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	SECTION_NAMES_MAX_BYTES = 16 << 20,
};

bool elf_image_read_file(
	const struct elf_image *image, uint64_t offset, void *out, size_t length)
{
	if (offset > image->size || length > image->size - offset)
		return false;
	if (image->memory) {
		memcpy(out, image->memory + offset, length);
		return true;
	}
	unsigned char *at = out;
	while (length > 0) {
		ssize_t got = pread(image->fd, at, length, (off_t)offset);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) /* shorter than it was when it was opened */
			return false;
		at += got;
		offset += (uint64_t)got;
		length -= (size_t)got;
	}
	return true;
}

/* --- the budget --------------------------------------------------------------------- */

bool elf_image_set_budget(struct elf_image *image, struct file_budget *budget)
{
	image->budget = budget;
	image->allowance = budget->max_bytes;
	if (!image->memory)
		return true;
	if (!elf_image_take(image, image->size))
		return false;
	image->charged -= image->size;
	image->memory_charged = image->size;
	return true;
}

bool elf_image_share_budget(struct elf_image *image, const struct elf_image *of)
{
	return !of->budget || elf_image_set_budget(image, of->budget);
}

uint64_t elf_image_charged(const struct elf_image *image)
{
	return image->charged + image->blocks_charged;
}

bool elf_image_is_over_budget(const struct elf_image *image)
{
	return image->is_over_budget;
}

bool elf_image_take(struct elf_image *image, uint64_t bytes)
{
	if (bytes > image->allowance ||
		(image->budget && !file_budget_take(image->budget, bytes))) {
		image->is_over_budget = true;
		return false;
	}
	image->allowance -= bytes;
	image->charged += bytes;
	return true;
}

/* The allowance stays spent: it bounds how much is read for one image, too. */
void elf_image_keep(struct elf_image *image, uint64_t charged, uint64_t kept)
{
	uint64_t taken = image->charged - charged;
	if (kept >= taken)
		return;
	image->charged -= taken - kept;
	if (image->budget)
		file_budget_give(image->budget, taken - kept);
}

void elf_image_allow(struct elf_image *image, bool again)
{
	if (image->budget)
		image->allowance = again ? image->budget->max_bytes : 0;
}

/* --- sections ---------------------------------------------------------------------- */

/* The section with the names of sections; 0 if they cannot be used. No tool compresses
   it, and libelf would unpack it without a limit. */
size_t elf_image_section_names(const struct elf_image *image)
{
	size_t index = 0;
	GElf_Shdr header;
	if (elf_getshdrstrndx(image->elf, &index) != 0 || index == 0)
		return 0;
	Elf_Scn *section = elf_getscn(image->elf, index);
	if (!section || !gelf_getshdr(section, &header) || header.sh_type != SHT_STRTAB ||
		(header.sh_flags & SHF_COMPRESSED) ||
		header.sh_size > SECTION_NAMES_MAX_BYTES)
		return 0;
	return index;
}

bool elf_image_find_section(
	const struct elf_image *image, const char *name, GElf_Shdr *header)
{
	size_t names = elf_image_section_names(image);
	if (!names)
		return false;
	for (Elf_Scn *section = elf_nextscn(image->elf, NULL); section;
		section = elf_nextscn(image->elf, section)) {
		if (!gelf_getshdr(section, header))
			continue;
		const char *found = elf_strptr(image->elf, names, header->sh_name);
		if (found && strcmp(found, name) == 0)
			return header->sh_type != SHT_NOBITS;
	}
	return false;
}

void *elf_image_bytes_of(
	struct elf_image *image, const GElf_Shdr *header, uint64_t max_bytes)
{
	if (header->sh_type == SHT_NOBITS || header->sh_size == 0 ||
		header->sh_size > max_bytes || header->sh_offset > image->size ||
		header->sh_size > image->size - header->sh_offset ||
		!elf_image_take(image, header->sh_size))
		return NULL;
	char *bytes = mem_alloc(header->sh_size + 1);
	if (!elf_image_read_file(image, header->sh_offset, bytes, header->sh_size)) {
		free(bytes);
		return NULL;
	}
	bytes[header->sh_size] = '\0';
	return bytes;
}

/* --- segments ---------------------------------------------------------------------- */

const struct elf_segment *elf_image_code_segment(
	const struct elf_image *image, uint64_t vaddr)
{
	vec_each (&image->segments, segment)
		if ((segment->flags & PF_X) && vaddr >= segment->vaddr &&
			vaddr - segment->vaddr < segment->memory_bytes)
			return segment;
	return NULL;
}

/* How well SEGMENT fits code that the kernel mapped from OFFSET of the file; 0: not at
   all. The kernel maps whole pages, and two segments may share a page of the file. Then
   an executable segment is preferred, and next one that begins in that page. */
static unsigned segment_fit(
	const struct elf_image *image, const struct elf_segment *segment, uint64_t offset)
{
	uint64_t mask = image->page_bytes - 1;
	uint64_t first = segment->offset & ~mask;
	uint64_t limit = (segment->offset + segment->file_bytes + mask) & ~mask;
	if (segment->file_bytes == 0 || offset < first || offset >= limit)
		return 0;
	bool inside = offset >= segment->offset &&
		      offset - segment->offset < segment->file_bytes;
	return 1 + (inside ? 1 : 0) + (offset == first ? 2 : 0) +
	       (segment->flags & PF_X ? 4 : 0);
}

bool elf_image_vaddr_of_offset(
	const struct elf_image *image, uint64_t offset, uint64_t *vaddr)
{
	unsigned best = 0;
	vec_each (&image->segments, segment) {
		unsigned fit = segment_fit(image, segment, offset);
		if (fit > best) {
			best = fit;
			*vaddr = offset - segment->offset + segment->vaddr;
		}
	}
	return best > 0;
}

/* --- bytes by address -------------------------------------------------------------- */

/* The kept block that holds OFFSET, read now if need be; NULL if it cannot be read. */
static const struct elf_block *block_at(struct elf_image *image, uint64_t offset)
{
	if (!image->blocks)
		image->blocks = mem_zalloc(ELF_BLOCK_SLOTS * sizeof(*image->blocks));
	uint64_t number = offset / ELF_BLOCK_BYTES;
	struct elf_block *block = &image->blocks[number % ELF_BLOCK_SLOTS];
	if (block->length > 0 && block->number == number)
		return block;

	uint64_t start = number * ELF_BLOCK_BYTES;
	uint64_t rest = image->size - start;
	if (!block->bytes) {
		if (!elf_image_take(image, ELF_BLOCK_BYTES))
			return NULL;
		image->charged -= ELF_BLOCK_BYTES;
		image->blocks_charged += ELF_BLOCK_BYTES;
		block->bytes = mem_alloc(ELF_BLOCK_BYTES);
	}
	block->number = number;
	block->length = rest < ELF_BLOCK_BYTES ? rest : ELF_BLOCK_BYTES;
	if (!elf_image_read_file(image, start, block->bytes, block->length)) {
		block->length = 0;
		return NULL;
	}
	return block;
}

static const struct elf_segment *read_only_segment(
	const struct elf_image *image, uint64_t vaddr, uint64_t length)
{
	vec_each (&image->segments, segment)
		if (!(segment->flags & PF_W) && vaddr >= segment->vaddr &&
			vaddr - segment->vaddr <= segment->file_bytes &&
			length <= segment->file_bytes - (vaddr - segment->vaddr))
			return segment;
	return NULL;
}

bool elf_image_holds(const struct elf_image *image, uint64_t vaddr, uint64_t length)
{
	return read_only_segment(image, vaddr, length) != NULL;
}

bool elf_image_read(struct elf_image *image, uint64_t vaddr, void *out, size_t length)
{
	const struct elf_segment *segment = read_only_segment(image, vaddr, length);
	if (!segment)
		return false;
	uint64_t offset = segment->offset + (vaddr - segment->vaddr);
	if (image->memory)
		return elf_image_read_file(image, offset, out, length);

	unsigned char *at = out;
	while (length > 0) {
		const struct elf_block *block = block_at(image, offset);
		size_t skip = offset % ELF_BLOCK_BYTES;
		if (!block || block->length <= skip)
			return false;
		size_t part = block->length - skip;
		if (part > length)
			part = length;
		memcpy(at, block->bytes + skip, part);
		at += part;
		offset += part;
		length -= part;
	}
	return true;
}
