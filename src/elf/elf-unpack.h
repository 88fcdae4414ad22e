/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * elf-unpack: the compressed debug sections of a file, unpacked at once.
 *
 * libdw would unpack all of them by zlib when it opens the file, whatever is asked of it
 * later: most of the time that lines take. libdeflate needs half of it, for it is told
 * how long the result is; and what tells only of variables is left out.
 *
 * What comes of it is a small ELF file in memory. Sizes are from the file, which may be
 * hostile: the caller has checked their sum (elf-lines.c). A section that cannot be
 * unpacked is one that is not there. One thread at a time.
 */
#ifndef CPROFTOP_ELF_UNPACK_H
#define CPROFTOP_ELF_UNPACK_H

#include "src/elf/elf-image.h"

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
