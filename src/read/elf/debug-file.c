/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/elf/debug-file.h"

#include "src/base/ask-opener.h"
#include "src/base/mem.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

enum {
	LINK_MAX_BYTES = 256 << 20, /* read whole for its CRC: a quarter of a second */
};

/* What to look for in each directory. */
struct wanted {
	const struct elf_image *image;
	const char *path;
};

static struct elf_image *open_image(const char *path)
{
	struct opener_question question = {.kind = OPENER_DEBUG};
	int fd = ask_opener_is_used()
			 ? ask_opener_file(&question, -1, path)
			 : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? NULL : elf_image_open(fd, NULL);
}

struct elf_image *debug_file_at(const struct elf_image *image, const char *path)
{
	struct elf_image *found = open_image(path);
	if (!found || strcmp(elf_image_build_id(found), elf_image_build_id(image)) == 0)
		return found;
	elf_image_destroy(found);
	return NULL;
}

static struct elf_image *find_by_build_id(
	const struct wanted *wanted, const char *dir, size_t dir_length)
{
	const char *id = elf_image_build_id(wanted->image); /* hex digits only */
	if (strlen(id) < 4)
		return NULL;
	char *path = mem_printf(
		"%.*s/.build-id/%.2s/%s.debug", (int)dir_length, dir, id, id + 2);
	struct elf_image *found = debug_file_at(wanted->image, path);
	free(path);
	if (!found) {
		path = mem_printf("%.*s/%s/debuginfo", (int)dir_length, dir, id);
		found = debug_file_at(wanted->image, path);
		free(path);
	}
	return found;
}

/* The path comes from the target, but it is canonical, and is only used below DIR. */
static struct elf_image *find_by_link(
	const struct wanted *wanted, const char *dir, size_t dir_length)
{
	char name[ELF_DEBUGLINK_NAME_MAX];
	uint32_t expected, crc;
	const char *slash = strrchr(wanted->path, '/');
	if (wanted->path[0] != '/' || strstr(wanted->path, "/../") ||
		!elf_image_debuglink(wanted->image, name, &expected))
		return NULL;
	char *path = mem_printf("%.*s%.*s/%s", (int)dir_length, dir,
		(int)(slash - wanted->path), wanted->path, name);
	struct elf_image *found = open_image(path);
	free(path);
	if (!found || (elf_image_crc(found, LINK_MAX_BYTES, &crc) && crc == expected))
		return found;
	elf_image_destroy(found);
	return NULL;
}

static struct elf_image *find_in(
	const struct wanted *wanted, const char *dir, size_t dir_length)
{
	if (dir_length == 0)
		return NULL;
	struct elf_image *found = find_by_build_id(wanted, dir, dir_length);
	return found ? found : find_by_link(wanted, dir, dir_length);
}

struct elf_image *debug_file_open(
	const struct elf_image *image, const char *path, const char *dirs)
{
	struct wanted wanted = {.image = image, .path = path};
	struct elf_image *found = NULL;
	for (const char *dir = dirs; !found && *dir;) {
		size_t length = strcspn(dir, ":");
		found = find_in(&wanted, dir, length);
		dir += length + (dir[length] == ':');
	}
	if (!found)
		found = find_in(
			&wanted, DEBUG_FILE_SYSTEM_DIR, strlen(DEBUG_FILE_SYSTEM_DIR));
	return found;
}
