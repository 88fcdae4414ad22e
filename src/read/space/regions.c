/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/space/regions.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/facts/profile.h"
#include "src/process/maps.h"

#include <stdlib.h>
#include <string.h>

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

/* The first region that ends above ADDRESS. */
static size_t first_above(const struct regions *regions, uint64_t address)
{
	size_t low = 0, high = regions->list.len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (regions->list.data[middle].limit <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_generated(const struct region *region)
{
	return region_is_anonymous(region) && (region->permissions & REGION_EXECUTE);
}

/* Is generated code still all generated code? A compiler's memory grows, and two pieces that meet
   are one. */
static bool is_still_generated(const struct regions *now, const struct region *before)
{
	uint64_t at = before->start;
	if (!is_generated(before))
		return false;
	for (size_t i = first_above(now, at); i < now->list.len && at < before->limit;
		i++) {
		const struct region *region = &now->list.data[i];
		if (region->start > at || !is_generated(region))
			return false;
		at = region->limit;
	}
	return at >= before->limit;
}

static void note_gone(struct regions_change *change, struct code_watch *watch,
	const struct regions *now, const struct region *gone)
{
	change->files |= !region_is_anonymous(gone);
	change->loss |= !is_still_generated(now, gone);
	code_watch_lost(watch, gone);
}

static void note_come(struct regions_change *change, struct code_watch *watch,
	const struct region *come)
{
	change->files |= !region_is_anonymous(come);
	code_watch_come(watch, come);
}

struct regions_change regions_inherit(
	struct regions *regions, const struct regions *others, struct code_watch *watch)
{
	struct region *now = regions->list.data;
	const struct region *before = others->list.data;
	size_t n_now = regions->list.len, n_before = others->list.len;
	struct regions_change change = {false, false};
	size_t i = next_code(now, n_now, 0), k = next_code(before, n_before, 0);
	while (i < n_now || k < n_before) {
		if (i < n_now && k < n_before && same_code(&now[i], &before[k])) {
			now[i].mapping = before[k].mapping;
			now[i].image_slot = before[k].image_slot;
			now[i].idle = before[k].idle;
			i = next_code(now, n_now, i + 1);
			k = next_code(before, n_before, k + 1);
		} else if (k == n_before ||
			   (i < n_now && now[i].start <= before[k].start)) {
			note_come(&change, watch, &now[i]);
			i = next_code(now, n_now, i + 1);
		} else {
			note_gone(&change, watch, regions, &before[k]);
			k = next_code(before, n_before, k + 1);
		}
	}
	return change;
}

bool regions_put(struct regions *regions, struct region now)
{
	size_t first = first_above(regions, now.start), end = first;
	struct region
		pieces[3]; /* what is left of the first, NOW, what is left of the last */
	size_t n = 0;
	bool is_loss = false;
	struct region *list = regions->list.data;
	now.path = "";
	now.raw_path = (uint32_t)regions->text_length; /* where the text ends */
	now.mapping = now.image_slot = PROFILE_NONE;
	for (; end < regions->list.len && list[end].start < now.limit; end++)
		is_loss |= (list[end].permissions & REGION_EXECUTE) &&
			   !(is_generated(&list[end]) && is_generated(&now));
	if (first < end && list[first].start < now.start) {
		pieces[n] = list[first];
		pieces[n++].limit = now.start;
	}
	pieces[n++] = now;
	if (first < end && list[end - 1].limit > now.limit) {
		pieces[n] = list[end - 1];
		pieces[n].file_offset += now.limit - pieces[n].start;
		pieces[n].mapping = PROFILE_NONE; /* it began elsewhere */
		pieces[n++].start = now.limit;
	}
	size_t len = regions->list.len - (end - first) + n;
	vec_reserve(&regions->list, len);
	list = regions->list.data;
	memmove(list + first + n, list + end, (regions->list.len - end) * sizeof(*list));
	memcpy(list + first, pieces, n * sizeof(*pieces));
	regions->list.len = len;
	regions->is_amended = true;
	return is_loss;
}

struct regions regions_parse(const char *text, size_t length)
{
	struct regions regions = {.text = mem_alloc(length + 1), .text_length = length};
	memcpy(regions.text, text, length);
	regions.text[length] = '\0';

	struct maps_line line;
	uint64_t floor = 0;
	const char *cursor = regions.text, *end = cursor + length;
	while (maps_next(&cursor, end, &line)) {
		/* The kernel gives maps a page at a time, so a line may come twice when
		   the target maps meanwhile; lookup needs them disjoint and sorted. */
		if (line.start < floor)
			continue;
		floor = line.limit;
		vec_push(&regions.list,
			(struct region){
				.start = line.start,
				.limit = line.limit,
				.file_offset = line.offset,
				.permissions = parse_permissions(line.permissions),
				.dev_major = line.dev_major,
				.dev_minor = line.dev_minor,
				.inode = line.inode,
				.path = clean_path(&regions.paths, &line),
				.mapping = PROFILE_NONE,
				.raw_path = (uint32_t)(line.path - regions.text),
				.image_slot = PROFILE_NONE,
			});
	}
	return regions;
}

void regions_finish(struct regions *regions)
{
	vec_free(&regions->list);
	strpool_finish(&regions->paths);
	free(regions->text);
	*regions = (struct regions){0};
}

struct region *regions_find(const struct regions *regions, uint64_t address)
{
	size_t at = first_above(regions, address);
	bool is_in = at < regions->list.len && regions->list.data[at].start <= address;
	return is_in ? &regions->list.data[at] : NULL;
}

uint64_t regions_vdso(const char *text, size_t length)
{
	static const char name[] = "[vdso]";
	struct maps_line line;
	if (length == 0)
		return 0; /* there may be no text */
	for (const char *cursor = text; maps_next(&cursor, text + length, &line);)
		if (line.path_length == sizeof(name) - 1 &&
			memcmp(line.path, name, sizeof(name) - 1) == 0)
			return line.start;
	return 0;
}

uint32_t regions_anonymous(
	const struct regions *regions, struct stack_bounds *out, uint32_t most)
{
	uint32_t count = 0;
	uint64_t limit = 0;
	vec_each (&regions->list, region) {
		if (!region_is_anonymous(region))
			continue;
		if (count == 0 || region->start != limit) {
			if (count == most)
				break;
			out[count++].low = region->start;
		}
		limit = out[count - 1].high = region->limit;
	}
	return count;
}

char *region_module(const char *path)
{
	static const char deleted[] = " (deleted)";
	const char *slash = path[0] == '/' ? strrchr(path, '/') : NULL;
	char *module = mem_strdup(slash ? slash + 1 : path);
	size_t length = strlen(module), suffix = sizeof(deleted) - 1;
	if (slash && length > suffix && strcmp(module + length - suffix, deleted) == 0)
		module[length - suffix] = '\0';
	return module;
}

bool region_is_wanted(const struct region *region, const char *name)
{
	const char *slash = strrchr(region->path, '/');
	if (!(region->permissions & REGION_EXECUTE))
		return false;
	return name ? slash && strcmp(slash + 1, name) == 0
		    : region->mapping != PROFILE_NONE;
}
