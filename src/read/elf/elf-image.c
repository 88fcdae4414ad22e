/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/elf/elf-image.h"

#include "src/base/mem.h"
#include "src/read/elf/elf-internal.h"
#include "src/read/elf/file-budget.h"

#include <elf.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	SEGMENTS_MAX = 128,	 /* linkers make some ten */
	SECTIONS_MAX = 64 << 10, /* libelf needs some 300 bytes for each */
	TABLES_MAX_BYTES = 512 << 20,
	NOTES_MAX_BYTES = 64 << 10,
	BUILD_ID_MAX_BYTES = 64, /* 20 (SHA-1) in practice */
};

/* --- program headers --------------------------------------------------------------- */

static void add_segment(struct elf_image *image, const GElf_Phdr *header)
{
	if (header->p_memsz > UINT64_MAX - header->p_vaddr)
		return;
	bool in_file = header->p_offset <= image->size &&
		       header->p_filesz <= image->size - header->p_offset &&
		       header->p_filesz <= header->p_memsz;
	vec_push(&image->segments, (struct elf_segment){
					   .offset = header->p_offset,
					   .file_bytes = in_file ? header->p_filesz : 0,
					   .vaddr = header->p_vaddr,
					   .memory_bytes = header->p_memsz,
					   .flags = header->p_flags,
				   });
}

static char *format_build_id(const unsigned char *bytes, size_t length)
{
	char *text = mem_zalloc(length * 2 + 1);
	for (size_t i = 0; i < length; i++)
		snprintf(text + i * 2, 3, "%02x", bytes[i]);
	return text;
}

static void read_notes(struct elf_image *image, const GElf_Phdr *header)
{
	if (image->build_id || header->p_filesz > NOTES_MAX_BYTES ||
		header->p_offset > image->size ||
		header->p_filesz > image->size - header->p_offset)
		return;
	Elf_Data *data = elf_getdata_rawchunk(image->elf, (int64_t)header->p_offset,
		header->p_filesz, header->p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR);
	if (!data)
		return;
	GElf_Nhdr note;
	size_t name = 0, content = 0;
	for (size_t at = 0; (at = gelf_getnote(data, at, &note, &name, &content)) != 0;) {
		const char *bytes = data->d_buf;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
			memcmp(bytes + name, "GNU", sizeof("GNU")) == 0 &&
			note.n_descsz > 0 && note.n_descsz <= BUILD_ID_MAX_BYTES) {
			image->build_id = format_build_id(
				(const unsigned char *)bytes + content, note.n_descsz);
			return;
		}
	}
}

static void read_program_headers(struct elf_image *image)
{
	size_t count = 0;
	if (elf_getphdrnum(image->elf, &count) != 0)
		return;
	for (size_t i = 0; i < count && image->segments.len < SEGMENTS_MAX; i++) {
		GElf_Phdr header;
		if (!gelf_getphdr(image->elf, (int)i, &header))
			return;
		if (header.p_type == PT_LOAD)
			add_segment(image, &header);
		else if (header.p_type == PT_NOTE)
			read_notes(image, &header);
		else if (header.p_type == PT_GNU_EH_FRAME) {
			image->eh_frame_hdr_vaddr = header.p_vaddr;
			image->eh_frame_hdr_bytes = header.p_filesz;
		}
	}
}

uint64_t elf_image_entry(const struct elf_image *image)
{
	GElf_Ehdr header;
	return gelf_getehdr(image->elf, &header) ? header.e_entry : 0;
}

/* --- opening ----------------------------------------------------------------------- */

/* What must be known before libelf sees the file: it is ELF of our class and byte order,
   and its section headers are not too many. libelf allocates room for as many as an
   extended section number (gABI: sh_size of the first header) claims. */
static bool check_header(const struct elf_image *image, struct error *err)
{
	Elf64_Ehdr header;
	if (!elf_image_read_file(image, 0, &header, sizeof(header)) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return error_set(err, "not an ELF file");
	if (header.e_ident[EI_CLASS] != ELFCLASS64 ||
		header.e_ident[EI_DATA] != ELFDATA2LSB)
		return error_set(err, "not a 64-bit little-endian ELF file");
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return error_set(err, "neither an executable nor a shared library");
	if (header.e_phnum == PN_XNUM) /* libelf would believe any number */
		return error_set(err, "more than %d program headers", PN_XNUM - 1);
	Elf64_Shdr first;
	uint64_t count = header.e_shnum;
	if (header.e_shoff != 0 && count == 0 &&
		elf_image_read_file(image, header.e_shoff, &first, sizeof(first)))
		count = first.sh_size;
	if (header.e_shoff != 0 && count > SECTIONS_MAX)
		return error_set(err, "more than %d section headers", SECTIONS_MAX);
	return true;
}

static bool read_headers(struct elf_image *image, struct error *err)
{
	if (elf_version(EV_CURRENT) == EV_NONE)
		return error_set(err, "libelf: %s", elf_errmsg(-1));
	if (!check_header(image, err))
		return false;
	image->elf = image->memory ? elf_memory((char *)image->memory, image->size)
				   : elf_begin(image->fd, ELF_C_READ, NULL);
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF)
		return error_set(err, "damaged ELF header: %s", elf_errmsg(-1));
	read_program_headers(image);
	if (image->segments.len == 0)
		return error_set(err, "no loadable segment");
	return true;
}

static struct elf_image *finish_opening(struct elf_image *image, struct error *err)
{
	image->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	image->allowance = TABLES_MAX_BYTES;
	if (read_headers(image, err))
		return image;
	elf_image_destroy(image);
	return NULL;
}

struct elf_image *elf_image_open(int fd, struct error *err)
{
	struct stat status;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		error_set(err, "not a regular file");
		close(fd);
		return NULL;
	}
	struct elf_image *image = mem_zalloc(sizeof(*image));
	image->fd = fd;
	image->size = (uint64_t)status.st_size;
	return finish_opening(image, err);
}

struct elf_image *elf_image_from_memory(const void *bytes, size_t size, struct error *err)
{
	struct elf_image *image = mem_zalloc(sizeof(*image));
	image->fd = -1;
	image->size = size;
	image->memory = mem_alloc(size ? size : 1);
	memcpy(image->memory, bytes, size);
	return finish_opening(image, err);
}

void elf_image_forget(struct elf_image *image, bool again)
{
	elf_symbols_finish(&image->symbols);
	elf_symbols_finish(&image->plt);
	idmap_finish(&image->plt_slots);
	elf_fde_index_destroy(image->fde_index);
	elf_starts_destroy(image->starts);
	image->fde_index = NULL;
	image->starts = NULL;
	for (size_t i = 0; image->blocks && i < ELF_BLOCK_SLOTS; i++)
		free(image->blocks[i].bytes);
	free(image->blocks);
	image->blocks = NULL;
	elf_image_keep(image, 0, 0);
	if (image->budget)
		file_budget_give(image->budget, image->blocks_charged);
	image->blocks_charged = 0;
	elf_image_allow(image, again);
}

void elf_image_destroy(struct elf_image *image)
{
	if (!image)
		return;
	elf_image_forget(image, false);
	if (image->budget)
		file_budget_give(image->budget, image->memory_charged);
	free(image->build_id);
	vec_free(&image->segments);
	if (image->elf)
		elf_end(image->elf);
	free(image->memory);
	if (image->fd >= 0)
		close(image->fd);
	free(image);
}

const char *elf_image_build_id(const struct elf_image *image)
{
	return image->build_id ? image->build_id : "";
}
