/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf-image: one ELF file, read for its segments, its build id, its symbols, its unwind
 * tables, and for what it says about where more of its names are.
 *
 * The file may be hostile: nothing is mapped (a truncated file would be SIGBUS), every
 * offset and size from the file is checked, and a bad part is an absent part. Sections
 * are read whole into memory on first use and kept until the image is destroyed. An image
 * knows nothing of where it is mapped; all addresses here are the file's own (p_vaddr).
 * The reader's thread, or dump's.
 */
#ifndef CPROFTOP_ELF_IMAGE_H
#define CPROFTOP_ELF_IMAGE_H

#include "src/base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_image;
struct file_budget;

/* Where distributions put separate debug files, and where we look after all of
   --debug-dir (src/read/elf/debug-file.h). */
#define DEBUG_FILE_SYSTEM_DIR "/usr/lib/debug"

/* Read the regular file open at FD (taken over, closed in any case). NULL on failure. */
struct elf_image *elf_image_open(int fd, struct error *err);

/* Read an image that exists only in memory, as the vDSO; BYTES are copied. */
struct elf_image *elf_image_from_memory(
	const void *bytes, size_t size, struct error *err);

void elf_image_destroy(struct elf_image *image); /* NULL is fine */

/* From now on its tables are of BUDGET, which is borrowed; what it is not given is not read.
   Before anything is asked of it. Without a budget an image may read 512 MiB. False if there
   is no room for an image that is itself in memory: then it must be destroyed. */
bool elf_image_set_budget(struct elf_image *image, struct file_budget *budget);

/* IMAGE has the budget of OF, if that has one. False: see above. */
bool elf_image_share_budget(struct elf_image *image, const struct elf_image *of);

/* How much of the budget it has; was there something that it could not read? */
uint64_t elf_image_charged(const struct elf_image *image);
bool elf_image_is_over_budget(const struct elf_image *image);

/* Free all tables. They are read again when they are asked for; not if not AGAIN. */
void elf_image_forget(struct elf_image *image, bool again);

/* Lowercase hex of NT_GNU_BUILD_ID, "" if there is none. */
const char *elf_image_build_id(const struct elf_image *image);

/* Where the file says that a process begins; 0 if it does not. */
uint64_t elf_image_entry(const struct elf_image *image);

/* Turn a file offset into the address that the executable segment holding it was linked
   for. Segments are compared page by page, because LLD does not align p_offset. */
bool elf_image_vaddr_of_offset(
	const struct elf_image *image, uint64_t offset, uint64_t *vaddr);

/* Copy LENGTH bytes that the file holds for VADDR, if they are in a segment that the
   program cannot write (text, rodata, eh_frame: not .data.rel.ro, which is relocated). */
bool elf_image_read(struct elf_image *image, uint64_t vaddr, void *out, size_t length);

/* .eh_frame_hdr by its program header, checked: version 1, a binary search table of
   datarel|sdata4 pairs that lies in the file. False if there is none that can be used. */
struct elf_unwind_table {
	uint64_t hdr_vaddr;   /* of .eh_frame_hdr: the base of the table's entries */
	uint64_t table_vaddr; /* of the first entry */
	uint64_t fde_count;
};
bool elf_image_unwind_table(struct elf_image *image, struct elf_unwind_table *out);

/* The same for a file that was linked without it: an index of .eh_frame, made on first
   use, sorted by start. Owned by the image. NULL if there is no such section either. */
struct elf_fde {
	int32_t start, fde; /* of the function and of its entry, less base_vaddr */
};
struct elf_fde_index {
	uint64_t base_vaddr;
	struct elf_fde *entries;
	size_t count;
};
const struct elf_fde_index *elf_image_fde_index(struct elf_image *image);

/* The code [*START, *START + *SIZE) that one entry of .eh_frame describes and that holds
   VADDR: a function, or the part of one that the compiler put elsewhere. False if none
   does. */
bool elf_image_fde_range(
	struct elf_image *image, uint64_t vaddr, uint64_t *start, uint64_t *size);

/* The nearest place at or before VADDR that is used as the start of a function (something
   calls it or holds its address), and the next such place or the next entry of .eh_frame
   behind it; all in code that .eh_frame does not describe. False if there is none, or the
   file is too large to be searched for it. That VADDR belongs to that function is likely,
   not certain: functions that nothing uses are not seen. */
bool elf_image_used_start(
	struct elf_image *image, uint64_t vaddr, uint64_t *start, uint64_t *limit);

/* Where the function at VADDR begins, by the unwind table; else the nearest such place
   from which the code goes on up to VADDR; else VADDR. */
uint64_t elf_image_function_start(struct elf_image *image, uint64_t vaddr);

/* A function symbol. The table is sorted by address; aliases of one address are one entry
   (a global or weak name wins over a local one, one without "__" over others, a global one over a
   weak one, then the shorter). */
