/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/reader/script-names.h"

#include "src/base/ask-opener.h"
#include "src/base/clean.h"
#include "src/base/mem.h"

#include <stdlib.h>
#include <string.h>

void script_names_clear(struct script_names *names)
{
	idmap_clear(&names->functions);
	idmap_clear(&names->places);
}

/* As "node:internal/timers", or Lua's [string "return 1"], which are in no folder. */
static bool has_no_folder(const char *file)
{
	return file[0] == '[' || file[strcspn(file, ":/")] == ':';
}

/* A script is often called by a path from where it was started. */
static char *whole_path(const struct script_names *names, const char *file)
{
	char folder[CLEAN_MAX], clean[CLEAN_MAX];
	if (file[0] == '/' || file[0] == '<' || file[0] == '\0')
		return mem_strdup(file[0] == '/' ? file : "");
	if (has_no_folder(file))
		return mem_strdup(strcmp(file, "[C]") == 0 ? "" : file);
	const struct proc_dir *dir = address_space_proc_dir(names->space);
	ssize_t length = ask_opener_link(dir->fd, "cwd", folder, sizeof(folder) - 1);
	if (length <= 0 || folder[0] != '/')
		return mem_strdup("");
	clean_text(clean, sizeof(clean), folder, (size_t)length);
	return mem_printf("%s/%s", clean, file);
}

/* The last part of FILE; of a package's first file the last two. */
static const char *module_of(const char *file)
{
	const char *slash = strrchr(file, '/');
	if (!slash || file[0] == '<')
		return file;
	if (strcmp(slash, "/__init__.py") != 0)
		return slash + 1;
	while (slash > file && slash[-1] != '/')
		slash--;
	return slash;
}

static uint32_t function_of(
	struct script_names *names, const struct script_function *script)
{
	const uint32_t *known = idmap_get(&names->functions, script->number, 0);
	if (known)
		return *known;
	char *path = whole_path(names, script->file);
	struct function function = {
		.name = script->name,
		.system_name = script->name,
		.module = module_of(script->file),
		.file = path,
		.start_line = script->first_line,
	};
	uint32_t id = profile_intern_function(names->profile, &function);
	free(path);
	idmap_put(&names->functions, script->number, 0, id);
	return id;
}

uint32_t script_names_locate(struct script_names *names,
	const struct script_function *script, uint64_t address)
{
	struct line line = {
		.function = function_of(names, script),
		.line = script->line,
	};
	const uint32_t *known = idmap_get(&names->places, line.function, line.line);
	if (known)
		return *known;
	uint32_t id =
		profile_add_location(names->profile, PROFILE_NONE, address, &line, 1);
	idmap_put(&names->places, line.function, line.line, id);
	return id;
}
