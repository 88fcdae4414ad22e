/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/jit/jit-object.h"

#include "src/arch/arch.h"
#include "src/base/mem.h"
#include "src/read/runtimes/jit/jit-frames.h"

#include <elf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	SECTIONS_MAX = 4096,
	TABLES_MAX = 8,	 /* of frames */
	NAME_BYTES = 16, /* of a section; longer ones are not looked for */
};

/* Unwind tables tell distances in 32 bits. */
#define SPAN_MAX (UINT64_C(1) << 30)

struct object {
	const unsigned char *bytes;
	size_t size;
	Elf64_Ehdr header;
	const char *names; /* of sections */
	size_t names_bytes;
	Elf64_Shdr symbols;    /* sh_size 0: none */
	uint64_t start, limit; /* of the code */
};

static bool is_inside(const struct object *object, uint64_t offset, uint64_t length)
{
	return offset <= object->size && length <= object->size - offset;
}

static bool section_at(const struct object *object, uint32_t index, Elf64_Shdr *out)
{
	if (index >= object->header.e_shnum)
		return false;
	memcpy(out, object->bytes + object->header.e_shoff + index * sizeof(*out),
		sizeof(*out));
	return out->sh_type == SHT_NOBITS ||
	       is_inside(object, out->sh_offset, out->sh_size);
}

/* The section's name, "" if it has none that can be read. */
static void name_of(
	const struct object *object, const Elf64_Shdr *section, char name[NAME_BYTES])
{
	name[0] = '\0';
	if (section->sh_name >= object->names_bytes)
		return;
	size_t room = object->names_bytes - section->sh_name;
	const char *from = object->names + section->sh_name;
	size_t length = strnlen(from, room < NAME_BYTES ? room : NAME_BYTES);
	if (length == room || length == NAME_BYTES)
		return;
	memcpy(name, from, length + 1);
}

static bool open_object(struct object *object)
{
	Elf64_Shdr names;
	const Elf64_Ehdr *header = &object->header;
	if (object->size < sizeof(*header))
		return false;
	memcpy(&object->header, object->bytes, sizeof(*header));
	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
		header->e_ident[EI_CLASS] != ELFCLASS64 ||
		header->e_ident[EI_DATA] != ELFDATA2LSB ||
		header->e_shentsize != sizeof(Elf64_Shdr) ||
		header->e_shnum > SECTIONS_MAX ||
		!is_inside(
			object, header->e_shoff, header->e_shnum * sizeof(Elf64_Shdr)) ||
		!section_at(object, header->e_shstrndx, &names) ||
		names.sh_type != SHT_STRTAB)
		return false;
	object->names = (const char *)object->bytes + names.sh_offset;
	object->names_bytes = names.sh_size;
	return true;
}

/* Where the code is, and the table of symbols. */
static bool find_code(struct object *object)
{
	Elf64_Shdr section;
	object->start = UINT64_MAX;
	object->limit = 0;
	for (uint32_t i = 0; i < object->header.e_shnum; i++) {
		if (!section_at(object, i, &section))
			continue;
		if (section.sh_type == SHT_SYMTAB &&
			section.sh_entsize == sizeof(Elf64_Sym))
			object->symbols = section;
		bool is_code = (section.sh_flags & SHF_EXECINSTR) && section.sh_addr &&
			       section.sh_size > 0 &&
			       section.sh_size <= UINT64_MAX - section.sh_addr;
		if (is_code && section.sh_addr < object->start)
			object->start = section.sh_addr;
		if (is_code && section.sh_addr + section.sh_size > object->limit)
			object->limit = section.sh_addr + section.sh_size;
	}
	return object->start < object->limit && object->limit - object->start <= SPAN_MAX;
}

/* In an object file a symbol's value is a distance from its section. */
static bool symbol_address(const void *context, uint32_t index, uint64_t *address)
{
	const struct object *object = context;
	Elf64_Sym symbol;
	Elf64_Shdr section;
	if (index >= object->symbols.sh_size / sizeof(symbol))
		return false;
	memcpy(&symbol,
		object->bytes + object->symbols.sh_offset + index * sizeof(symbol),
		sizeof(symbol));
	*address = symbol.st_value;
	if (object->header.e_type != ET_REL)
		return true;
	if (!section_at(object, symbol.st_shndx, &section) || section.sh_addr == 0)
		return false;
	*address += section.sh_addr;
	return true;
}

