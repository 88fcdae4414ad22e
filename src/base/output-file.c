/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/output-file.h"

#include "src/base/mem.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
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

static mode_t file_mode = 0600;

/* Where the file goes. Names are relative to the open folder, so that the temporary file
   and the final name stay in one folder even if it is renamed meanwhile. */
struct place {
	int folder;	  /* -1 if not open */
	const char *name; /* the last part of the path */
	bool is_stream;	  /* something of that name is there, and no file */
};

void output_file_ignore_signals(void)
{
	struct sigaction ignored = {.sa_handler = SIG_IGN};
	sigaction(SIGPIPE, &ignored, NULL);
	sigaction(SIGXFSZ, &ignored, NULL);
}

void output_file_set_mode(mode_t mode)
{
	file_mode = mode;
}

/* The descriptor of ours that PATH stands for, or -1. By its name, as gawk and bash do it:
   /dev/stdout is a link, and what it leads to may be a regular file, which must not be
   replaced by another one. */
static int own_descriptor(const char *path)
{
	static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
	if (strcmp(path, "-") == 0 || strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
		size_t length = strlen(folders[i]);
		char *end;
		if (strncmp(path, folders[i], length) != 0 ||
			!isdigit((unsigned char)path[length]))
			continue;
		unsigned long fd = strtoul(path + length, &end, 10);
		if (!*end && fd <= INT_MAX)
			return (int)fd;
	}
	return -1;
}

static bool is_stream(mode_t mode)
{
	return S_ISFIFO(mode) || S_ISCHR(mode);
}

bool output_file_is_stream(const char *path)
{
	struct stat status;
	return own_descriptor(path) >= 0 ||
	       (lstat(path, &status) == 0 && is_stream(status.st_mode));
}

bool output_file_is_terminal(const char *path)
{
	int fd = own_descriptor(path);
	return fd >= 0 && isatty(fd);
}

static const char *kind_of(mode_t mode)
{
	if (S_ISDIR(mode))
		return "it is a folder";
	if (S_ISLNK(mode))
		return "it is a symbolic link, name the file itself";
	if (S_ISBLK(mode))
		return "it is a disk";
	return "it is not a regular file";
}

/* Somebody may have put a FIFO into /tmp to read what others write. The kernel has the same
   rule for who opens a FIFO with O_CREAT (proc(5), /proc/sys/fs). */
static bool is_planted(const struct place *place, const struct stat *fifo)
{
	struct stat folder;
	return fstat(place->folder, &folder) == 0 && (folder.st_mode & S_ISVTX) &&
	       (folder.st_mode & S_IWOTH) && fifo->st_uid != geteuid() &&
	       fifo->st_uid != folder.st_uid;
}

static bool place_check(struct place *place, const char *path, struct error *err)
{
	struct stat status;

	if (fstatat(place->folder, place->name, &status, AT_SYMLINK_NOFOLLOW) != 0)
		return errno == ENOENT || error_errno(err, errno, "%s", path);
	if (S_ISFIFO(status.st_mode) && is_planted(place, &status))
		return error_set(err,
			"%s: it is a FIFO of another user in a folder where everybody "
			"may "
			"put one",
			path);
	if (!S_ISREG(status.st_mode) && !is_stream(status.st_mode))
		return error_set(err, "%s: %s", path, kind_of(status.st_mode));
	place->is_stream = is_stream(status.st_mode);
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

static void temp_name(char name[TEMP_NAME_BYTES], int i)
{
	snprintf(name, TEMP_NAME_BYTES, ".cproftop-%d-%d.tmp", (int)getpid(), i);
}

/* A new file beside the final one. It is ours alone: O_EXCL refuses any name that exists,
   a planted link included. */
static int temp_create(const struct place *place, char name[TEMP_NAME_BYTES])
{
	for (int i = 0; i < TEMP_TRIES; i++) {
		temp_name(name, i);
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
		struct pollfd wait = {.fd = fd, .events = POLLOUT};
		if (written < 0 && errno == EAGAIN)
			poll(&wait, 1, -1);
		if (written < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (written < 0)
			return false;
		bytes += written;
		size -= (size_t)written;
	}
	return true;
}

/* Errors of delayed writing are reported by fsync, the last of them by close. Not every
   file system can fsync; one that cannot says EINVAL. Nor has every one modes: a file that
   somebody else made for us has what there was to have. */
static bool write_whole(int fd, const char *bytes, size_t size)
{
	struct stat status;
	bool has_mode =
		fstat(fd, &status) == 0 &&
		((status.st_mode & 07777) == file_mode || status.st_uid != geteuid());
	return (has_mode || fchmod(fd, file_mode) == 0) && write_all(fd, bytes, size) &&
	       (fsync(fd) == 0 || errno == EINVAL);
}

/* --- streams --------------------------------------------------------------------------- */

/* What PATH is called in messages. */
static const char *name_of(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard output" : path;
}

static bool descriptor_check(int fd, const char *path, struct error *err)
{
	int flags = fcntl(fd, F_GETFL);
	if (flags < 0)
		return error_errno(err, errno, "%s", name_of(path));
	return (flags & O_ACCMODE) != O_RDONLY ||
	       error_set(err, "%s: it is open for reading only", name_of(path));
}

/* Let the signals that end programs end this one while it waits for somebody else. */
static void let_signals_end_us(sigset_t *before)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_UNBLOCK, &set, before);
}

