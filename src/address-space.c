#include "src/address-space.h"

#include "src/clean.h"
#include "src/clock.h"
#include "src/code-watch.h"
#include "src/image-store.h"
#include "src/map.h"
#include "src/mapped-file.h"
#include "src/maps.h"
#include "src/mem.h"
#include "src/proc-dir.h"
#include "src/strpool.h"
#include "src/vec.h"

#include <stdlib.h>
#include <string.h>

#define MISS_INTERVAL_NS  (100 * NS_PER_MS)
#define QUIET_INTERVAL_NS NS_PER_SEC

enum {
	REGIONS_PER_INTERVAL = 2000, /* more of them stretch the intervals */
	HURRIES = 4,		     /* so often a miss need not wait */
};

struct address_space {
	struct profile *profile;
	struct proc_dir dir;
	struct image_store *images;
	char *debug_dirs;

	char *text; /* of maps; regions' raw paths point into it */
	size_t text_length;
	struct strpool paths; /* cleaned, of these regions */
	VEC(struct region) regions;
	uint64_t generation, refreshed_ns;
	unsigned hurries_used; /* since something changed last */
	bool is_told;	       /* see address_space_tell */

	struct code_watch watch;
	struct mapped_file exe; /* inode 0: not known */
	struct map extent_ids;	/* (limit, file offset) -> a number for the pair */
	struct map mapping_ids; /* (start, extent and slot) -> mapping in the profile */
};

/* --- regions ----------------------------------------------------------------------- */

static unsigned parse_permissions(const char *text)
{
	return (text[0] == 'r' ? REGION_READ : 0) | (text[1] == 'w' ? REGION_WRITE : 0) |
	       (text[2] == 'x' ? REGION_EXECUTE : 0);
}

static const char *clean_path(struct strpool *pool, const struct maps_line *line)
{
	char cleaned[CLEAN_MAX];
	if (line->path_length == 0)
		return "";
	size_t length =
		clean_text(cleaned, sizeof(cleaned), line->path, line->path_length);
	return strpool_intern_bytes(pool, cleaned, length);
}

static bool same_code(const struct region *a, const struct region *b)
{
	return a->start == b->start && a->limit == b->limit &&
	       a->file_offset == b->file_offset && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && a->inode == b->inode &&
	       strcmp(a->path, b->path) == 0;
}

static size_t next_code(const struct region *regions, size_t count, size_t i)
{
	while (i < count && !(regions[i].permissions & REGION_EXECUTE))
		i++;
	return i;
}

/* What is the same keeps what was found out about it. True if nothing changed. */
static bool inherit_code(struct code_watch *watch, struct region *now, size_t n_now,
	const struct region *before, size_t n_before)
{
	bool same = true;
	size_t i = next_code(now, n_now, 0), k = next_code(before, n_before, 0);
	while (i < n_now && k < n_before) {
		if (same_code(&now[i], &before[k])) {
			now[i].mapping = before[k].mapping;
			now[i].image_slot = before[k].image_slot;
			now[i].idle = before[k].idle;
			i = next_code(now, n_now, i + 1);
			k = next_code(before, n_before, k + 1);
			continue;
		}
		same = false;
		if (now[i].start <= before[k].start)
			i = next_code(now, n_now, i + 1);
		else {
			code_watch_lost(watch, &before[k]);
			k = next_code(before, n_before, k + 1);
		}
	}
	same &= i == n_now && k == n_before;
	for (; k < n_before; k = next_code(before, n_before, k + 1))
		code_watch_lost(watch, &before[k]);
	return same;
}

