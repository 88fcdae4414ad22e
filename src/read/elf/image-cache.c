/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/elf/image-cache.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/base/vec.h"
#include "src/read/elf/file-budget.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

enum {
	READINGS_MAX = 4, /* of the tables of one image */
	/* Images that nobody uses any more: the next child of make has the same ones. */
	IDLE_MOST = 32,
	MAPS_SHARE = 4, /* a quarter of the budget */
};

struct cached_image {
	struct elf_image *image;
	struct code_names *names;
	char *path;
	struct stat status; /* st_ino 0: of one process, not to be found again */
	unsigned users, forgotten;
	uint64_t used; /* the cache's count of uses */
	uint64_t step;
};

struct image_cache {
	struct file_budget budget, maps;
	VEC(struct cached_image *) list;
	uint64_t uses, step;
	char *refusal;
};

static void note_refusal(struct image_cache *cache, const struct cached_image *cached)
{
	char path[CLEAN_MAX];
	if (cache->refusal || !code_names_is_over_budget(cached->names))
		return;
	const char *slash = strrchr(cached->path, '/');
	const char *name = slash ? slash + 1 : cached->path;
	clean_text(path, sizeof(path), name, strlen(name));
	cache->refusal = mem_printf("not all symbols of %s are read: more than %llu MiB "
				    "for the tables of all files (--file-memory)",
		path, (unsigned long long)(cache->budget.max_bytes >> 20));
}

/* Free the tables of the image that was used longest ago, but not in this step. */
static bool make_room(void *context)
{
	struct image_cache *cache = context;
	struct cached_image *oldest = NULL;
	vec_each (&cache->list, at) {
		struct cached_image *cached = *at;
		if (cached->step != cache->step &&
			code_names_charged(cached->names) > 0 &&
			(!oldest || cached->used < oldest->used))
			oldest = cached;
	}
	if (!oldest)
		return false;
	code_names_forget(oldest->names, ++oldest->forgotten < READINGS_MAX);
	return true;
}

struct image_cache *image_cache_create(uint64_t max_bytes)
{
	struct image_cache *cache = mem_zalloc(sizeof(*cache));
	cache->budget = (struct file_budget){
		.max_bytes = max_bytes ? max_bytes : FILE_BUDGET_BYTES,
		.make_room = make_room,
		.context = cache,
	};
	cache->maps = (struct file_budget){
		.max_bytes = cache->budget.max_bytes / MAPS_SHARE,
		.turn_bytes = UINT64_MAX,
		.whole = &cache->budget,
	};
	return cache;
}

struct file_budget *image_cache_maps_budget(struct image_cache *cache)
{
	return &cache->maps;
}

void image_cache_turn(struct image_cache *cache, uint64_t turn_bytes)
{
	if (cache)
		cache->maps.turn_bytes = turn_bytes;
}

static void destroy(struct cached_image *cached)
{
	code_names_destroy(cached->names);
	elf_image_destroy(cached->image);
	free(cached->path);
	free(cached);
}

void image_cache_destroy(struct image_cache *cache)
{
	if (!cache)
		return;
	vec_each (&cache->list, at)
		destroy(*at);
	vec_free(&cache->list);
	free(cache->refusal);
	free(cache);
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_ino == b->st_ino && a->st_dev == b->st_dev &&
	       a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	       a->st_mtim.tv_nsec == b->st_mtim.tv_nsec &&
	       a->st_ctim.tv_sec == b->st_ctim.tv_sec &&
	       a->st_ctim.tv_nsec == b->st_ctim.tv_nsec;
}

struct cached_image *image_cache_add(struct image_cache *cache, struct elf_image *image,
	const char *path, const char *debug_dirs)
{
	if (!elf_image_set_budget(image, &cache->budget)) {
		elf_image_destroy(image);
		return NULL;
	}
	struct cached_image *cached = mem_zalloc(sizeof(*cached));
	cached->image = image;
	cached->path = mem_strdup(path);
	cached->users = 1;
	cached->names = code_names_create(image, path, debug_dirs);
	vec_push(&cache->list, cached);
	return cached;
}

struct cached_image *image_cache_open(struct image_cache *cache, int fd, const char *path,
	const char *debug_dirs, struct error *err)
{
	struct stat status;
	bool is_known = fstat(fd, &status) == 0 && status.st_ino != 0;
	vec_each (&cache->list, at)
		if (is_known && is_same(&status, &(*at)->status)) {
			close(fd);
			(*at)->users++;
			return *at;
		}
	struct elf_image *image = elf_image_open(fd, err);
	if (!image)
		return NULL;
	struct cached_image *cached = image_cache_add(cache, image, path, debug_dirs);
	if (is_known)
		cached->status = status;
	return cached;
}

struct cached_image *image_cache_find(struct image_cache *cache, unsigned dev_major,
	unsigned dev_minor, uint64_t inode, const char *path)
{
	vec_each (&cache->list, at) {
		const struct stat *status = &(*at)->status;
		if (status->st_ino == inode && major(status->st_dev) == dev_major &&
			minor(status->st_dev) == dev_minor && inode != 0 &&
			strcmp((*at)->path, path) == 0) {
			(*at)->users++;
			return *at;
		}
	}
	return NULL;
}

static void drop(struct image_cache *cache, struct cached_image *cached)
{
	vec_each (&cache->list, at)
		if (*at == cached) {
			*at = cache->list.data[--cache->list.len];
			break;
		}
	destroy(cached);
}

static void drop_oldest_idle(struct image_cache *cache)
{
	struct cached_image *oldest = NULL;
	size_t idle = 0;
	vec_each (&cache->list, at) {
		if ((*at)->users > 0)
			continue;
		idle++;
		if (!oldest || (*at)->used < oldest->used)
			oldest = *at;
	}
	if (idle > IDLE_MOST)
		drop(cache, oldest);
}

void image_cache_release(struct image_cache *cache, struct cached_image *cached)
{
	if (--cached->users > 0)
		return;
	if (cached->status.st_ino == 0) /* nobody will find it again */
		drop(cache, cached);
	else
		drop_oldest_idle(cache);
}

static void use(struct image_cache *cache, struct cached_image *cached)
{
	cached->used = ++cache->uses;
	cached->step = cache->step;
	note_refusal(cache, cached);
}

struct elf_image *image_cache_image(
	struct image_cache *cache, struct cached_image *cached)
{
	use(cache, cached);
	return cached->image;
}

struct code_names *image_cache_names(
	struct image_cache *cache, struct cached_image *cached)
{
	use(cache, cached);
	return cached->names;
}

void image_cache_step(struct image_cache *cache)
{
	if (cache)
		cache->step++;
}

const char *image_cache_refusal(const struct image_cache *cache)
{
	return cache->refusal ? cache->refusal : "";
}
