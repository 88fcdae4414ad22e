/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/space/mapped-file.h"

#include "src/base/ask-opener.h"
#include "src/base/mem.h"
#include "src/process/maps.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* --- identity ---------------------------------------------------------------------- */

static int open_for_reading(int path_fd)
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", path_fd);
	return open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
}

/* What the kernel prints in maps for FD when this process maps it. On btrfs and overlayfs
   st_dev and st_ino are not the numbers in maps, so the file is mapped here, and our own
   maps is compared with the target's. The page is never read. */
static bool identity_in_maps(int fd, struct maps_line *identity)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *mapped = mmap(NULL, page, PROT_NONE, MAP_PRIVATE, fd, 0);
	if (mapped == MAP_FAILED)
		return false;
	size_t length = 0;
	char *text = maps_read(AT_FDCWD, "/proc/self/maps", &length, NULL);
	munmap(mapped, page);
	bool found = false;
	const char *cursor = text;
	while (text && !found && maps_next(&cursor, text + length, identity))
		found = identity->start <= (uintptr_t)mapped &&
			(uintptr_t)mapped < identity->limit;
	identity->path = NULL;
	free(text);
	return found;
}

/* Whether the regular file behind PATH_FD is FILE. */
static bool is_same(int path_fd, const struct mapped_file *file)
{
	struct stat status;
	if (fstat(path_fd, &status) != 0 || !S_ISREG(status.st_mode))
		return false;
	if (status.st_ino == file->inode && major(status.st_dev) == file->dev_major &&
		minor(status.st_dev) == file->dev_minor)
		return true;
	int fd = open_for_reading(path_fd);
	if (fd < 0)
		return false;
	struct maps_line identity;
	bool same = identity_in_maps(fd, &identity) && identity.inode == file->inode &&
		    identity.dev_major == file->dev_major &&
		    identity.dev_minor == file->dev_minor;
	close(fd);
	return same;
}

/* --- candidates -------------------------------------------------------------------- */

/* Open PATH below DIR_FD for reading if it is FILE; closes nothing it was given. */
static int try_candidate(int dir_fd, const char *path, int flags,
	const struct mapped_file *file, int *errnum)
{
	int path_fd = openat(dir_fd, path, O_PATH | O_CLOEXEC | flags);
	if (path_fd < 0) {
		if (errno != ENOENT)
			*errnum = errno;
		return -1;
	}
	int fd = -1;
	if (is_same(path_fd, file)) {
		fd = open_for_reading(path_fd);
		if (fd < 0)
			*errnum = errno;
	}
	close(path_fd);
	return fd;
}

/* maps prints a newline in a path as \012 and leaves backslashes alone, so \012 may also
   be meant literally. */
static char *unescape_newlines(const char *path)
{
	char *out = mem_strdup(path);
	char *to = out;
	for (const char *at = path; *at;) {
		if (strncmp(at, "\\012", 4) == 0) {
			*to++ = '\n';
			at += 4;
		} else {
			*to++ = *at++;
		}
	}
	*to = '\0';
	return out;
}

/* By name: in the root of the target, then in ours (the kernel prints a path as the
   reader sees it, if the reader can see it). Paths in maps hold no symbolic link, so none
   is followed at the end. */
static int try_path(const struct proc_dir *dir, const char *path,
	const struct mapped_file *file, int *errnum)
{
	char root[64];
	snprintf(root, sizeof(root), "%sroot", dir->task);
	int root_fd = openat(dir->fd, root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = -1;
	if (root_fd >= 0) {
		const char *below = path + strspn(path, "/");
		fd = try_candidate(root_fd, below, O_NOFOLLOW, file, errnum);
		close(root_fd);
	}
	if (fd < 0)
		fd = try_candidate(AT_FDCWD, path, O_NOFOLLOW, file, errnum);
	return fd;
}

static int ask_for(
	const struct proc_dir *dir, const struct mapped_file *file, struct error *err)
{
	struct opener_question question = {.kind = OPENER_MAPPED,
		.dev_major = file->dev_major,
		.dev_minor = file->dev_minor,
		.inode = file->inode};
	int fd = ask_opener_file(&question, dir->fd, file->path);
	if (fd < 0 && errno == ESTALE)
		error_set(err, "%s: it was unmapped meanwhile", file->path);
	else if (fd < 0 && errno == ENOENT)
		error_set(err, "%s: the mapped file was deleted or replaced", file->path);
	else if (fd < 0)
		error_errno(err, errno, "open %s", file->path);
	return fd;
}

int mapped_file_open(
	const struct proc_dir *dir, const struct mapped_file *file, struct error *err)
{
	if (ask_opener_is_used())
		return ask_for(dir, file, err);
	char link[64];
	/* If permitted (CAP_CHECKPOINT_RESTORE), this opens the mapped file itself, even
	   if it was deleted. If refused, try paths. */
	int refused = 0, errnum = 0;
	snprintf(link, sizeof(link), "map_files/%" PRIx64 "-%" PRIx64, file->start,
		file->limit);
	int fd = try_candidate(dir->fd, link, 0, file, &refused);
	if (fd < 0 && file->path[0] == '/') {
		fd = try_path(dir, file->path, file, &errnum);
		if (fd < 0 && strstr(file->path, "\\012")) {
			char *plain = unescape_newlines(file->path);
			fd = try_path(dir, plain, file, &errnum);
			free(plain);
		}
	}
	if (fd < 0) { /* the only deleted file that everybody may open */
		snprintf(link, sizeof(link), "%sexe", dir->task);
		fd = try_candidate(dir->fd, link, 0, file, &refused);
	}
	if (fd < 0 && errnum)
		error_errno(err, errnum, "open %s", file->path);
	else if (fd < 0)
		error_set(err, "%s: the mapped file was deleted or replaced", file->path);
	if (fd < 0)
		errno = errnum ? errnum : ENOENT;
	return fd;
}

static bool ask_for_exe(const struct proc_dir *dir, struct mapped_file *file)
{
	struct opener_question question = {.kind = OPENER_EXE};
	struct opener_answer answer;
	if (ask_opener(&question, dir->fd, NULL, 0, &answer, NULL, 0, NULL) < 0)
		return false;
	*file = (struct mapped_file){
		.dev_major = answer.dev_major,
		.dev_minor = answer.dev_minor,
		.inode = answer.inode,
		.path = "",
	};
	return true;
}

bool mapped_file_identify_exe(const struct proc_dir *dir, struct mapped_file *file)
{
	if (ask_opener_is_used())
		return ask_for_exe(dir, file);
	char link[64];
	snprintf(link, sizeof(link), "%sexe", dir->task);
	int fd = openat(dir->fd, link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return false;
	struct maps_line identity;
	bool known = identity_in_maps(fd, &identity);
	close(fd);
	if (known)
		*file = (struct mapped_file){
			.dev_major = identity.dev_major,
			.dev_minor = identity.dev_minor,
			.inode = identity.inode,
			.path = "",
		};
	return known;
}
