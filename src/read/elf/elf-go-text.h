/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf-go-text: the address that the entries of a Go program's function table count from.
 *
 * Up to Go 1.25 the table's own header has it (pcHeader.textStart). Since Go 1.26 that
 * word is 0, and the runtime takes the address from its record of the module
 * (moduledata.text in runtime/symtab.go), which begins with a pointer to the table. So
 * that record is searched in the data of the program, and used only if its first function
 * agrees with the table. Private to elf-go.c.
 */
#ifndef CPROFTOP_ELF_GO_TEXT_H
#define CPROFTOP_ELF_GO_TEXT_H

#include "src/read/elf/elf-image.h"

#include <stdint.h>

/* TABLE is the address of the function table, TEXT_START what its header says, at the
   address HEADER_WORD, and FIRST the first entry. 0 if it is not to be found. */
uint64_t elf_go_text(struct elf_image *image, uint64_t table, uint64_t header_word,
	uint64_t text_start, uint32_t first);

#endif
