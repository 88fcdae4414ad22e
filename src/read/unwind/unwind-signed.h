/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-signed: unwind tables of code that signs its return addresses.
 *
 * Such tables say from which instruction on the return address is signed (aarch64's
 * DW_CFA_AARCH64_negate_ra_state). That need not be known, because signatures are removed from all
 * return addresses (arch_return_address); but libunwind 1.6 takes it for an error. So libunwind is
 * shown a no-operation in its place. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_SIGNED_H
#define CPROFTOP_UNWIND_SIGNED_H

#include "src/read/elf/elf-image.h"

#include <stdint.h>

/* The part of a table that libunwind will read: what is at each instruction of a function. In
   addresses of the target. */
struct unwind_program {
	uint64_t start, limit;
};

/* The program of a function, of which libunwind keeps UNWIND_INFO. */
struct unwind_program unwind_signed_program(const void *unwind_info);

/* WORD is what IMAGE, mapped at BIAS, has at ADDRESS, and is read by libunwind. */
void unwind_signed_hide(const struct unwind_program *program, struct elf_image *image,
	uint64_t bias, uint64_t address, uint64_t *word);

#endif
