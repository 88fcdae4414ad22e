/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit-object: the file that a compiler at run time makes for debuggers, of code that it has
 * put into memory.
 *
 * It is an ELF file that exists only in memory. Compilers differ in how much of one it is:
 * qemu's has a .debug_frame with addresses, LLVM's is an object file whose sections have
 * addresses, but whose .eh_frame is not relocated. What is needed of it is brought into one
 * form, an image with a relocated .eh_frame (src/read/elf/elf-image.h), and the rest is
 * forgotten. Addresses in that image are those of the process.
 *
 * The bytes may be hostile: every offset and size is checked, and a bad part is an absent
 * part. Pure.
 */
#ifndef CPROFTOP_JIT_OBJECT_H
#define CPROFTOP_JIT_OBJECT_H

#include "src/read/elf/elf-image.h"

#include <stddef.h>
#include <stdint.h>

enum {
	JIT_IMAGE_TIMES = 4, /* an image is at most so many times as large as its file */
};

/* The image for the file of SIZE BYTES, and where its code is: in [*START, *LIMIT). NULL if
   it describes no frame of code. */
struct elf_image *jit_object_image(
	const unsigned char *bytes, size_t size, uint64_t *start, uint64_t *limit);

#endif
