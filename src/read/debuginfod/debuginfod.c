/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/debuginfod/debuginfod.h"

#include "src/base/mem.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *join(const char *dir, const char *name)
{
	return mem_printf("%s/%s", dir, name);
}

/* Frees PATH unless it returns it. */
static char *if_directory(char *path)
{
	struct stat status;
	if (path && path[0] == '/' && stat(path, &status) == 0 &&
		S_ISDIR(status.st_mode) && !strchr(path, ':'))
		return path;
	free(path);
	return NULL;
}

/* In the order of debuginfod-client.c; the third is where it was until elfutils 0.181. */
static char *find_cache(char *(*look_up)(const char *name))
{
	const char *said = look_up("DEBUGINFOD_CACHE_PATH");
	const char *home = look_up("HOME"), *caches = look_up("XDG_CACHE_HOME");
	char *cache = NULL;
	if (said && said[0])
		return if_directory(mem_strdup(said));
	if (home)
		cache = if_directory(join(home, ".debuginfod_client_cache"));
	if (!cache && caches && caches[0])
		cache = if_directory(join(caches, "debuginfod_client"));
	else if (!cache && home)
		cache = if_directory(join(home, ".cache/debuginfod_client"));
	return cache;
}

char *debuginfod_dirs(const char *given, char *(*look_up)(const char *name))
{
	char *cache = find_cache(look_up);
	const char *first = given ? given : "";
	char *dirs = mem_printf(
		"%s%s%s", first, first[0] && cache ? ":" : "", cache ? cache : "");
	free(cache);
	return dirs;
}

/* And the folder above it, which is ~/.cache; as private as the client makes them. */
static char *make_folder(char *path)
{
	char *slash = strrchr(path, '/');
	if (slash && slash != path) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	mkdir(path, 0700);
	return if_directory(path);
}

char *debuginfod_make_cache(char *(*look_up)(const char *name))
{
	char *cache = find_cache(look_up);
	const char *said = look_up("DEBUGINFOD_CACHE_PATH");
	const char *home = look_up("HOME"), *caches = look_up("XDG_CACHE_HOME");
	if (cache)
		return cache;
	if (said && said[0])
		return make_folder(mem_strdup(said));
	if (caches && caches[0])
		return make_folder(join(caches, "debuginfod_client"));
	return home ? make_folder(join(home, ".cache/debuginfod_client")) : NULL;
}
