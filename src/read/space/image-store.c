/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/space/image-store.h"

#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/facts/profile.h"
#include "src/read/space/mapped-file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum {
	VDSO_MAX_BYTES = 256 << 10,
	MEMORY_IMAGE_MAX_BYTES = 64 << 20,
	RETRIES_MAX = 100,
};

struct image_slot {
	struct cached_image *cached; /* NULL: there is no image */
	char *problem;		     /* NULL: none */
	bool may_return;	     /* it was unmapped before it could be opened */
};

struct image_store {
	const struct proc_dir *dir;
	struct image_cache *cache;
	char *debug_dirs;
	VEC(struct image_slot) slots;
	struct idmap ids; /* (device, inode), or (no device, name) -> slot */
	struct strpool names;
	size_t open_files, open_files_max;
	unsigned retries;
};

static size_t open_files_max(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 256;
	return limit.rlim_cur > 1 << 20 ? 1 << 19 : (size_t)limit.rlim_cur / 2;
}

struct image_store *image_store_create(
	const struct proc_dir *dir, struct image_cache *cache, const char *debug_dirs)
{
	struct image_store *store = mem_zalloc(sizeof(*store));
	store->dir = dir;
	store->cache = cache;
	store->debug_dirs = mem_strdup(debug_dirs);
	store->open_files_max = open_files_max();
	return store;
}

void image_store_destroy(struct image_store *store)
{
	if (!store)
		return;
	vec_each (&store->slots, slot) {
		if (slot->cached)
			image_cache_release(store->cache, slot->cached);
		free(slot->problem);
	}
	vec_free(&store->slots);
	idmap_finish(&store->ids);
	strpool_finish(&store->names);
	free(store->debug_dirs);
	free(store);
}

/* --- ways to open an image ---------------------------------------------------------- */

static struct cached_image *open_file(struct image_store *store,
	const struct region *region, const char *path, bool *may_return,
	struct error *err)
{
	if (store->open_files >= store->open_files_max) {
		error_set(err, "%s: too many files are open already", region->path);
		return NULL;
	}
	struct mapped_file file = {
		.start = region->start,
		.limit = region->limit,
		.dev_major = region->dev_major,
		.dev_minor = region->dev_minor,
		.inode = region->inode,
		.path = path,
	};
	int fd = mapped_file_open(store->dir, &file, err);
	*may_return = fd < 0 && errno == ESTALE;
	struct cached_image *cached =
		fd < 0 ? image_cache_find(store->cache, file.dev_major, file.dev_minor,
				 file.inode, path)
		       : image_cache_open(store->cache, fd, path, store->debug_dirs, err);
	if (cached && fd < 0)
		err->text[0] = '\0';
	if (fd < 0 && !cached)
		return NULL;
	if (cached)
		store->open_files++;
	else
		error_prefix(err, "%s", region->path);
	return cached;
}

static struct elf_image *read_vdso(
	const struct image_store *store, const struct region *region, struct error *err)
{
	uint64_t size = region->limit - region->start;
	if (size > VDSO_MAX_BYTES) {
		error_set(err, "[vdso]: implausibly large");
		return NULL;
	}
	unsigned char *bytes = mem_alloc(size);
	struct elf_image *image = NULL;
	if (proc_dir_read_memory(store->dir, region->start, bytes, size) == size)
		image = elf_image_from_memory(bytes, size, err);
	else
		error_set(err, "[vdso]: cannot be read");
	free(bytes);
	return image;
}

/* Code and constants are in memory as they are in the file. */
static bool is_unchanged_part(const struct region *part, const struct region *of)
{
	return part->inode == of->inode && part->dev_major == of->dev_major &&
	       part->dev_minor == of->dev_minor && (part->permissions & REGION_READ) &&
	       !(part->permissions & REGION_WRITE) &&
	       part->file_offset <= MEMORY_IMAGE_MAX_BYTES &&
	       part->limit - part->start <= MEMORY_IMAGE_MAX_BYTES - part->file_offset;
}

