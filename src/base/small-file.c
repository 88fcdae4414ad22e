/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/small-file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

size_t small_file_read(int dir_fd, const char *path, char *text, size_t size)
{
	size_t length = 0;
	ssize_t got = 0;
	int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && length < size - 1) {
		got = read(fd, text + length, size - 1 - length);
		if (got == 0 || (got < 0 && errno != EINTR))
			break;
		length += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	text[length] = '\0';
	return length;
}
