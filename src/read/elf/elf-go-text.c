/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/elf/elf-go-text.h"

#include "src/base/mem.h"
#include "src/read/elf/elf-internal.h"

#include <elf.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>

enum {
	TABLE_MAX_BYTES = 64 << 20,
	/* Words of moduledata: pcHeader, six slices of three words, findfunctab... */
	MODULE_MINPC = 20,
	MODULE_TEXT = 22,
	MODULE_WORDS,
};

/* The bytes of the next section behind *SECTION that WANTS wants; to be freed. NULL if
   there is none left. */
static void *next_section(struct elf_image *image, Elf_Scn **section,
	bool (*wants)(const GElf_Shdr *), GElf_Shdr *header)
{
	while ((*section = elf_nextscn(image->elf, *section))) {
		void *bytes = gelf_getshdr(*section, header) && wants(header)
				      ? elf_image_bytes_of(image, header, TABLE_MAX_BYTES)
				      : NULL;
		if (bytes)
			return bytes;
	}
	return NULL;
}

/* --- a program that is relocated when it starts ------------------------------------- */

static bool is_relocations(const GElf_Shdr *header)
{
	return header->sh_type == SHT_RELA;
}

/* The word at VADDR after relocation; 0 if it is not known. */
static uint64_t relocated_word(struct elf_image *image, uint64_t vaddr)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf64_Rela *all;
	uint64_t found = 0;
	while (!found && (all = next_section(image, &section, is_relocations, &header))) {
		for (size_t i = 0; i < header.sh_size / sizeof(*all) && !found; i++)
			if (all[i].r_offset == vaddr)
				found = (uint64_t)all[i].r_addend;
		free(all);
	}
	return found;
}

/* TEXT if it agrees with what a module says of its first function. */
static uint64_t confirmed(uint64_t text, uint64_t minpc, uint32_t first)
{
	return text && text + first == minpc ? text : 0;
}

static uint64_t relocated_text(struct elf_image *image, uint64_t table, uint32_t first)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf64_Rela *all;
	uint64_t text = 0;
	while (!text && (all = next_section(image, &section, is_relocations, &header))) {
		for (size_t i = 0; i < header.sh_size / sizeof(*all) && !text; i++) {
			uint64_t module = all[i].r_offset;
			if ((uint64_t)all[i].r_addend == table)
				text = confirmed(
					relocated_word(image, module + MODULE_TEXT * 8),
					relocated_word(image, module + MODULE_MINPC * 8),
					first);
		}
		free(all);
	}
	return text;
}

/* --- one that is not ---------------------------------------------------------------- */

static bool is_data(const GElf_Shdr *header)
{
	return header->sh_type == SHT_PROGBITS && (header->sh_flags & SHF_WRITE);
}

static uint64_t written_text(struct elf_image *image, uint64_t table, uint32_t first)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	uint64_t *words, text = 0;
	while (!text && (words = next_section(image, &section, is_data, &header))) {
		size_t count = header.sh_size / sizeof(*words);
		for (size_t i = 0; i + MODULE_WORDS <= count && !text; i++)
			if (words[i] == table)
				text = confirmed(words[i + MODULE_TEXT],
					words[i + MODULE_MINPC], first);
		free(words);
	}
	return text;
}

uint64_t elf_go_text(struct elf_image *image, uint64_t table, uint64_t header_word,
	uint64_t text_start, uint32_t first)
{
	uint64_t text = text_start;
	if (!text)
		text = relocated_word(image, header_word);
	if (!text)
		text = written_text(image, table, first);
	if (!text)
		text = relocated_text(image, table, first);
	return text;
}