/* The relocations of section NUMBER. */
static void find_relocations(
	const struct object *object, uint32_t number, struct jit_section *out)
{
	Elf64_Shdr section;
	for (uint32_t i = 0; i < object->header.e_shnum; i++) {
		if (!section_at(object, i, &section) || section.sh_type != SHT_RELA ||
			section.sh_info != number)
			continue;
		out->relocations = object->bytes + section.sh_offset;
		out->n_relocations = section.sh_size / sizeof(Elf64_Rela);
		return;
	}
}

/* Many headers may describe the same bytes: no more is read than the file has. */
static void read_frames(const struct object *object, struct jit_frames *frames)
{
	Elf64_Shdr section;
	char name[NAME_BYTES];
	size_t left = object->size;
	unsigned tables = 0;
	for (uint32_t i = 0; i < object->header.e_shnum && tables < TABLES_MAX; i++) {
		if (!section_at(object, i, &section) || section.sh_type == SHT_NOBITS ||
			(section.sh_flags & SHF_COMPRESSED) || section.sh_size == 0 ||
			section.sh_size > left)
			continue;
		name_of(object, &section, name);
		bool is_debug = strcmp(name, ".debug_frame") == 0;
		if (!is_debug && strcmp(name, ".eh_frame") != 0)
			continue;
		struct jit_section in = {
			.bytes = object->bytes + section.sh_offset,
			.size = section.sh_size,
			.address = section.sh_addr,
			.is_debug = is_debug,
			.symbol = symbol_address,
			.context = object,
		};
		left -= section.sh_size;
		tables++;
		find_relocations(object, i, &in);
		jit_frames_add(frames, &in, object->start, object->limit);
	}
}

/* --- the image ---------------------------------------------------------------------- */

enum {
	EH_FRAME = 1,
	NAMES,
	MADE_SECTIONS,
};

static const char made_names[] = "\0.eh_frame\0.shstrtab";

struct made {
	Elf64_Ehdr header;
	Elf64_Phdr segments[2];
	Elf64_Shdr sections[MADE_SECTIONS];
	char names[sizeof(made_names)];
};

/* An ELF file of FRAMES, in memory below the code in [START, LIMIT), where they are near
   enough for 32 bits. */
static struct elf_image *make_image(
	const struct jit_frames *frames, uint64_t start, uint64_t limit)
{
	size_t length = frames->bytes.len, size = sizeof(struct made) + length;
	if (length == 0 || start < 2 * (uint64_t)size)
		return NULL;
	uint64_t address = (start - length) & ~UINT64_C(15);
	struct made made = {
		.header =
			{
				.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3,
					ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
				.e_type = ET_EXEC,
				.e_machine = ARCH_ELF_MACHINE,
				.e_version = EV_CURRENT,
				.e_phoff = offsetof(struct made, segments),
				.e_shoff = offsetof(struct made, sections),
				.e_ehsize = sizeof(Elf64_Ehdr),
				.e_phentsize = sizeof(Elf64_Phdr),
				.e_phnum = 2,
				.e_shentsize = sizeof(Elf64_Shdr),
				.e_shnum = MADE_SECTIONS,
				.e_shstrndx = NAMES,
			},
		.segments = {{.p_type = PT_LOAD,
				     .p_flags = PF_R,
				     .p_offset = sizeof(made),
				     .p_vaddr = address,
				     .p_filesz = length,
				     .p_memsz = length},
			{.p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_vaddr = start,
				.p_memsz = limit - start}},
		.sections = {[EH_FRAME] = {.sh_name = 1,
				     .sh_type = SHT_PROGBITS,
				     .sh_flags = SHF_ALLOC,
				     .sh_addr = address,
				     .sh_offset = sizeof(made),
				     .sh_size = length},
			[NAMES] = {.sh_name = sizeof("\0.eh_frame"),
				.sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct made, names),
				.sh_size = sizeof(made_names)}},
	};
	memcpy(made.names, made_names, sizeof(made_names));
	unsigned char *bytes = mem_alloc(size);
	memcpy(bytes, &made, sizeof(made));
	memcpy(bytes + sizeof(made), frames->bytes.data, length);
	struct elf_image *image = elf_image_from_memory(bytes, size, NULL);
	free(bytes);
	return image;
}

struct elf_image *jit_object_image(
	const unsigned char *bytes, size_t size, uint64_t *start, uint64_t *limit)
{
	struct object object = {.bytes = bytes, .size = size};
	struct jit_frames frames = {.most = size * JIT_IMAGE_TIMES};
	if (!open_object(&object) || !find_code(&object))
		return NULL;
	*start = object.start;
	*limit = object.limit;
	read_frames(&object, &frames);
	struct elf_image *image = make_image(&frames, object.start, object.limit);
	vec_free(&frames.bytes);
	return image;
}
