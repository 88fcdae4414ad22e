/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/settings/rc-place.h"

#include "src/base/invoker.h"
#include "src/base/output-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void rc_place_find(struct rc_place *place, char *(*getenv)(const char *name))
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	place->path = NULL;
	if (config && config[0] == '/')
		place->path = mem_printf("%s/cproftop/rc", config);
	else if (home && home[0] == '/')
		place->path = mem_printf("%s/.config/cproftop/rc", home);
}

void rc_place_finish(struct rc_place *place)
{
	free(place->path);
	place->path = NULL;
}

static bool check(const struct stat *status, const char *path, struct error *err)
{
	uid_t owner = status->st_uid;

	if (!S_ISREG(status->st_mode))
		return error_set(err, "%s is not a file: no settings are read", path);
	if (status->st_size > RC_BYTES_MAX)
		return error_set(err, "%s has more than %d bytes: no settings are read",
			path, RC_BYTES_MAX);
	if (owner != geteuid() && owner != 0 && owner != invoker_uid())
		return error_set(err,
			"%s belongs to user %u: no settings are read from there", path,
			(unsigned)owner);
	return true;
}

/* Root on behalf of another user follows no link of that user's: it could lead to any file. */
static bool is_led_elsewhere(const char *path, struct error *err)
{
	char part[PATH_MAX];
	struct stat status;

	if (geteuid() != 0 || invoker_uid() == 0)
		return false;
	for (const char *end = path; end; end = strchr(end + 1, '/')) {
		const char *slash = strchr(end + 1, '/');
		size_t length = slash ? (size_t)(slash - path) : strlen(path);
		if (length >= sizeof(part))
			return !error_set(err, "%s: too long a path", path);
		memcpy(part, path, length);
		part[length] = '\0';
		if (lstat(part, &status) == 0 && S_ISLNK(status.st_mode) &&
			status.st_uid != 0)
			return !error_set(err,
				"%s is a link of user %u, which root does not follow",
				part, (unsigned)status.st_uid);
	}
	return false;
}

static bool read_all(int fd, const char *path, struct rc_file *file, struct error *err)
{
	char *text = mem_alloc(RC_BYTES_MAX);
	size_t size = 0;
	ssize_t n = 0;

	while (size < RC_BYTES_MAX &&
		(n = read(fd, text + size, RC_BYTES_MAX - size)) > 0)
		size += (size_t)n;
	if (n >= 0)
		rc_file_parse(file, text, size);
	free(text);
	return n >= 0 || error_errno(err, errno, "cannot read %s", path);
}

bool rc_place_read(const struct rc_place *place, struct rc_file *file, struct error *err)
{
	struct stat status;

	if (!place->path || is_led_elsewhere(place->path, err))
		return !place->path;
	int fd = open(place->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR ||
		       error_errno(err, errno, "cannot read %s", place->path);
	bool ok = fstat(fd, &status) == 0 && check(&status, place->path, err) &&
		  read_all(fd, place->path, file, err);
	close(fd);
	return ok;
}

/* May we write below FOLDER? False and ERR if it is another user's. */
static bool is_own(const char *folder, struct error *err)
{
	struct stat status;

	if (stat(folder, &status) != 0)
		return error_errno(err, errno, "settings are not kept: %s", folder);
	if (status.st_uid != geteuid())
		return error_set(err,
			"settings are not kept: %s belongs to user %u, not to this one "
			"(%u)%s",
			folder, (unsigned)status.st_uid, (unsigned)geteuid(),
			geteuid() == 0 ? "; sudo -H takes root's home" : "");
	return true;
}

/* Make FOLDER and those that it is in. The innermost one that is there already must be ours.
   FOLDER is as it was at the end. */
static bool make_folder(char *folder, struct error *err)
{
	struct stat status;
	char *slash = strrchr(folder, '/');

	if (slash == folder || stat(folder, &status) == 0 || errno != ENOENT)
		return is_own(slash == folder ? "/" : folder, err);
	*slash = '\0';
	bool ok = make_folder(folder, err);
	*slash = '/';
	return ok &&
	       (mkdir(folder, 0700) == 0 || errno == EEXIST ||
		       error_errno(err, errno, "settings are not kept: %s", folder));
}

static bool make_folder_of(const char *path, struct error *err)
{
	char *folder = mem_strdup(path);

	*strrchr(folder, '/') = '\0';
	bool ok = make_folder(folder, err);
	free(folder);
	return ok;
}

bool rc_place_write(
	const struct rc_place *place, const struct rc_file *file, struct error *err)
{
	char link_to[PATH_MAX];
	const char *path = place->path;
	struct stat status;

	if (!path)
		return error_set(err, "settings are not kept: HOME is not set");
	if (is_led_elsewhere(path, err))
		return error_prefix(err, "settings are not kept");
	if (lstat(path, &status) == 0 && S_ISLNK(status.st_mode)) {
		/* Where the settings are under version control: the file changes, the
		   link stays. */
		path = realpath(path, link_to);
		if (!path)
			return error_errno(
				err, errno, "settings are not kept: %s", place->path);
	}
	if (!make_folder_of(path, err))
		return false;
	char *text = rc_file_text(file);
	bool ok = output_file_write(path, text, strlen(text), err) ||
		  error_prefix(err, "settings are not kept");
	free(text);
	return ok;
}
