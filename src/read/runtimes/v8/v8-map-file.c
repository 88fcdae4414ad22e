/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/v8/v8-map-file.h"

#include "src/base/ask-opener.h"
#include "src/base/input-file.h"
#include "src/base/regular-file.h"
#include "src/base/small-file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	STATUS_BYTES = 4096,
};

static bool has_right_name(const char *path)
{
	static const char suffix[] = ".map";
	size_t length = strlen(path);
	return path[0] == '/' && length > sizeof(suffix) && !strstr(path, "/../") &&
	       strcmp(path + length - (sizeof(suffix) - 1), suffix) == 0;
}

/* By its permissions: groups beside the first one, and lists of access (acl(5)), are not looked at. */
static bool user_may_read(const struct proc_dir *dir, int fd)
{
	char text[STATUS_BYTES];
	struct stat status;
	unsigned long long user, group;
	small_file_read(dir->fd, "status", text, sizeof(text));
	if (!status_number(text, "\nUid:", 1, 10, &user) ||
		!status_number(text, "\nGid:", 1, 10, &group) || fstat(fd, &status) != 0)
		return false;
	return user == 0 ||
	       (status.st_mode & (status.st_uid == user		  ? S_IRUSR
					 : status.st_gid == group ? S_IRGRP
								  : S_IROTH));
}

int v8_map_file_open(const struct proc_dir *dir, const char *path)
{
	if (!has_right_name(path)) {
		errno = EACCES;
		return -1;
	}
	int root = openat(dir->fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	int fd = regular_file_open(root, path + 1, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	int errnum = errno;
	close(root);
	if (fd >= 0 && !user_may_read(dir, fd)) {
		errnum = EACCES;
		close(fd);
		fd = -1;
	}
	errno = errnum;
	return fd;
}

char *v8_map_file_read(
	const struct proc_dir *dir, const char *path, size_t *size, struct error *err)
{
	struct opener_question question = {.kind = OPENER_SOURCE_MAP};
	int fd = ask_opener_is_used() ? ask_opener_file(&question, dir->fd, path)
				      : v8_map_file_open(dir, path);
	if (fd < 0) {
		error_errno(err, errno, "%s", path);
		return NULL;
	}
	char *bytes = NULL;
	struct input_file *input = input_file_open(fd, path, err);
	if (input && !input_file_rest(input, V8_MAP_FILE_MAX, &bytes, size, err))
		bytes = NULL;
	input_file_close(input);
	return bytes;
}
