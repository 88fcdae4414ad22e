/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/small-file.h"

#include "src/base/ask-opener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t small_file_read(int dir_fd, const char *path, char *text, size_t size)
{
	size_t length = 0;
	ssize_t got = 0;
	int fd = ask_opener_open(dir_fd, path, O_RDONLY | O_CLOEXEC);
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

bool status_number(const char *status, const char *label, int index, int base,
	unsigned long long *value)
{
	const char *at = strstr(status, label);
	if (!at)
		return false;
	at += strlen(label);
	bool is_found = false;
	for (int i = 0; index == STATUS_LAST || i <= index; i++) {
		char *end;
		at += strspn(at, "\t ");
		if (*at == '\n')
			return index == STATUS_LAST && is_found;
		*value = strtoull(at, &end, base);
		if (end == at)
			return false;
		at = end;
		is_found = true;
	}
	return is_found;
}
