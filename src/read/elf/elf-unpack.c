/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/elf/elf-unpack.h"

#include "src/base/mem.h"
#include "src/read/elf/elf-internal.h"

#include <elf.h>
#include <gelf.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum {
	PARTS_MAX = 64,
	ALIGNMENT = 16,
};

/* A section of the new file. */
struct part {
	Elf_Scn *section; /* in the old one */
	GElf_Shdr header;
	const char *name;
	bool packed;
	uint64_t bytes; /* unpacked */
};

struct parts {
	struct part list[PARTS_MAX];
	size_t count;
	bool any_packed;
};

/* Is the section NAME needed for lines? Not those for variables and macros, nor indexes
   that libdw does not use. */
static bool is_wanted(const char *name)
{
	static const char *const unwanted[] = {".debug_loc", ".debug_loclists",
		".debug_frame", ".debug_macro", ".debug_macinfo", ".debug_pubnames",
		".debug_pubtypes", ".debug_gnu_pubnames", ".debug_gnu_pubtypes"};
	if (strncmp(name, ".debug_", strlen(".debug_")) != 0)
		return false;
	for (size_t i = 0; i < sizeof(unwanted) / sizeof(*unwanted); i++)
		if (strcmp(name, unwanted[i]) == 0)
			return false;
	return true;
}

static bool add_part(struct parts *parts, Elf_Scn *section, const char *name)
{
	struct part part = {.section = section, .name = name};
	GElf_Chdr packed;
	if (!gelf_getshdr(section, &part.header))
		return false;
	part.bytes = part.header.sh_size;
	part.packed = part.header.sh_flags & SHF_COMPRESSED;
	if (part.packed) {
		if (!gelf_getchdr(section, &packed) || packed.ch_type != ELFCOMPRESS_ZLIB)
			return false;
		part.bytes = packed.ch_size;
	}
	if (parts->count == PARTS_MAX)
		return false;
	parts->list[parts->count++] = part;
	parts->any_packed |= part.packed;
	return true;
}

static bool find_parts(struct parts *parts, const struct elf_image *image)
{
	size_t names = elf_image_section_names(image);
	for (Elf_Scn *section = elf_nextscn(image->elf, NULL); section;
		section = elf_nextscn(image->elf, section)) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(image->elf, names, header.sh_name)
					   : NULL;
		if (!name || header.sh_type == SHT_NOBITS)
			continue;
		if (strcmp(name, ".gnu_debugaltlink") == 0 ||
			strcmp(name, ".debug_addr") == 0) /* of split DWARF */
			return false;
		/* What has SHF_ALLOC was not measured. */
		if (!(header.sh_flags & SHF_ALLOC) && is_wanted(name) &&
			!add_part(parts, section, name))
			return false;
	}
	return parts->any_packed;
}

/* libelf has read the section already, to know how large it is unpacked. */
static bool unpack(struct libdeflate_decompressor *decompressor, const struct part *part,
	unsigned char *out)
{
	const Elf_Data *data = elf_rawdata(part->section, NULL);
	size_t head = part->packed ? sizeof(Elf64_Chdr) : 0;
	if (!data || !data->d_buf || data->d_size < head ||
		(!part->packed && data->d_size != part->bytes))
		return false;
	const char *in = (const char *)data->d_buf + head;
	if (!part->packed) {
		memcpy(out, in, part->bytes);
		return true;
	}
	return libdeflate_zlib_decompress(decompressor, in, data->d_size - head, out,
		       part->bytes, NULL) == LIBDEFLATE_SUCCESS;
}

static uint64_t aligned(uint64_t offset)
{
	return (offset + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The header; the parts; the names of the sections; their headers, of which the first is
   none and the last is that of the names. */
static size_t build(
	struct elf_unpacked *unpacked, const Elf64_Ehdr *like, const struct parts *parts)
{
	Elf64_Shdr headers[PARTS_MAX + 2] = {{0}};
	size_t count = parts->count + 2, names_bytes = 1;
	uint64_t offset = aligned(sizeof(*like));
	for (size_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->list[i];
		headers[i + 1] = (Elf64_Shdr){
			.sh_name = (Elf64_Word)names_bytes,
			.sh_type = part->header.sh_type,
			.sh_offset = offset,
			.sh_size = part->bytes,
			.sh_addralign = 1,
		};
		offset = aligned(offset + part->bytes);
		names_bytes += strlen(part->name) + 1;
	}
	Elf64_Shdr *names = &headers[count - 1];
	*names = (Elf64_Shdr){.sh_type = SHT_STRTAB,
		.sh_offset = offset,
		.sh_size = names_bytes,
		.sh_addralign = 1};
	uint64_t table = aligned(offset + names_bytes);
	size_t size = table + count * sizeof(headers[0]);
	unsigned char *bytes = unpacked->bytes = mem_alloc(size);
	memset(bytes + names->sh_offset, 0, names_bytes);
	struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
	for (size_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->list[i];
		Elf64_Shdr *header = &headers[i + 1];
		if (!decompressor ||
			!unpack(decompressor, part, bytes + header->sh_offset))
			header->sh_type = SHT_NOBITS;
		memcpy(bytes + names->sh_offset + header->sh_name, part->name,
			strlen(part->name));
	}
	libdeflate_free_decompressor(decompressor);
	Elf64_Ehdr head = *like;
	head.e_phoff = head.e_phnum = head.e_entry = 0;
	head.e_shoff = table;
	head.e_shnum = (Elf64_Half)count;
	head.e_shstrndx = (Elf64_Half)(count - 1);
	memcpy(bytes, &head, sizeof(head));
	memcpy(bytes + table, headers, count * sizeof(headers[0]));
	return size;
}

bool elf_unpack(struct elf_unpacked *unpacked, const struct elf_image *image)
{
	struct parts parts = {.count = 0};
	const Elf64_Ehdr *like = elf64_getehdr(image->elf);
	*unpacked = (struct elf_unpacked){0};
	if (!like || like->e_ident[EI_DATA] != ELFDATA2LSB || !find_parts(&parts, image))
		return false;
	size_t size = build(unpacked, like, &parts);
	unpacked->elf = elf_memory((char *)unpacked->bytes, size);
	if (!unpacked->elf)
		elf_unpack_finish(unpacked);
	return unpacked->elf != NULL;
}

void elf_unpack_finish(struct elf_unpacked *unpacked)
{
	if (unpacked->elf)
		elf_end(unpacked->elf);
	free(unpacked->bytes);
	*unpacked = (struct elf_unpacked){0};
}
