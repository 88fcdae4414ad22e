/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/opener-packet.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

size_t opener_packet_links(int dir_fd, const char *texts, size_t count, char *out,
	size_t size, size_t *used, int *errnum)
{
	char link[PATH_MAX];
	size_t done = 0;
	*used = 0;
	*errnum = 0;
	for (; done < count; done++, texts += strlen(texts) + 1) {
		ssize_t length = readlinkat(dir_fd, texts, link, sizeof(link) - 1);
		if (length < 0 && errno != ENOENT)
			*errnum = errno;
		link[length > 0 ? length : 0] = '\0';
		size_t bytes = strlen(link) + 1;
		if (bytes > size - *used)
			break;
		memcpy(out + *used, link, bytes);
		*used += bytes;
	}
	return done;
}