static struct elf_image *read_mapped_parts(const struct image_store *store,
	const struct region *all, size_t count, const struct region *of)
{
	uint64_t size = 0;
	for (const struct region *part = all; part < all + count; part++) {
		if (!is_unchanged_part(part, of))
			continue;
		uint64_t limit = part->file_offset + (part->limit - part->start);
		size = limit > size ? limit : size;
	}
	unsigned char *bytes = mem_zalloc(size + 1);
	for (const struct region *part = all; part < all + count; part++)
		if (is_unchanged_part(part, of))
			proc_dir_read_memory(store->dir, part->start,
				bytes + part->file_offset, part->limit - part->start);
	struct elf_image *image = elf_image_from_memory(bytes, size, NULL);
	free(bytes);
	return image;
}

/* --- slots ------------------------------------------------------------------------- */

static struct image_slot fill_slot(struct image_store *store, const struct region *all,
	size_t count, size_t index, const char *path)
{
	const struct region *region = &all[index];
	struct image_slot slot = {0};
	struct error err = {.text = ""};
	struct elf_image *image = NULL;
	if (region->inode != 0) {
		slot.cached = open_file(store, region, path, &slot.may_return, &err);
		if (!slot.cached)
			image = read_mapped_parts(store, all, count, region);
	} else if (strcmp(region->path, "[vdso]") == 0) {
		image = read_vdso(store, region, &err);
	} else {
		error_set(&err, "%s: not a file",
			region->path[0] ? region->path : "[anon]");
	}
	if (err.text[0])
		slot.problem = mem_strdup(err.text);
	if (image)
		slot.cached =
			image_cache_add(store->cache, image, path, store->debug_dirs);
	if (image && !slot.cached && !slot.problem)
		slot.problem =
			mem_strdup("there is no memory left for it (--file-memory)");
	return slot;
}

uint32_t image_store_slot(struct image_store *store, const struct region *all,
	size_t count, size_t index, const char *raw_path)
{
	const struct region *region = &all[index];
	uint64_t device = (uint64_t)region->dev_major << 32 | region->dev_minor;
	uint64_t file = region->inode;
	if (file == 0) { /* no device has all bits set */
		device = UINT64_MAX;
		file = (uintptr_t)strpool_intern(&store->names, region->path);
	}
	uint32_t *known = idmap_get(&store->ids, device, file);
	bool is_there = known && *known != PROFILE_NONE;
	uint32_t id = is_there ? *known : (uint32_t)store->slots.len;
	struct image_slot *slot = is_there ? &store->slots.data[id] : NULL;
	if (slot && (slot->cached || !slot->may_return))
		return id;
	size_t length = strcspn(raw_path, "\n");
	char *path = mem_zalloc(length + 1);
	memcpy(path, raw_path, length);
	struct image_slot filled = fill_slot(store, all, count, index, path);
	free(path);
	if (slot) {
		free(slot->problem);
		*slot = filled;
		return id;
	}
	vec_push(&store->slots, filled);
	if (known)
		*known = id;
	else
		idmap_put(&store->ids, device, file, id);
	return id;
}

void image_store_retry(struct image_store *store, const struct region *region)
{
	uint64_t device = (uint64_t)region->dev_major << 32 | region->dev_minor;
	uint32_t *known = idmap_get(&store->ids, device, region->inode);
	if (known && store->retries++ < RETRIES_MAX)
		*known = PROFILE_NONE;
}

size_t image_store_count(const struct image_store *store)
{
	return store->slots.len;
}

struct elf_image *image_store_image(const struct image_store *store, uint32_t slot)
{
	struct cached_image *cached = store->slots.data[slot].cached;
	return cached ? image_cache_image(store->cache, cached) : NULL;
}

struct code_names *image_store_names(const struct image_store *store, uint32_t slot)
{
	struct cached_image *cached = store->slots.data[slot].cached;
	return cached ? image_cache_names(store->cache, cached) : NULL;
}

const char *image_store_problem(const struct image_store *store, uint32_t slot)
{
	const char *problem = store->slots.data[slot].problem;
	return problem ? problem : "";
}
