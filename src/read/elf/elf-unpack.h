/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf-unpack: unpack the compressed debug sections of a file, all at once.
 *
 * libdw would unpack them with zlib when it opens the file, which is most of the time
 * that looking up lines takes. libdeflate needs half of that time, because the size of
 * the result is known; and sections that describe only variables are left out.
 *
 * The result is a small ELF file in memory. Sizes come from the file, which may be
 * hostile: the caller has checked their sum (elf-lines.c). A section that cannot be
 * unpacked counts as missing. One thread at a time.
 */
#ifndef CPROFTOP_ELF_UNPACK_H
#define CPROFTOP_ELF_UNPACK_H

#include "src/read/elf/elf-image.h"

#include <libelf.h>
#include <stdbool.h>

struct elf_unpacked {
	Elf *elf;
	unsigned char *bytes;
};

/* False if there is nothing to unpack, or its lines are partly in other files, which
   libdw finds only from the file itself. */
bool elf_unpack(struct elf_unpacked *unpacked, const struct elf_image *image);

void elf_unpack_finish(struct elf_unpacked *unpacked); /* of a zeroed one, too */

#endif
