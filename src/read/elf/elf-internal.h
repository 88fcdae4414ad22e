/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf-internal: what the files behind elf-image.h share.
 *
 * elf-bytes.c reads the file's bytes by offset and by address. On it stand the tables:
 * elf-symbols.c, elf-plt.c, elf-unwind-table.c and elf-fde-index.c; elf-debug.c finds more
 * names. elf-image.c opens an image with its segments, and destroys it with its tables.
 * Nobody else includes this.
 */
#ifndef CPROFTOP_ELF_INTERNAL_H
#define CPROFTOP_ELF_INTERNAL_H

#include "src/base/idmap.h"
#include "src/base/vec.h"

#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_fde_index; /* src/read/elf/elf-image.h */
struct elf_symbol;

/* A PT_LOAD whose addresses do not wrap. FILE_BYTES is 0 if the file does not hold what
   the header says. */
struct elf_segment {
	uint64_t offset, file_bytes;
	uint64_t vaddr, memory_bytes;
	uint32_t flags; /* PF_X, PF_W, PF_R */
};

/* A piece of the file, kept. The cache is direct-mapped: what it may hold is bounded by
   its shape, and a hit is one comparison. */
struct elf_block {
	uint64_t number; /* of this block in the file */
	size_t length;	 /* 0: the slot is empty */
	unsigned char *bytes;
};

enum {
	ELF_BLOCK_BYTES = 16 << 10,
	ELF_BLOCK_SLOTS = 1 << 10, /* at most 16 MiB an image */
};

struct elf_symbols {
	bool loaded;
	char *strings; /* names point in here */
	size_t count;
	struct elf_symbol *entries;
	uint32_t *enclosing; /* of each entry: the entry it starts within, or none */
	bool *unsettled;     /* of each entry: its size is only the room that it has */
	bool has_locals;     /* the table has local symbols, too */
};

/* Where functions begin, as they are used: sorted. */
struct elf_starts {
	uint64_t *vaddrs;
	size_t count;
};

struct elf_image {
	int fd;			    /* -1 if the image is in memory */
	unsigned char *memory;	    /* the whole image, or NULL */
	uint64_t size;		    /* of the file, or of memory */
	uint64_t allowance;	    /* bytes that may still be read: elf_image_take */
	struct file_budget *budget; /* borrowed; NULL: none */
	/* What it has of the budget: tables, which elf_image_keep gives back in parts; blocks;
	   and the image itself, if it is in memory. */
	uint64_t charged, blocks_charged, memory_charged;
	bool is_over_budget;
	Elf *elf;
	uint64_t page_bytes;
	VEC(struct elf_segment) segments;
	uint64_t eh_frame_hdr_vaddr, eh_frame_hdr_bytes; /* 0: there is none */
	char *build_id;
	struct elf_block *blocks;
	struct elf_image *code; /* borrowed: see elf_image_set_code; NULL: this one */
	struct elf_symbols symbols;
	struct elf_symbols plt; /* its stubs; none encloses another */
	struct idmap plt_slots; /* (address of a GOT word, 0) -> in plt.strings */
	struct elf_fde_index *fde_index; /* NULL: not asked for yet */
	struct elf_starts *starts;	 /* the same */
};

/* Read bytes of the file itself. False unless all of them are there. */
bool elf_image_read_file(
	const struct elf_image *image, uint64_t offset, void *out, size_t length);

/* Whether elf_image_read could give all of [VADDR, VADDR + LENGTH). */
bool elf_image_holds(const struct elf_image *image, uint64_t vaddr, uint64_t length);

/* The segment that is executable and holds VADDR in memory, or NULL. */
const struct elf_segment *elf_image_code_segment(
	const struct elf_image *image, uint64_t vaddr);

/* The section with the names of sections; 0 if they cannot be used. */
size_t elf_image_section_names(const struct elf_image *image);

/* Take BYTES of the budget, for a table or to read it. False if there are none left. */
bool elf_image_take(struct elf_image *image, uint64_t bytes);

/* Of what was taken since CHARGED was so many, only KEPT is still needed. */
void elf_image_keep(struct elf_image *image, uint64_t charged, uint64_t kept);

/* It has given all back; it may read that AGAIN, or nothing more. */
void elf_image_allow(struct elf_image *image, bool again);

/* The bytes of a section and a NUL behind them, to be freed. NULL if they are not wholly
   in the file, or more than MAX_BYTES, or more than this image may still read: many
   sections may claim to be the same bytes. */
void *elf_image_bytes_of(
	struct elf_image *image, const GElf_Shdr *header, uint64_t max_bytes);

/* The header of the first section NAME that has bytes in the file. */
bool elf_image_find_section(
	const struct elf_image *image, const char *name, GElf_Shdr *header);

/* The size of the function at VADDR, whose symbol has none; at most ROOM. It ends where
   the unwind table says that another one begins. Unless all functions have symbols
   (OTHERS_ARE_NAMED), it also ends where the code in CODE cannot go on. */
uint64_t elf_extent(
	struct elf_image *code, uint64_t vaddr, uint64_t room, bool others_are_named);

/* The first start of an FDE behind VADDR. */
bool elf_image_next_fde(struct elf_image *image, uint64_t vaddr, uint64_t *start);

void elf_symbols_finish(struct elf_symbols *symbols);
void elf_starts_destroy(struct elf_starts *starts);
void elf_fde_index_destroy(struct elf_fde_index *index);

#endif
