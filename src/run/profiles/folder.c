/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/profiles/folder.h"

#include "src/base/mem.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
	LOOKED_AT = 16 /* files, to tell whether there are profiles */
};

struct names {
	char **data;
	size_t len, cap;
};

bool folder_is(const char *path)
{
	struct stat stat_of;
	return stat(path, &stat_of) == 0 && S_ISDIR(stat_of.st_mode);
}

bool folder_has(const char *folder, const char *path)
{
	struct stat one, other;
	const char *slash = strrchr(path, '/');
	char *above = slash ? mem_printf("%.*s", (int)(slash - path + 1), path)
			    : mem_strdup(".");
	bool same = stat(folder, &one) == 0 && S_ISDIR(one.st_mode) &&
		    stat(above, &other) == 0 && one.st_dev == other.st_dev &&
		    one.st_ino == other.st_ino && strcmp(path, "-") != 0;
	free(above);
	return same;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void names_finish(struct names *names)
{
	vec_each (names, name)
		free(*name);
	vec_free(names);
}

/* Opening a pipe would wait for a writer. */
static bool is_regular(DIR *folder, const char *name)
{
	struct stat stat_of;
	return name[0] != '.' && fstatat(dirfd(folder), name, &stat_of, 0) == 0 &&
	       S_ISREG(stat_of.st_mode);
}

/* The paths of the files, in order. */
static bool list_files(struct names *names, const char *path, struct error *err)
{
	DIR *folder = opendir(path);
	if (!folder)
		return error_errno(err, errno, "%s", path);
	size_t length = strlen(path);
	const char *between = length && path[length - 1] == '/' ? "" : "/";
	for (struct dirent *entry;
		names->len <= FOLDER_FILES_MAX && (entry = readdir(folder));)
		if (is_regular(folder, entry->d_name))
			vec_push(names,
				mem_printf("%s%s%s", path, between, entry->d_name));
	closedir(folder);
	if (names->len > FOLDER_FILES_MAX)
		return error_set(err, "%s: more than %d files: open them by themselves",
			path, FOLDER_FILES_MAX);
	if (names->len)
		qsort(names->data, names->len, sizeof(*names->data), compare_names);
	return true;
}

bool folder_has_profiles(const char *path)
{
	struct names names = {0};
	struct apart apart = {.socket = -1};
	bool found = false;
	if (list_files(&names, path, NULL) && names.len &&
		apart_begin(&apart, RECORDING_BYTES_MAX, NULL))
		for (size_t i = 0; !found && i < names.len && i < LOOKED_AT; i++)
			found = apart_is_profile(&apart, names.data[i]);
	apart_end(&apart);
	names_finish(&names);
	return found;
}

bool folder_read(struct apart *apart, const char *path, struct left_out *left_out,
	struct error *err)
{
	struct names names = {0};
	size_t n_read = 0, before = left_out->n; /* of other folders */
	bool done = list_files(&names, path, err);
	for (size_t i = 0; done && i < names.len; i++) {
		struct error why;
		enum apart_added added = apart_add_found(apart, names.data[i], &why);
		n_read += added == APART_ADDED;
		done = added != APART_FAILED || error_set(err, "%s", why.text);
		if (added == APART_LEFT_OUT && left_out->n++ < LEFT_OUT_TOLD)
			left_out->why[left_out->n - 1] = why;
	}
	apart->name = path; /* the names end here */
	if (done && n_read == 0)
		done = !names.len ? error_set(err, "%s: no file is in this folder", path)
		       : before >= LEFT_OUT_TOLD
			       ? error_set(err, "%s: no profile is in this folder", path)
			       : error_set(err, "%s: no profile is in this folder: %s",
					 path, left_out->why[before].text);
	left_out->n_read += n_read;
	names_finish(&names);
	return done;
}
