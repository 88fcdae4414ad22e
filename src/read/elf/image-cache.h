/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * image-cache: the ELF images that the processes of a session have mapped, each once, however
 * many processes map it.
 *
 * A file is the same if it has the same device, inode, size and times. What is kept of all
 * of them is bounded (src/read/elf/file-budget.h): when there is no more room, the tables of the
 * image that was used longest ago are freed, and read again if they are needed; but not for
 * ever, if files take turns. The latest images that no process uses any more are kept, too. Names that were found by them stay. The reader's thread, or dump's.
 */
#ifndef CPROFTOP_IMAGE_CACHE_H
#define CPROFTOP_IMAGE_CACHE_H

#include "src/base/error.h"
#include "src/read/elf/code-names.h"
#include "src/read/elf/elf-image.h"

#include <stdint.h>

struct file_budget;
struct image_cache;
struct cached_image;

/* MAX_BYTES of tables; 0: FILE_BUDGET_BYTES. */
struct image_cache *image_cache_create(uint64_t max_bytes);
void image_cache_destroy(struct image_cache *cache); /* NULL is fine; all were released */

/* The image of the file open at FD, which is taken over. PATH, of its first user, is told to
   who looks for its debug file in DEBUG_DIRS (see code_names_create). NULL and ERR if it is
   none. To be released. */
struct cached_image *image_cache_open(struct image_cache *cache, int fd, const char *path,
	const char *debug_dirs, struct error *err);

/* The image of a file that was open already and that maps (proc(5)) gives that name and identity;
   NULL: none. For a process that has ended, whose files may be out of reach. To be released. */
struct cached_image *image_cache_find(struct image_cache *cache, unsigned dev_major,
	unsigned dev_minor, uint64_t inode, const char *path);

/* An image of one process, from its memory; IMAGE is taken over. NULL if there is no room for it. */
struct cached_image *image_cache_add(struct image_cache *cache, struct elf_image *image,
	const char *path, const char *debug_dirs);

void image_cache_release(struct image_cache *cache, struct cached_image *cached);

/* What it is asked for: valid until it is released. Its tables stay until the next
   image_cache_step. */
struct elf_image *image_cache_image(
	struct image_cache *cache, struct cached_image *cached);
struct code_names *image_cache_names(
	struct image_cache *cache, struct cached_image *cached);

/* No pointer into the tables of any image is kept: they may be freed, if need be. Called
   after each sample. NULL is fine. */
void image_cache_step(struct image_cache *cache);

/* What all perf maps together may take: a quarter of the whole, for their memory is not given back as
   long as their processes live. Valid as long as the cache. */
struct file_budget *image_cache_maps_budget(struct image_cache *cache);

/* No more than TURN_BYTES of all perf maps are read until the next call; before the first one, all.
   NULL is fine. */
void image_cache_turn(struct image_cache *cache, uint64_t turn_bytes);

/* Which file's symbols were not read because there was no room; "": none. Valid as long
   as the cache. */
const char *image_cache_refusal(const struct image_cache *cache);

#endif
