/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/space/address-space.h"

#include "src/base/clock.h"
#include "src/base/idmap.h"
#include "src/base/mem.h"
#include "src/read/space/image-store.h"
#include "src/read/space/mapped-file.h"
#include "src/read/space/regions.h"
#include "src/read/space/told-code.h"
#include "src/read/space/unknown.h"

#include <stdlib.h>
#include <string.h>

#define MISS_INTERVAL_NS  (100 * NS_PER_MS)
#define QUIET_INTERVAL_NS NS_PER_SEC
#define FRESH_NS	  (5 * NS_PER_SEC)
#define CHEAP_NS	  (NS_PER_MS / 2) /* a reading that nobody has to wait for */

enum {
	REGIONS_PER_INTERVAL = 2000, /* with more regions, readings are less frequent */
	HURRIES = 4,		     /* misses in a row that need not wait, */
	HURRY_SHARE = 8,   /* but for so many times what the last reading took */
	SPARE_IMAGES = 64, /* that may stay open after their mappings */
};

/* A mapping that was added lately. If it turns out that libraries take turns at its
   address, samples named by it until then may belong to another library. */
struct fresh {
	uint64_t start, limit, since_ns;
	uint32_t mapping;
};

struct address_space {
	struct profile *profile;
	struct proc_dir dir;
	struct image_store *images;
	char *debug_dirs;
	struct image_cache *cache, *own_cache; /* own_cache: NULL if it is shared */

	struct regions regions;
	uint64_t generation, losses, changes, refreshed_ns;
	uint64_t cost_ns;      /* what the last reading of the mappings took */
	unsigned hurries_used; /* since the last change */
	bool is_told;	       /* see address_space_tell */

	struct unknown unknown;
	bool is_missed; /* see address_space_miss */
	struct code_watch watch;
	struct told_code told;
	bool lacks_told;	  /* a sample was in code that maps has not shown yet */
	struct mapped_file exe;	  /* inode 0: not known */
	struct idmap extent_ids;  /* (limit, file offset) -> a number for the pair */
	VEC(struct fresh) fresh;  /* newest: address_space_take_doubtful */
	struct idmap mapping_ids; /* (start, extent and slot) -> mapping in the profile */
};

static void intern_mapping(struct address_space *space, struct region *region);

/* --- regions ----------------------------------------------------------------------- */

/* Keep what is mapped where libraries come and go, for samples that will be told to be of it. Only
   IS_NEW, by maps as it was read just now, it can be opened, if nothing was found out before. */
static void keep_restless(struct address_space *space, bool is_new)
{
	vec_each (&space->regions.list, region) {
		uint64_t bias;
		if (!(region->permissions & REGION_EXECUTE) || region->inode == 0 ||
			!code_watch_was_restless(
				&space->watch, region->start, region->limit))
			continue;
		if (region->mapping == PROFILE_NONE && is_new)
			intern_mapping(space, region);
		if (region->mapping == PROFILE_NONE)
			continue;
		if (address_space_image(space, region, &bias) &&
			!address_space_image_problem(space, region)[0])
			told_code_keep(&space->told, region);
		else
			image_store_retry(space->images, region);
	}
}

bool address_space_parse(struct address_space *space, const char *text, size_t length)
{
	struct regions *regions = &space->regions;
	if (regions->text && !regions->is_amended && length == regions->text_length &&
		memcmp(text, regions->text, length) == 0)
		return false;
	struct regions now = regions_parse(text, length);
	struct regions_change change = regions_inherit(&now, regions, &space->watch);
	space->generation += change.files;
	space->losses += change.loss;
	space->changes++;
	keep_restless(space, false);
	regions_finish(regions);
	*regions = now;
	keep_restless(space, true);
	return true;
}

void address_space_tell(struct address_space *space, const char *text, size_t length)
{
	space->is_told = true;
	/* TEXT may be older than the last reading, so regions missing in it have not
	   gone. */
	code_watch_forget(&space->watch);
	unknown_read(&space->unknown, 0);
	address_space_parse(space, text, length);
}

bool address_space_refresh(struct address_space *space)
{
	size_t length = 0;
	uint64_t now_ns = clock_monotonic_ns();
	char *text = proc_dir_read_maps(&space->dir, &length);
	if (!text) /* the target has ended: keep the regions for waiting samples */
		return false;
	bool other = space->is_told &&
		     regions_vdso(text, length) != regions_vdso(space->regions.text,
							   space->regions.text_length);
	bool changed = !other && address_space_parse(space, text, length);
	if (!other)
		unknown_read(&space->unknown, now_ns);
	free(text);
	return changed;
}

