/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where functions begin that neither a symbol nor the unwind table knows: where a call
   leads to, and what code, data or relocations hold the address of. */

#include "src/read/elf/elf-image.h"

#include "src/arch/arch-code.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/read/elf/elf-internal.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum {
	SCAN_MAX_BYTES = 64 << 20, /* of the file, some 0.1 s */
	PIECE_BYTES = 64 << 10,
	WORD = 8, /* bytes */
	STARTS_MAX = 1 << 20,
	SURE = 2, /* as many bytes that look like a reference are one */
};

struct scan {
	struct elf_image *image;
	bool is_fixed;	  /* addresses of the file are those of the process */
	struct idmap met; /* addresses, and how often */
};

static void meet(struct scan *scan, uint64_t vaddr)
{
	if (!elf_image_code_segment(scan->image, vaddr))
		return;
	const uint32_t *count = idmap_get(&scan->met, vaddr, 0);
	if (count ? *count < SURE : scan->met.len < STARTS_MAX)
		idmap_put(&scan->met, vaddr, 0, count ? *count + 1 : 1);
}

static void scan_code(
	struct scan *scan, const unsigned char *bytes, size_t length, uint64_t vaddr)
{
	for (size_t i = 0; i < length; i += ARCH_INSN_ALIGNMENT) {
		int64_t to;
		enum arch_reference kind = arch_reference(bytes + i, &to);
		if (kind == ARCH_REFERENCE_RELATIVE)
			meet(scan, vaddr + i + (uint64_t)to);
		else if (kind == ARCH_REFERENCE_ABSOLUTE && scan->is_fixed)
			meet(scan, (uint64_t)to);
	}
}

static void scan_words(
	struct scan *scan, const unsigned char *bytes, size_t length, uint64_t vaddr)
{
	for (size_t i = -vaddr % WORD; i < length; i += WORD) {
		uint64_t word;
		memcpy(&word, bytes + i, sizeof(word));
		meet(scan, word);
	}
}

static void scan_segment(struct scan *scan, const struct elf_segment *segment)
{
	/* What begins in a piece may go on behind it. */
	unsigned char *piece = mem_zalloc(PIECE_BYTES + ARCH_REFERENCE_BYTES + WORD);
	for (uint64_t at = 0; at < segment->file_bytes; at += PIECE_BYTES) {
		uint64_t rest = segment->file_bytes - at;
		size_t length = rest < PIECE_BYTES ? (size_t)rest : PIECE_BYTES;
		size_t more = ARCH_REFERENCE_BYTES + WORD;
		if (rest < length + more)
			more = (size_t)rest - length;
		if (!elf_image_read_file(
			    scan->image, segment->offset + at, piece, length + more))
			break;
		memset(piece + length + more, 0, ARCH_REFERENCE_BYTES + WORD - more);
		if (segment->flags & PF_X)
			scan_code(scan, piece, length, segment->vaddr + at);
		else
			scan_words(scan, piece, length, segment->vaddr + at);
	}
	free(piece);
}

/* Pointers of a file that is mapped anywhere are not where they will be, but in
   relocations. */
static void scan_relocations(struct scan *scan)
{
	Elf_Scn *section = NULL;
	while ((section = elf_nextscn(scan->image->elf, section))) {
		GElf_Shdr header;
		Elf64_Rela *all = NULL;
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
			header.sh_entsize == sizeof(*all))
			all = elf_image_bytes_of(scan->image, &header, SCAN_MAX_BYTES);
		for (size_t i = 0; all && i < header.sh_size / sizeof(*all); i++)
			if (ELF64_R_SYM(all[i].r_info) == 0)
				meet(scan, (uint64_t)all[i].r_addend);
		free(all);
	}
}

/* May a function begin at VADDR? What was met once may also be bytes that look so. */
static bool is_start(struct elf_image *image, uint64_t vaddr, uint32_t count)
{
	unsigned char before[ARCH_BEFORE_START_BYTES];
	return count >= SURE || vaddr % ARCH_START_ALIGNMENT == 0 ||
	       (elf_image_read(image, vaddr - sizeof(before), before, sizeof(before)) &&
		       arch_may_start_behind(before + sizeof(before)));
}

static int compare_vaddrs(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* In the order of the file: it is read in blocks, and in that of the table nearly each question would
   need another one. */
static void settle(struct scan *scan, struct elf_starts *starts)
{
	uint64_t *vaddrs = mem_resize(NULL, scan->met.len + 1, sizeof(*vaddrs));
	size_t met = 0;
	for (size_t i = 0; i < scan->met.cap; i++)
		if (scan->met.entries[i].used)
			vaddrs[met++] = scan->met.entries[i].a;
	qsort(vaddrs, met, sizeof(*vaddrs), compare_vaddrs);
	for (size_t i = 0; i < met; i++)
		if (is_start(
			    scan->image, vaddrs[i], *idmap_get(&scan->met, vaddrs[i], 0)))
			vaddrs[starts->count++] = vaddrs[i];
	starts->vaddrs = vaddrs;
}

static struct elf_starts *find_starts(struct elf_image *image)
{
	struct elf_starts *starts = mem_zalloc(sizeof(*starts));
	struct scan scan = {.image = image};
	GElf_Ehdr header;
	scan.is_fixed = gelf_getehdr(image->elf, &header) && header.e_type == ET_EXEC;
	uint64_t bytes = 0;
	vec_each (&image->segments, segment)
		bytes += segment->file_bytes;
	if (bytes > SCAN_MAX_BYTES)
		return starts;
	vec_each (&image->segments, segment)
		scan_segment(&scan, segment);
	if (!scan.is_fixed)
		scan_relocations(&scan);
	meet(&scan, header.e_entry);
	settle(&scan, starts);
	idmap_finish(&scan.met);
	return starts;
}

/* The number of the first start behind VADDR. */
static size_t first_behind(const struct elf_starts *starts, uint64_t vaddr)
{
	size_t low = 0, high = starts->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (starts->vaddrs[middle] <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool elf_image_used_start(
	struct elf_image *image, uint64_t vaddr, uint64_t *start, uint64_t *limit)
{
	const struct elf_segment *segment = elf_image_code_segment(image, vaddr);
	uint64_t other, size;
	if (!segment)
		return false;
	if (!image->starts)
		image->starts = find_starts(image);
	const struct elf_starts *starts = image->starts;
	size_t next = first_behind(starts, vaddr);
	if (next == 0 || starts->vaddrs[next - 1] < segment->vaddr)
		return false;
	*start = starts->vaddrs[next - 1];
	*limit = segment->vaddr + segment->memory_bytes;
	if (next < starts->count && starts->vaddrs[next] < *limit)
		*limit = starts->vaddrs[next];
	if (elf_image_fde_range(image, *start, &other, &size))
		return false;
	if (elf_image_next_fde(image, *start, &other) && other < *limit)
		*limit = other;
	return vaddr < *limit;
}

void elf_starts_destroy(struct elf_starts *starts)
{
	if (starts)
		free(starts->vaddrs);
	free(starts);
}