bool address_space_parse(struct address_space *space, const char *text, size_t length)
{
	if (space->text && length == space->text_length &&
		memcmp(text, space->text, length) == 0)
		return false;
	char *copy = mem_alloc(length + 1);
	memcpy(copy, text, length);
	copy[length] = '\0';

	__typeof__(space->regions) regions = {0};
	struct strpool paths = {0};
	struct maps_line line;
	uint64_t floor = 0;
	for (const char *cursor = copy; maps_next(&cursor, copy + length, &line);) {
		/* The kernel gives maps a page at a time, so a line may come twice when
		   the target maps meanwhile; lookup needs them disjoint and sorted. */
		if (line.start < floor)
			continue;
		floor = line.limit;
		vec_push(&regions,
			(struct region){
				.start = line.start,
				.limit = line.limit,
				.file_offset = line.offset,
				.permissions = parse_permissions(line.permissions),
				.dev_major = line.dev_major,
				.dev_minor = line.dev_minor,
				.inode = line.inode,
				.path = clean_path(&paths, &line),
				.mapping = PROFILE_NONE,
				.raw_path = (uint32_t)(line.path - copy),
				.image_slot = PROFILE_NONE,
			});
	}
	if (!inherit_code(&space->watch, regions.data, regions.len, space->regions.data,
		    space->regions.len))
		space->generation++;
	vec_free(&space->regions);
	strpool_finish(&space->paths);
	free(space->text);
	space->regions.data = regions.data;
	space->regions.len = regions.len;
	space->regions.cap = regions.cap;
	space->paths = paths;
	space->text = copy;
	space->text_length = length;
	return true;
}

void address_space_tell(struct address_space *space, const char *text, size_t length)
{
	space->is_told = true;
	/* It may be older than what was read since: what is missing in it is not lost. */
	code_watch_forget(&space->watch);
	address_space_parse(space, text, length);
}

/* Where the vDSO is in maps text, 0 if it is not there. It is put at random by exec. */
static uint64_t vdso_of(const char *text, size_t length)
{
	static const char name[] = "[vdso]";
	struct maps_line line;
	for (const char *cursor = text; maps_next(&cursor, text + length, &line);)
		if (line.path_length == sizeof(name) - 1 &&
			memcmp(line.path, name, sizeof(name) - 1) == 0)
			return line.start;
	return 0;
}

bool address_space_refresh(struct address_space *space)
{
	size_t length = 0;
	char *text = proc_dir_read_maps(&space->dir, &length);
	if (!text) /* the target is gone: what is known stays for the samples that wait */
		return false;
	bool other = space->is_told &&
		     vdso_of(text, length) != vdso_of(space->text, space->text_length);
	bool changed = !other && address_space_parse(space, text, length);
	free(text);
	return changed;
}

void address_space_check(struct address_space *space)
{
	struct code_watch *watch = &space->watch;
	uint64_t generation = space->generation;
	code_watch_begin(watch, &space->dir);
	if (code_watch_differs(watch, &space->dir, space->regions.data,
		    space->regions.len, space->text)) {
		address_space_refresh(space);
		code_watch_learn(watch, space->generation != generation);
	}
	code_watch_end(watch);
}

bool address_space_refresh_if_due(struct address_space *space, uint64_t now_ns, bool miss)
{
	uint64_t interval = miss ? MISS_INTERVAL_NS : QUIET_INTERVAL_NS;
	interval *= 1 + space->regions.len / REGIONS_PER_INTERVAL;
	if (now_ns - space->refreshed_ns < interval) {
		bool small = space->regions.len < REGIONS_PER_INTERVAL;
		if (!miss || !small || space->hurries_used == HURRIES)
			return false;
		space->hurries_used++;
	}
	space->refreshed_ns = now_ns;
	bool changed = address_space_refresh(space);
	if (changed)
		space->hurries_used = 0;
	return changed;
}