struct elf_symbol {
	uint64_t vaddr, size; /* size 0 was replaced: see elf_image_symbol */
	const char *name;     /* in the image, not cleaned, not demangled */
};

/* The symbol whose [vaddr, vaddr + size) holds VADDR, or NULL. The table (.symtab, else
   .dynsym) is built on first use. A symbol without a size ends where the next one begins,
   where its section ends, or where the unwind table says that another function begins. In
   a table without local symbols, in which functions may be missing, it also ends where
   the code cannot go on. */
const struct elf_symbol *elf_image_symbol(struct elf_image *image, uint64_t vaddr);

/* IMAGE, such as a debug file, describes the code of another file, CODE, which is
   borrowed. Called before symbols are asked for. */
void elf_image_set_code(struct elf_image *image, struct elf_image *code);

/* The stub of the PLT (.plt, .plt.sec, .plt.got) that holds VADDR, named as in perf and
   gdb: "memcpy@plt". NULL if VADDR is not in a stub, or it is not known where the stub
   leads. */
const struct elf_symbol *elf_image_plt_symbol(struct elf_image *image, uint64_t vaddr);

/* The function whose address the word at VADDR will hold, a word of the GOT through which
   stubs jump and code calls: the same names. NULL if none is known. */
const char *elf_image_slot_name(struct elf_image *image, uint64_t vaddr);

size_t elf_image_symbol_count(struct elf_image *image);

/* Variables and functions that the file exports (.dynsym), by the NAME of each: VADDR becomes its
   address, 0 if there is none. Reads the table anew with each call. */
struct elf_variable {
	const char *name;
	uint64_t vaddr, size;
};
void elf_image_find_variables(
	const struct elf_image *image, struct elf_variable *wanted, size_t n);

/* The variable of the file's own that holds VADDR, in memory that a program can write; by .symtab,
   else .dynsym, which is read anew with each call. */
struct elf_object {
	uint64_t vaddr, size;
	char *name;	/* to be freed */
	bool is_shared; /* another variable is called the same */
};
bool elf_image_object_at(
	const struct elf_image *image, uint64_t vaddr, struct elf_object *out);

/* The variable NAME by .symtab or .dynsym, a global one rather than a static one. Reads the tables anew. */
bool elf_image_find_variable(
	const struct elf_image *image, const char *name, uint64_t *vaddr, uint64_t *size);

/* The function NAME by .symtab or .dynsym. IS_INDIRECT: what is there only chooses, once, which
   function is called by that name (STT_GNU_IFUNC). Reads the tables anew. */
struct elf_function {
	uint64_t vaddr;
	bool is_indirect;
};
bool elf_image_find_function(
	const struct elf_image *image, const char *name, struct elf_function *out);

/* A variable that each thread has: where it is in the part of thread-local storage
   that is this file's, and the word of the GOT that holds the number of that part (0: there is
   none, as in a program, whose number is 1); or the two words of its descriptor, 0 likewise
   (arch_relocation_tls_descriptor). */
struct elf_tls {
	uint64_t offset, module_slot, descriptor;
};
bool elf_image_find_tls(
	const struct elf_image *image, const char *name, struct elf_tls *out);

/* The word of the GOT that holds the number of the file's own part of thread-local storage, for
   variables of which no other file knows; 0: there is none. */
uint64_t elf_image_tls_module(const struct elf_image *image);

/* --- where more names are ---------------------------------------------------------- */

/* The bytes of section NAME, to be freed, and their LENGTH; NULL if there is none or it
   has more than MAX_BYTES. Compressed sections are given as they are. */
void *elf_image_section(const struct elf_image *image, const char *name, size_t max_bytes,
	size_t *length);

/* Is there a section NAME with bytes in the file? */
bool elf_image_has_section(const struct elf_image *image, const char *name);

/* .gnu_debuglink: the plain name (no directory in it) of the file with the debugging
   information that was split off this one, and the CRC-32 of that file. */
enum {
	ELF_DEBUGLINK_NAME_MAX = 256
};
bool elf_image_debuglink(
	const struct elf_image *image, char name[ELF_DEBUGLINK_NAME_MAX], uint32_t *crc);

/* .gnu_debugdata ("MiniDebugInfo"): an image with the symbols that a stripped file of
   some distributions carries packed; they leave out those of .dynsym. Unpacked within
   fixed limits. NULL if there is none. The caller owns it. */
struct elf_image *elf_image_packed_symbols(const struct elf_image *image);

/* A new descriptor of the file, or -1 if the image is only in memory. */
int elf_image_dup(const struct elf_image *image);

/* The CRC-32 of the whole file, if it has at most MAX_BYTES. */
bool elf_image_crc(const struct elf_image *image, uint64_t max_bytes, uint32_t *crc);

#endif