uint64_t address_space_check(struct address_space *space)
{
	struct code_watch *watch = &space->watch;
	uint64_t generation = space->generation;
	code_watch_begin(watch, &space->dir);
	if (code_watch_differs(watch, &space->dir, space->regions.list.data,
		    space->regions.list.len, space->regions.text)) {
		address_space_refresh(space);
		code_watch_learn(watch, space->generation != generation);
	} else if (space->lacks_told) {
		address_space_refresh(space);
	}
	space->lacks_told = false;
	uint64_t now_ns = clock_monotonic_ns();
	code_watch_end(watch, &space->dir);
	return now_ns;
}

bool address_space_refresh_if_due(struct address_space *space, uint64_t now_ns, bool miss)
{
	uint64_t interval = miss ? MISS_INTERVAL_NS : QUIET_INTERVAL_NS;
	interval *= 1 + space->regions.list.len / REGIONS_PER_INTERVAL;
	if (now_ns - space->refreshed_ns < interval) {
		bool small = space->regions.list.len < REGIONS_PER_INTERVAL;
		bool soon = space->cost_ns > CHEAP_NS &&
			    now_ns - space->refreshed_ns < HURRY_SHARE * space->cost_ns;
		if (!miss || !small || soon || space->hurries_used == HURRIES)
			return false;
		space->hurries_used++;
	}
	space->refreshed_ns = now_ns;
	uint64_t began_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
	bool changed = address_space_refresh(space);
	space->cost_ns = clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns;
	if (changed)
		space->hurries_used = 0;
	return changed;
}

void address_space_miss(struct address_space *space, uint64_t pc)
{
	space->is_missed |= pc != 0;
	unknown_note(&space->unknown, pc, space->watch.sample_ns);
}

bool address_space_learn(struct address_space *space, uint64_t now_ns)
{
	struct map_query answer;
	bool is_new = false;
	bool wants_maps = space->is_missed &&
			  (space->unknown.maps_fd < 0 || space->watch.sample_ns == 0);
	space->is_missed = false;
	while (unknown_ask(&space->unknown, &answer)) {
		const struct region *known =
			regions_find(&space->regions, answer.address);
		bool has_code = answer.permissions & REGION_EXECUTE;
		if (known && known->start == answer.start &&
			known->limit == answer.limit &&
			known->permissions == (answer.permissions & REGION_ALL))
			continue; /* by an answer before */
		if (has_code &&
			answer.inode) { /* with its path, and the parts beside it */
			wants_maps = true;
			continue;
		}
		is_new = true;
		space->changes++;
		space->losses += regions_put(&space->regions,
			(struct region){
				.start = answer.start,
				.limit = answer.limit,
				.file_offset = answer.file_offset,
				.permissions = answer.permissions & REGION_ALL,
				.dev_major = answer.dev_major,
				.dev_minor = answer.dev_minor,
				.inode = answer.inode,
			});
	}
	return (wants_maps && address_space_refresh_if_due(space, now_ns, true)) | is_new;
}

uint64_t address_space_generation(const struct address_space *space)
{
	return space->generation;
}

uint64_t address_space_losses(const struct address_space *space)
{
	return space->losses;
}

/* --- images ------------------------------------------------------------------------ */

struct elf_image *address_space_image(
	struct address_space *space, const struct region *region, uint64_t *bias)
{
	if (region->image_slot == PROFILE_NONE)
		return NULL;
	struct elf_image *image = image_store_image(space->images, region->image_slot);
	uint64_t vaddr = 0;
	if (!image || !elf_image_vaddr_of_offset(image, region->file_offset, &vaddr))
		return NULL;
	*bias = region->start - vaddr;
	return image;
}

struct elf_image *address_space_next_image(
	struct address_space *space, const char *name, uint64_t *after, uint64_t *bias)
{
	vec_each (&space->regions.list, region) {
		bool is_wanted =
			region->start >= *after && region_is_wanted(region, name);
		*after = is_wanted ? region->limit : *after;
		if (is_wanted && address_space_find(space, region->start) &&
			address_space_image(space, region, bias))
			return address_space_image(space, region, bias);
	}
	return NULL;
}

struct code_names *address_space_names(
	struct address_space *space, const struct region *region, uint64_t *bias)
{
	return address_space_image(space, region, bias)
		       ? image_store_names(space->images, region->image_slot)
		       : NULL;
}

const char *address_space_image_problem(
	const struct address_space *space, const struct region *region)
{
	if (region->image_slot == PROFILE_NONE)
		return "not executable";
	struct elf_image *image = image_store_image(space->images, region->image_slot);
	uint64_t vaddr;
	if (image && !elf_image_vaddr_of_offset(image, region->file_offset, &vaddr))
		return "mapped from outside the file's segments";
	return image_store_problem(space->images, region->image_slot);
}

