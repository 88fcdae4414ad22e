/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-store: the ELF image of each file that a process has mapped, opened once.
 *
 * Files are told apart by device and inode. If a file cannot be opened (it was deleted or
 * replaced by an upgrade, and we are not privileged), what is mapped of it is read from
 * the target's memory: enough to unwind through, but without the symbol table. A failure
 * is remembered, not tried again, unless it was unmapped meanwhile. At most half of the descriptors that this process may
 * have are used. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_IMAGE_STORE_H
#define CPROFTOP_IMAGE_STORE_H

#include "src/process/proc-dir.h"
#include "src/process/region.h"
#include "src/read/elf/code-names.h"
#include "src/read/elf/elf-image.h"
#include "src/read/elf/image-cache.h"

#include <stddef.h>
#include <stdint.h>

struct image_store;

/* DIR and CACHE are borrowed and must outlive it. DEBUG_DIRS: see debug_file_open. */
struct image_store *image_store_create(
	const struct proc_dir *dir, struct image_cache *cache, const char *debug_dirs);
void image_store_destroy(struct image_store *store); /* NULL is fine */

/* The slot of the file behind ALL[INDEX], opened now if it is new. RAW_PATH is its path
   as maps prints it, up to a newline. */
uint32_t image_store_slot(struct image_store *store, const struct region *all,
	size_t count, size_t index, const char *raw_path);

/* The file of REGION could not be opened because it was not mapped any more: the next call of
   image_store_slot tries again, if there were not too many such calls. */
void image_store_retry(struct image_store *store, const struct region *region);

/* How many there are. */
size_t image_store_count(const struct image_store *store);

/* The image of a slot, NULL if it has none. Valid until the store is destroyed. */
struct elf_image *image_store_image(const struct image_store *store, uint32_t slot);

/* The names of its code; NULL if it has no image. Valid as long as the image. */
struct code_names *image_store_names(const struct image_store *store, uint32_t slot);

/* Why there is no image, or not the whole file; "" if all is well. */
const char *image_store_problem(const struct image_store *store, uint32_t slot);

#endif
