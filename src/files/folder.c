/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/files/folder.h"

#include "src/base/mem.h"
#include "src/import/import.h"

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

/* /etc/mtab has lines with a number at the end. What is in a folder was not named by anybody, so
   folded stacks are read there by their name only. */
static bool is_profile(const char *path)
{
	static const char *const suffixes[] = {".folded", ".collapsed", ".folded.gz",
		".collapsed.gz", ".txt", ".txt.gz"};
	const char *format = import_format_of(path);
	if (!format || strcmp(format, IMPORT_FOLDED) != 0)
		return format != NULL;
	size_t length = strlen(path);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t suffix = strlen(suffixes[i]);
		if (length > suffix && strcmp(path + length - suffix, suffixes[i]) == 0)
			return true;
	}
	return false;
}

bool folder_has_profiles(const char *path)
{
	struct names names = {0};
	bool found = false;
	if (list_files(&names, path, NULL))
		for (size_t i = 0; !found && i < names.len && i < LOOKED_AT; i++)
			found = is_profile(names.data[i]);
	names_finish(&names);
	return found;
}

/* Do the samples of ONE count what those of RECORDING do? If there are none yet, it is said
   that they will. */
static bool same_types(
	struct recording *recording, const struct recording *one, struct error *err)
{
	struct value_type types[RECORDING_TYPES_MAX];
	size_t n = one->origin->types.len;
	for (size_t i = 0; i < n; i++) {
		const struct value_type *type = &one->origin->types.data[i];
		types[i] = (struct value_type){
			profile_string(recording->profile, type->type),
			profile_string(recording->profile, type->unit)};
	}
	return n == 0 || recording_types(recording, types, n, err);
}

/* A file that turns out to be damaged at its end must not leave its begin behind, so each
   is read on its own before. */
static bool is_whole(struct recording *recording, const char *path, struct error *err)
{
	struct recording alone;
	const char *format = import_format_of(path);
	if (format && !is_profile(path))
		return error_set(err,
			"%s: in a folder, folded stacks are called .folded, .collapsed "
			"or "
			".txt",
			path);
	recording_init(&alone);
	bool whole = import_file(&alone, path, err);
	if (whole && !same_types(recording, &alone, err))
		whole = error_prefix(err, "%s", path);
	recording_finish(&alone);
	return whole;
}

bool folder_read(struct recording *recording, const char *path, struct left_out *left_out,
	struct error *err)
{
	struct names names = {0};
	size_t n_read = 0, before = left_out->n; /* of other folders */
	bool done = list_files(&names, path, err);
	for (size_t i = 0; done && i < names.len; i++) {
		struct error why;
		if (is_whole(recording, names.data[i], &why)) {
			done = import_file(recording, names.data[i], err);
			n_read++;
		} else if (left_out->n++ < LEFT_OUT_TOLD) {
			left_out->why[left_out->n - 1] = why;
		}
	}
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