uint64_t address_space_generation(const struct address_space *space)
{
	return space->generation;
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

size_t address_space_read(
	struct address_space *space, uint64_t address, void *out, size_t length)
{
	return proc_dir_read_memory(&space->dir, address, out, length);
}

/* --- mappings ---------------------------------------------------------------------- */

/* What a table shows: "libc.so.6", "[vdso]", "memfd:jit". */
static char *module_of_path(const char *path)
{
	static const char deleted[] = " (deleted)";
	const char *slash = path[0] == '/' ? strrchr(path, '/') : NULL;
	char *module = mem_strdup(slash ? slash + 1 : path);
	size_t length = strlen(module), suffix = sizeof(deleted) - 1;
	if (slash && length > suffix && strcmp(module + length - suffix, deleted) == 0)
		module[length - suffix] = '\0';
	return module;
}

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
	char *module = module_of_path(path);
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

/* A mapping that comes back as it was (JIT memory changes its permissions all the time)
   is the mapping it was. */
static void intern_mapping(struct address_space *space, struct region *region)
{
	region->image_slot = image_store_slot(space->images, space->regions.data,
		space->regions.len, (size_t)(region - space->regions.data),
		space->text + region->raw_path);
	uint32_t *known = map_get(&space->extent_ids, region->limit, region->file_offset);
	uint32_t extent = known ? *known : (uint32_t)space->extent_ids.len;
	if (!known)
		map_put(&space->extent_ids, region->limit, region->file_offset, extent);
	uint64_t rest = (uint64_t)extent << 32 | region->image_slot;
	known = map_get(&space->mapping_ids, region->start, rest);
	if (known) {
		region->mapping = *known;
		return;
	}
	region->mapping = add_mapping(space, region);
	map_put(&space->mapping_ids, region->start, rest, region->mapping);
}

const struct region *address_space_find(struct address_space *space, uint64_t address)
{
	size_t low = 0, high = space->regions.len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (space->regions.data[middle].limit <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == space->regions.len || address < space->regions.data[low].start)
		return NULL;
	struct region *region = &space->regions.data[low];
	if (space->watch.unsure.len && code_watch_is_unsure(&space->watch, address))
		return NULL;
	region->idle = 0;
	if (region->mapping == PROFILE_NONE && (region->permissions & REGION_EXECUTE))
		intern_mapping(space, region);
	return region;
}

/* --- life -------------------------------------------------------------------------- */

static bool load(struct address_space *space, struct error *err)
{
	size_t length = 0;
	space->dir.task[0] = '\0';
	char *text = proc_dir_read_maps(&space->dir, &length);
	if (!text)
		return error_set(err, "its memory map cannot be read: it has exited, or "
				      "reading /proc/PID/maps is not permitted");
	proc_dir_open_memory(&space->dir);
	if (!mapped_file_identify_exe(&space->dir, &space->exe))
		space->exe = (struct mapped_file){0};
	address_space_parse(space, text, length);
	free(text);
	for (size_t i = 0; i < space->regions.len; i++) {
		const struct region *region = &space->regions.data[i];
		if ((region->permissions & REGION_EXECUTE) && is_main(space, region))
			address_space_find(space, region->start);
	}
	return true;
}

struct address_space *address_space_create(
	int proc_fd, struct profile *profile, const char *debug_dirs, struct error *err)
{
	struct address_space *space = mem_zalloc(sizeof(*space));
	space->profile = profile;
	proc_dir_init(&space->dir, proc_fd);
	space->debug_dirs = mem_strdup(debug_dirs ? debug_dirs : "");
	space->images = image_store_create(&space->dir, space->debug_dirs);
	if (load(space, err))
		return space;
	address_space_destroy(space);
	return NULL;
}

static void forget(struct address_space *space)
{
	image_store_destroy(space->images);
	space->images = NULL;
	vec_free(&space->regions);
	strpool_finish(&space->paths);
	free(space->text);
	space->text = NULL;
	space->text_length = 0;
	code_watch_finish(&space->watch);
	map_finish(&space->extent_ids);
	map_finish(&space->mapping_ids);
}

bool address_space_exec(struct address_space *space, struct error *err)
{
	forget(space);
	space->images = image_store_create(&space->dir, space->debug_dirs);
	space->generation++;
	return load(space, err);
}

void address_space_destroy(struct address_space *space)
{
	if (!space)
		return;
	forget(space);
	proc_dir_finish(&space->dir);
	free(space->debug_dirs);
	free(space);
}
