/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf-go: the function table that every Go program carries, stripped or not (pclntab).
 *
 * The Go runtime needs names, files and lines for its own tracebacks, so they are in
 * .gopclntab even after -ldflags=-s -w. The formats of Go 1.16, 1.18, 1.20 and 1.26 are
 * understood (golang.org/s/go12symtab; debug/gosym/pclntab.go and runtime/symtab.go of
 * these versions). Inlined functions are not told apart: the line is that of the
 * innermost one, the name that of the real one. The table may be hostile: every offset is
 * checked when it is followed. One thread at a time.
 */
#ifndef CPROFTOP_ELF_GO_H
#define CPROFTOP_ELF_GO_H

#include "src/read/elf/elf-image.h"

#include <stdbool.h>
#include <stdint.h>

struct elf_go;

/* The table of IMAGE, copied. NULL if it has none of a format that is known. */
struct elf_go *elf_go_open(struct elf_image *image);
void elf_go_close(struct elf_go *go); /* NULL is fine */

bool elf_go_is_there(const struct elf_image *image); /* a section of that name */

/* The function at VADDR, until elf_go_close; NULL if there is none. */
const struct elf_symbol *elf_go_symbol(struct elf_go *go, uint64_t vaddr);

/* The function of that NAME, the same. */
const struct elf_symbol *elf_go_named(struct elf_go *go, const char *name);

/* Where the code at VADDR was written. Strings are not cleaned, and valid until
   elf_go_close. */
struct elf_go_line {
	const char *function, *file;
	uint32_t line;
	uint32_t start_line; /* 0 if unknown: before Go 1.20 */
};
bool elf_go_line(struct elf_go *go, uint64_t vaddr, struct elf_go_line *out);

/* How far the stack pointer is below the return address while the instruction at VADDR
   runs (pcsp). False if the table does not say: there is no function, or it sets the
   stack pointer. */
bool elf_go_frame(struct elf_go *go, uint64_t vaddr, uint64_t *bytes);

#endif
