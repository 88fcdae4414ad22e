/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/sources/source-open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int find(int dir_fd, const char *path, uint64_t resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = resolve};
	long fd = syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
	/* Linux before 5.6, or a container that does not know the call. */
	if (fd < 0 && (errno == ENOSYS || errno == EPERM) &&
		resolve == RESOLVE_NO_MAGICLINKS)
		fd = openat(dir_fd, path, (int)how.flags);
	return (int)fd;
}

/* Open for reading what is found at PLACE_FD, which is closed. */
static int open_found(int place_fd)
{
	struct stat status;
	char link[64];
	int fd = -1;
	if (place_fd < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", place_fd);
	if (fstat(place_fd, &status) == 0) {
		errno = EINVAL;
		if (S_ISREG(status.st_mode))
			fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	}
	int errnum = errno;
	close(place_fd);
	errno = errnum;
	return fd;
}

static int open_beneath(const struct source_place *place)
{
	int dir_fd = open(place->base, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return -1;
	int fd = open_found(
		find(dir_fd, place->rest, RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS));
	int errnum = errno;
	close(dir_fd);
	errno = errnum;
	return fd;
}

int source_open(const struct source_place *place, const struct source_person *person)
{
	char *path = source_place_path(place);
	int fd = open_found(find(AT_FDCWD, path, RESOLVE_NO_MAGICLINKS));
	free(path);
	if (fd >= 0 || errno != EACCES || !place->base || !person->is_privileged)
		return fd;
	source_rights_return(person);
	fd = open_beneath(place);
	int errnum = errno;
	if (!source_rights_become(person) && fd >= 0) {
		close(fd);
		fd = -1;
		errnum = EPERM;
	}
	errno = errnum;
	return fd;
}
