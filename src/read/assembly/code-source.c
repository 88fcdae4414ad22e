/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/assembly/code-source.h"

#include "src/base/ask-opener.h"
#include "src/base/regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* --- the process ------------------------------------------------------------------- */

/* Is REGION what MAPPING was? Its name is made as the profile's: see add_mapping in
   src/read/space/address-space.c. Of memory without a file the extent may have changed. */
static bool is_same(const struct region *region, const struct mapping *mapping)
{
	bool is_named = region->path[0] == '[' || (region->inode && region->path[0]);
	const char *path = is_named ? region->path : "[anon]";
	if (strcmp(path, mapping->path) != 0)
		return false;
	return !region->inode || region->start - region->file_offset ==
					 mapping->start - mapping->file_offset;
}

static bool is_copy(const struct elf_image *image)
{
	int fd = elf_image_dup(image);
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

bool code_source_of_process(struct code_source *source, struct address_space *space,
	struct symbolizer *symbolizer, const struct assembly_request *request)
{
	const struct mapping *mapping =
		profile_mapping(request->profile, request->mapping);
	const struct region *region = address_space_find(space, request->address);
	*source = (struct code_source){.space = space, .symbolizer = symbolizer};
	if (!region || !(region->permissions & REGION_EXECUTE) ||
		!is_same(region, mapping))
		return false;
	source->image = address_space_image(space, region, &source->bias);
	source->names = address_space_names(space, region, &source->bias);
	if (!source->image)
		return true;
	source->is_copy = is_copy(source->image);
	const char *build_id = elf_image_build_id(source->image);
	return !mapping->build_id[0] || !build_id[0] ||
	       strcmp(build_id, mapping->build_id) == 0;
}

bool code_source_read_memory(
	const struct code_source *source, uint64_t address, void *out, size_t length)
{
	return source->space &&
	       address_space_read(source->space, address, out, length) == length;
}

/* --- the file ---------------------------------------------------------------------- */

/* The path is from a profile that anybody may have made. */
static int open_file(const char *path, struct error *err)
{
	struct opener_question question = {.kind = OPENER_CODE};
	int fd = ask_opener_is_used() ? ask_opener_file(&question, -1, path)
				      : regular_file_open(AT_FDCWD, path, 0);
	if (fd < 0 && errno == EINVAL)
		error_set(err, "%s: not a regular file", path);
	else if (fd < 0)
		error_errno(err, errno, "%s", path);
	return fd;
}

static struct elf_image *open_image(
	const struct mapping *mapping, const char **doubt, struct error *err)
{
	if (mapping->path[0] != '/') {
		error_set(err, "%s is in no file, and the process that had it is gone",
			mapping->path[0] ? mapping->path : "this code");
		return NULL;
	}
	int fd = open_file(mapping->path, err);
	struct elf_image *image = fd < 0 ? NULL : elf_image_open(fd, err);
	if (!image)
		return NULL;
	if (!mapping->build_id[0]) {
		*doubt = "the profile does not say whether this file is the one that ran";
		return image;
	}
	if (strcmp(elf_image_build_id(image), mapping->build_id) == 0)
		return image;
	error_set(err, "%s is another version than the one that ran (build id %.12s)",
		mapping->path, mapping->build_id);
	elf_image_destroy(image);
	return NULL;
}

void code_source_of_file(struct code_source *source,
	const struct assembly_request *request, const char *debug_dirs)
{
	const struct mapping *mapping =
		request->mapping == PROFILE_NONE
			? NULL
			: profile_mapping(request->profile, request->mapping);
	uint64_t vaddr = 0;
	*source = (struct code_source){.is_owned = true};
	if (!mapping) {
		error_set(&source->problem, "the profile has no addresses of code");
		return;
	}
	source->image = open_image(mapping, &source->doubt, &source->problem);
	if (!source->image)
		return;
	if (!elf_image_vaddr_of_offset(source->image, mapping->file_offset, &vaddr)) {
		error_set(&source->problem, "%s has no code where the profile has it",
			mapping->path);
		code_source_finish(source);
		return;
	}
	source->bias = mapping->start - vaddr;
	source->names = code_names_create(
		source->image, mapping->path, debug_dirs ? debug_dirs : "");
}

bool code_source_read_file(
	const struct code_source *source, uint64_t address, void *out, size_t length)
{
	return source->image && !source->is_copy &&
	       elf_image_read(source->image, address - source->bias, out, length);
}

void code_source_finish(struct code_source *source)
{
	if (source->is_owned) {
		code_names_destroy(source->names);
		elf_image_destroy(source->image);
	}
	source->image = NULL;
	source->names = NULL;
	source->space = NULL;
}
