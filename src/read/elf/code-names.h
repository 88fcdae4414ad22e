/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code-names: the names of the code of one image, from the best source there is.
 *
 * The first of these that covers an address: the file's own .symtab; that of its separate
 * debug file (debug-file.h); its .dynsym; its packed symbols (.gnu_debugdata); Go's own
 * table of functions (elf-go.h); the stubs of its PLT. All use the addresses of the
 * image. Nothing is searched before the first question; a debug file is only searched if
 * the file does not have a full symbol table of its own. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_CODE_NAMES_H
#define CPROFTOP_CODE_NAMES_H

#include "src/read/elf/elf-image.h"

#include <stdbool.h>
#include <stdint.h>

struct code_names;

/* IMAGE is borrowed and must outlive it; PATH (where the target sees it, raw) and DIRS
   (see debug_file_open) are copied. */
struct code_names *code_names_create(
	struct elf_image *image, const char *path, const char *dirs);
/* How much all that is read of the file has of its budget (elf_image_set_budget); free that,
   and read it again if it is asked for and AGAIN. */
uint64_t code_names_charged(const struct code_names *names);
bool code_names_is_over_budget(const struct code_names *names);
void code_names_forget(struct code_names *names, bool again);

void code_names_destroy(struct code_names *names); /* NULL is fine */

/* As elf_image_symbol. */
const struct elf_symbol *code_names_symbol(struct code_names *names, uint64_t vaddr);

/* Where the function at VADDR begins, which has no symbol (elf_image_function_start). */
uint64_t code_names_start(struct code_names *names, uint64_t vaddr);

/* How far the stack pointer is below the return address at VADDR, by a table of the
   compiler (Go); false if there is none, or it does not say. */
bool code_names_frame(struct code_names *names, uint64_t vaddr, uint64_t *bytes);

/* elf_image_find_function, also by the debug file and Go's own table. */
bool code_names_function(
	struct code_names *names, const char *name, struct elf_function *out);

/* elf_image_find_variable, also by the debug file. */
bool code_names_variable(
	struct code_names *names, const char *name, uint64_t *vaddr, uint64_t *size);

/* The function NAME, as a table of the compiler's own says; NULL if there is none. */
const struct elf_symbol *code_names_compiled(struct code_names *names, const char *name);

/* A new descriptor of the file that has lines for this code (elf_lines_open), or -1. It
   is TRUSTED if it is not the mapped file itself but one that debug_file_open found. */
int code_names_lines_file(struct code_names *names, bool *trusted);

/* The build id by which a debug file for this code can be fetched, valid as long as the
   image. NULL if there is a debug file already, or no build id. */
const char *code_names_wanted(struct code_names *names);

/* Use the debug file at PATH, if none was found yet. False if it is not for this code. */
bool code_names_adopt(struct code_names *names, const char *path);

#endif
