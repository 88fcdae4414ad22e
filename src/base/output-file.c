/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/output-file.h"

#include "src/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	TEMP_TRIES = 100,
	TEMP_NAME_BYTES = 64,
};

/* Where the file goes. Names are relative to the open folder, so that the temporary file
   and the final name stay in one folder even if it is renamed meanwhile. */
struct place {
	int folder;	  /* -1 if not open */
	const char *name; /* the last part of the path */
};

void output_file_ignore_signals(void)
{
	struct sigaction ignored = {.sa_handler = SIG_IGN};
	sigaction(SIGPIPE, &ignored, NULL);
	sigaction(SIGXFSZ, &ignored, NULL);
}

bool output_file_is_stdout(const char *path)
{
	return strcmp(path, "-") == 0;
}

static const char *kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return "it is a folder";
	if (S_ISLNK(mode))
		return "it is a symbolic link, name the file itself";
	if (S_ISFIFO(mode))
		return "it is a FIFO, use - and redirect standard output";
	if (S_ISCHR(mode) || S_ISBLK(mode))
		return "it is a device, use - and redirect standard output";
	return "it is not a regular file";
}

static bool place_check(const struct place *place, const char *path, struct error *err)
{
	struct stat status;

	if (fstatat(place->folder, place->name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT || error_errno(err, errno, "%s", path);
	if (!S_ISREG(status.st_mode))
		return error_set(err, "%s: %s", path, kind_of(status.st_mode));
	return true;
}

/* The folder may be reached through links; only the last part must be a regular file. */
static bool place_open(struct place *place, const char *path, struct error *err)
{
	const char *slash = strrchr(path, '/');

	*place = (struct place){.folder = -1, .name = slash ? slash + 1 : path};
	if (place->name[0] == '\0')
		return error_set(err, "%s: %s", path,
			path[0] ? "this names a folder, not a file"
				: "the file name is empty");
	char *folder = !slash	       ? mem_strdup(".")
		       : slash == path ? mem_strdup("/")
				       : mem_printf("%.*s", (int)(slash - path), path);
	place->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (place->folder < 0)
		error_errno(err, errno, "%s: open folder %s", path, folder);
	free(folder);
	if (place->folder < 0)
		return false;
	if (place_check(place, path, err))
		return true;
	close(place->folder);
	return false;
}

/* A new file beside the final one. It is ours alone: O_EXCL refuses any name that exists,
   a planted link included. */
static int temp_create(const struct place *place, char name[TEMP_NAME_BYTES])
{
	for (int i = 0; i < TEMP_TRIES; i++) {
		snprintf(name, TEMP_NAME_BYTES, ".cproftop-%d-%d.tmp", (int)getpid(), i);
		int fd = openat(place->folder, name,
			O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t written = write(fd, bytes, size);
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return false;
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

/* Errors of delayed writing are reported by fsync, the last of them by close. Not every
   file system can fsync; one that cannot says EINVAL. */
static bool write_and_close(int fd, const char *bytes, size_t size)
{
	bool written = write_all(fd, bytes, size) && (fsync(fd) == 0 || errno == EINVAL);
	int errnum = errno;
	if (close(fd) != 0 && written)
		return false;
	errno = errnum;
	return written;
}

bool output_file_check(const char *path, struct error *err)
{
	char name[TEMP_NAME_BYTES];
	struct place place;

	if (output_file_is_stdout(path))
		return true;
	if (!place_open(&place, path, err))
		return false;
	int fd = temp_create(&place, name);
	if (fd < 0)
		error_errno(err, errno, "%s: create a file in its folder", path);
	else {
		unlinkat(place.folder, name, 0);
		close(fd);
	}
	close(place.folder);
	return fd >= 0;
}

bool output_file_write(
	const char *path, const void *bytes, size_t size, struct error *err)
{
	char name[TEMP_NAME_BYTES];
	struct place place;

	if (output_file_is_stdout(path))
		return write_all(STDOUT_FILENO, bytes, size) ||
		       error_errno(err, errno, "standard output");
	if (!place_open(&place, path, err))
		return false;
	int fd = temp_create(&place, name);
	if (fd < 0) {
		error_errno(err, errno, "%s: create a file in its folder", path);
		close(place.folder);
		return false;
	}
	bool done = write_and_close(fd, bytes, size) &&
		    renameat(place.folder, name, place.folder, place.name) == 0;
	if (done)
		/* the new name, too; if it fails, the bytes are on the disk all the
		   same */
		fsync(place.folder);
	else {
		error_errno(err, errno, "%s: write", path);
		unlinkat(place.folder, name, 0);
	}
	close(place.folder);
	return done;
}

bool output_file_print(const char *path,
	bool (*print)(const void *what, FILE *out, struct error *err), const void *what,
	uint64_t *size, struct error *err)
{
	char *content = NULL;
	size_t length = 0;
	FILE *stream = open_memstream(&content, &length);
	if (!stream)
		return error_errno(err, errno, "%s", path);
	bool done = print(what, stream, err);
	if (done && ferror(stream))
		done = error_set(err, "%s: out of memory", path);
	if (fclose(stream) != 0 && done)
		done = error_errno(err, errno, "%s", path);
	done = done && output_file_write(path, content, length, err);
	if (done && size)
		*size = length;
	free(content);
	return done;
}