const struct proc_dir *address_space_proc_dir(const struct address_space *space)
{
	return &space->dir;
}

struct file_budget *address_space_maps_budget(const struct address_space *space)
{
	return image_cache_maps_budget(space->cache);
}

size_t address_space_read(
	struct address_space *space, uint64_t address, void *out, size_t length)
{
	return proc_dir_read_memory(&space->dir, address, out, length);
}

static size_t read_memory(void *space, uint64_t address, void *out, size_t length)
{
	return address_space_read(space, address, out, length);
}

struct target_memory address_space_memory(struct address_space *space)
{
	return (struct target_memory){read_memory, space};
}

/* --- mappings ---------------------------------------------------------------------- */

static bool is_main(const struct address_space *space, const struct region *region)
{
	const struct mapped_file *exe = &space->exe;
	return exe->inode != 0 && region->inode == exe->inode &&
	       region->dev_major == exe->dev_major && region->dev_minor == exe->dev_minor;
}

static uint32_t add_mapping(struct address_space *space, const struct region *region)
{
	const struct elf_image *image =
		image_store_image(space->images, region->image_slot);
	/* Only a bracketed name is the kernel's; perf writes anonymous code as //anon. */
	bool is_file = region->inode != 0 || region->path[0] == '[';
	const char *path = is_file && region->path[0] ? region->path : "[anon]";
	char *module = region_module(path);
	struct mapping mapping = {
		.start = region->start,
		.limit = region->limit,
		.file_offset = region->file_offset,
		.path = path,
		.module = module,
		.build_id = image ? elf_image_build_id(image) : "",
		.is_main = is_main(space, region),
	};
	uint32_t id = profile_add_mapping(space->profile, &mapping);
	free(module);
	return id;
}

/* The part of a mapping's key beside its start. */
static uint64_t mapping_key(struct address_space *space, const struct region *region)
{
	uint32_t *known =
		idmap_get(&space->extent_ids, region->limit, region->file_offset);
	uint32_t extent = known ? *known : (uint32_t)space->extent_ids.len;
	if (!known)
		idmap_put(&space->extent_ids, region->limit, region->file_offset, extent);
	return (uint64_t)extent << 32 | region->image_slot;
}

static void drop_stale(struct address_space *space)
{
	size_t kept = 0;
	vec_each (&space->fresh, fresh)
		if (clock_monotonic_ns() - fresh->since_ns < FRESH_NS)
			space->fresh.data[kept++] = *fresh;
	space->fresh.len = kept;
}

/* A mapping that disappears and comes back unchanged (JIT memory changes its permissions
   all the time) keeps its id. */
static void intern_mapping(struct address_space *space, struct region *region)
{
	region->image_slot = image_store_slot(space->images, space->regions.list.data,
		space->regions.list.len, (size_t)(region - space->regions.list.data),
		space->regions.text + region->raw_path);
	uint64_t rest = mapping_key(space, region);
	uint32_t *known = idmap_get(&space->mapping_ids, region->start, rest);
	region->mapping = known ? *known : add_mapping(space, region);
	if (known)
		return;
	idmap_put(&space->mapping_ids, region->start, rest, region->mapping);
	drop_stale(space);
	struct fresh fresh = {
		region->start, region->limit, clock_monotonic_ns(), region->mapping};
	vec_push(&space->fresh, fresh);
}

const struct region *address_space_region(
	const struct address_space *space, uint64_t address)
{
	return regions_find(&space->regions, address);
}

const struct region *address_space_find(struct address_space *space, uint64_t address)
{
	const struct region *told;
	if (told_code_find(&space->told, address, &told)) {
		space->lacks_told |= !told;
		return told;
	}
	struct region *region = regions_find(&space->regions, address);
	if (!region || !region->permissions)
		unknown_note(&space->unknown, address, space->watch.sample_ns);
	if (!region)
		return NULL;
	bool was_idle = region->idle >= CODE_WATCH_IDLE;
	region->idle = 0;
	if (code_watch_is_unsure(&space->watch, address) ||
		(was_idle && !code_watch_holds(&space->watch, &space->dir, region,
				     space->regions.text)))
		return NULL;
	if (region->mapping == PROFILE_NONE && (region->permissions & REGION_EXECUTE))
		intern_mapping(space, region);
	return region;
}

const struct region *address_space_main(struct address_space *space)
{
	vec_each (&space->regions.list, region)
		if ((region->permissions & REGION_EXECUTE) && is_main(space, region))
			return address_space_find(space, region->start);
	return NULL;
}

bool address_space_anonymous(
	const struct address_space *space, struct stack_link *link, uint64_t *changes)
{
	if (*changes == space->changes)
		return false;
	*changes = space->changes;
	link->n_areas = regions_anonymous(&space->regions, link->areas, STACK_LINK_AREAS);
	return true;
}

