/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/regular-file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int find(int dir_fd, const char *path, uint64_t resolve)
{
	struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = resolve};
	if (resolve == 0)
		return openat(dir_fd, path, O_PATH | O_CLOEXEC);
	int fd = (int)syscall(SYS_openat2, dir_fd, path, &how, sizeof(how));
	return fd < 0 && errno == ENOSYS
		       ? openat(dir_fd, path, O_PATH | O_CLOEXEC | O_NOFOLLOW)
		       : fd;
}

int regular_file_open(int dir_fd, const char *path, uint64_t resolve)
{
	char link[32];
	struct stat status;
	int found = find(dir_fd, path, resolve), fd = -1;
	if (found < 0)
		return -1;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", found);
	errno = EINVAL;
	if (fstat(found, &status) == 0 && S_ISREG(status.st_mode))
		fd = open(link, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int errnum = errno;
	close(found);
	errno = errnum;
	return fd;
}