/* FD is a descriptor of ours, or -1: then open NAME in PLACE. */
static bool stream_write(int fd, const struct place *place, const char *path,
	const char *bytes, size_t size, struct error *err)
{
	sigset_t before;
	struct stat status;
	bool waits = fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode);
	if (waits)
		let_signals_end_us(&before);
	int opened = fd >= 0 ? -1
			     : openat(place->folder, place->name,
				       O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	bool done =
		(fd >= 0 || opened >= 0) && write_all(fd >= 0 ? fd : opened, bytes, size);
	if (!done)
		error_errno(err, errno, "%s", name_of(path));
	if (opened >= 0)
		close(opened);
	if (waits)
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	return done;
}

/* --- files ----------------------------------------------------------------------------- */

bool output_file_check(const char *path, struct error *err)
{
	char name[TEMP_NAME_BYTES];
	struct place place;
	int own = own_descriptor(path);

	if (own >= 0)
		return descriptor_check(own, path, err);
	if (!place_open(&place, path, err))
		return false;
	bool done = true;
	if (place.is_stream) {
		done = faccessat(place.folder, place.name, W_OK, AT_EACCESS) == 0 ||
		       error_errno(err, errno, "%s", path);
	} else {
		int fd = temp_create(&place, name);
		done = fd >= 0 ||
		       error_errno(err, errno, "%s: create a file in its folder", path);
		if (done) {
			unlinkat(place.folder, name, 0);
			close(fd);
		}
	}
	close(place.folder);
	return done;
}

/* A file without a name, which is gone with the process that writes it, however that ends. -1:
   the file system has none. */
static int nameless_create(const struct place *place)
{
	return openat(place->folder, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, 0600);
}

/* Give it its name, in the place of what has that now. linkat(2) replaces nothing, so there it
   gets a temporary name first, when all is in it. */
static bool nameless_place(int fd, const struct place *place)
{
	char from[TEMP_NAME_BYTES], name[TEMP_NAME_BYTES];
	snprintf(from, sizeof(from), "/proc/self/fd/%d", fd);
	if (linkat(AT_FDCWD, from, place->folder, place->name, AT_SYMLINK_FOLLOW) == 0)
		return true;
	for (int i = 0; i < TEMP_TRIES && errno == EEXIST; i++) {
		temp_name(name, i);
		if (linkat(AT_FDCWD, from, place->folder, name, AT_SYMLINK_FOLLOW) != 0)
			continue;
		if (renameat(place->folder, name, place->folder, place->name) == 0)
			return true;
		int errnum = errno;
		unlinkat(place->folder, name, 0);
		errno = errnum;
		return false;
	}
	return false;
}

static bool write_nameless(const struct place *place, const char *bytes, size_t size)
{
	int fd = nameless_create(place);
	if (fd < 0)
		return false;
	bool done = write_whole(fd, bytes, size) && nameless_place(fd, place);
	int errnum = errno;
	if (close(fd) != 0 && done)
		return false;
	errno = errnum;
	return done;
}

static bool write_named(const struct place *place, const char *bytes, size_t size)
{
	char name[TEMP_NAME_BYTES];
	int fd = temp_create(place, name);
	if (fd < 0)
		return false;
	bool done = write_whole(fd, bytes, size);
	int errnum = errno;
	if (close(fd) != 0 && done) {
		errnum = errno;
		done = false;
	}
	errno = errnum;
	done = done && renameat(place->folder, name, place->folder, place->name) == 0;
	errnum = errno;
	if (!done)
		unlinkat(place->folder, name, 0);
	errno = errnum;
	return done;
}

static bool replace_file(const struct place *place, const char *path, const char *bytes,
	size_t size, struct error *err)
{
	/* Without a /proc, or where a new file may have no name but no second one either, only
	   the other way is left. */
	if (!write_nameless(place, bytes, size) && !write_named(place, bytes, size))
		return error_errno(err, errno, "%s: write", path);
	/* the new name, too; if it fails, the bytes are on the disk all the same */
	fsync(place->folder);
	return true;
}

bool output_file_write(
	const char *path, const void *bytes, size_t size, struct error *err)
{
	struct place place;
	int own = own_descriptor(path);

	if (own >= 0)
		return stream_write(own, NULL, path, bytes, size, err);
	if (!place_open(&place, path, err))
		return false;
	bool done = place.is_stream ? stream_write(-1, &place, path, bytes, size, err)
				    : replace_file(&place, path, bytes, size, err);
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
