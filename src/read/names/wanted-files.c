/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/wanted-files.h"

#include "src/base/mem.h"

#include <string.h>

static struct wanted_file *find(struct wanted_files *wanted, const char *build_id)
{
	vec_each (&wanted->list, file)
		if (strcmp(file->build_id, build_id) == 0)
			return file;
	return NULL;
}

enum wanted_state wanted_files_ask(struct wanted_files *wanted, const char *build_id,
	const char *module, const char **path)
{
	const struct wanted_file *file = find(wanted, build_id);
	if (!file) {
		vec_push(&wanted->list, (struct wanted_file){
						.build_id = mem_strdup(build_id),
						.module = mem_strdup(module),
					});
		return WANTED_PENDING;
	}
	*path = file->path;
	return file->state;
}

const struct wanted_file *wanted_files_next(struct wanted_files *wanted)
{
	vec_each (&wanted->list, file) {
		if (file->is_told)
			continue;
		file->is_told = true;
		return file;
	}
	return NULL;
}

void wanted_files_answer(
	struct wanted_files *wanted, const char *build_id, const char *path)
{
	struct wanted_file *file = find(wanted, build_id);
	if (!file || file->state != WANTED_PENDING)
		return;
	file->state = path[0] ? WANTED_FOUND : WANTED_NONE;
	file->path = mem_strdup(path);
}