size_t address_space_used(const struct address_space *space)
{
	return space->profile->mappings->len;
}

uint64_t address_space_changes(const struct address_space *space)
{
	return space->changes;
}

const struct region *address_space_region_from(
	const struct address_space *space, uint64_t address)
{
	size_t low = 0, high = space->regions.list.len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (space->regions.list.data[middle].limit <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < space->regions.list.len ? &space->regions.list.data[low] : NULL;
}

void address_space_at(struct address_space *space, const struct snapshot *record)
{
	code_watch_at(&space->watch, record->time_ns);
	if (told_code_set(&space->told, record->mapped, record->n_mapped))
		space->losses++;
}

uint64_t address_space_sample_ns(const struct address_space *space)
{
	return space->watch.sample_ns;
}

bool address_space_is_unsure(const struct address_space *space, uint64_t address)
{
	const struct region *told;
	return told_code_find(&space->told, address, &told)
		       ? !told
		       : code_watch_is_unsure(&space->watch, address);
}

struct code_watch *address_space_watch(struct address_space *space)
{
	return &space->watch;
}

bool address_space_take_doubtful(struct address_space *space, uint32_t *mapping)
{
	drop_stale(space);
	vec_each (&space->fresh, fresh) {
		if (!code_watch_changes_hands(&space->watch, fresh->start, fresh->limit))
			continue;
		*mapping = fresh->mapping;
		*fresh = space->fresh.data[--space->fresh.len];
		return true;
	}
	return false;
}

/* --- life -------------------------------------------------------------------------- */

static bool load(struct address_space *space, struct error *err)
{
	size_t length = 0;
	uint64_t now_ns = clock_monotonic_ns();
	space->dir.task[0] = '\0';
	char *text = proc_dir_read_maps(&space->dir, &length);
	if (!text)
		return error_set(err, "its memory map cannot be read: it has exited, or "
				      "reading /proc/PID/maps is not permitted");
	proc_dir_open_memory(&space->dir);
	unknown_begin(&space->unknown, &space->dir);
	unknown_read(&space->unknown, now_ns);
	if (!mapped_file_identify_exe(&space->dir, &space->exe))
		space->exe = (struct mapped_file){0};
	address_space_parse(space, text, length);
	free(text);
	address_space_main(space);
	return true;
}

struct address_space *address_space_create(int proc_fd, struct profile *profile,
	struct image_cache *cache, const char *debug_dirs, struct error *err)
{
	struct address_space *space = mem_zalloc(sizeof(*space));
	space->profile = profile;
	space->own_cache = cache ? NULL : image_cache_create(0);
	space->cache = cache ? cache : space->own_cache;
	proc_dir_init(&space->dir, proc_fd);
	space->unknown.maps_fd = -1;
	space->debug_dirs = mem_strdup(debug_dirs ? debug_dirs : "");
	space->images = image_store_create(&space->dir, space->cache, space->debug_dirs);
	if (load(space, err) || proc_fd < 0)
		return space;
	address_space_destroy(space);
	return NULL;
}

static void forget(struct address_space *space)
{
	image_store_destroy(space->images);
	regions_finish(&space->regions);
	code_watch_finish(&space->watch);
	told_code_finish(&space->told);
	unknown_finish(&space->unknown);
	vec_free(&space->fresh);
	idmap_finish(&space->extent_ids);
	idmap_finish(&space->mapping_ids);
}

bool address_space_exec(struct address_space *space, struct error *err)
{
	forget(space);
	space->images = image_store_create(&space->dir, space->cache, space->debug_dirs);
	space->generation++;
	space->losses++;
	return load(space, err);
}

void address_space_renew(struct address_space *space, struct renewal *renewal)
{
	size_t mappings = 0;
	space->profile = renewal->to;
	space->fresh.len = 0;
	told_code_finish(&space->told); /* known by the old profile's mappings */
	vec_each (&space->regions.list, region)
		mappings += region->mapping != PROFILE_NONE;
	if (image_store_count(space->images) > 2 * mappings + SPARE_IMAGES) {
		address_space_exec(space, NULL);
		return;
	}
	idmap_clear(&space->extent_ids);
	idmap_clear(&space->mapping_ids);
	vec_each (&space->regions.list, region) {
		if (region->mapping == PROFILE_NONE)
			continue;
		region->mapping = renewal_mapping(renewal, region->mapping);
		idmap_put(&space->mapping_ids, region->start, mapping_key(space, region),
			region->mapping);
	}
}

void address_space_destroy(struct address_space *space)
{
	if (!space)
		return;
	forget(space);
	proc_dir_finish(&space->dir);
	free(space->debug_dirs);
	image_cache_destroy(space->own_cache);
	free(space);
}
