/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/maps.h"

#include "src/base/ask-opener.h"
#include "src/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	FIRST_READ_BYTES = 64 << 10,
	MAPS_MAX_BYTES = 256 << 20, /* vm.max_map_count of 1M lines fits */
};

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* A number of BASE that DELIMITER ends, which is consumed too. */
static bool take_number(
	const char **at, const char *end, unsigned base, char delimiter, uint64_t *value)
{
	const char *first = *at;
	*value = 0;
	for (; *at < end; (*at)++) {
		int digit = digit_value(**at);
		if (digit < 0 || (unsigned)digit >= base)
			break;
		if (*value > (UINT64_MAX - (unsigned)digit) / base)
			return false;
		*value = *value * base + (unsigned)digit;
	}
	if (*at == first || *at == end || **at != delimiter)
		return false;
	(*at)++;
	return true;
}

static bool parse_line(const char *at, const char *end, struct maps_line *line)
{
	uint64_t major = 0, minor = 0;
	if (!take_number(&at, end, 16, '-', &line->start) ||
		!take_number(&at, end, 16, ' ', &line->limit) || end - at < 5 ||
		line->start >= line->limit)
		return false;
	memcpy(line->permissions, at, 4);
	line->permissions[4] = '\0';
	at += 5;
	if (!take_number(&at, end, 16, ' ', &line->offset) ||
		!take_number(&at, end, 16, ':', &major) ||
		!take_number(&at, end, 16, ' ', &minor))
		return false;
	line->dev_major = (uint32_t)major;
	line->dev_minor = (uint32_t)minor;
	/* The inode ends the line if there is no path; seq_pad puts a space, but a test
	   or another kernel may not. */
	line->inode = 0;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		line->inode = line->inode * 10 + (uint64_t)(*at - '0');
	while (at < end && *at == ' ')
		at++;
	line->path = at;
	line->path_length = (size_t)(end - at);
	return true;
}

bool maps_next(const char **cursor, const char *end, struct maps_line *line)
{
	while (*cursor < end) {
		const char *start = *cursor;
		const char *newline = memchr(start, '\n', (size_t)(end - start));
		*cursor = newline ? newline + 1 : end;
		if (parse_line(start, newline ? newline : end, line))
			return true;
	}
	return false;
}

char *maps_read(int dir_fd, const char *name, size_t *length, struct error *err)
{
	*length = 0;
	int fd = ask_opener_open(dir_fd, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		error_errno(err, errno, "open %s", name);
		return NULL;
	}
	size_t room = FIRST_READ_BYTES;
	char *text = mem_alloc(room);
	for (;;) {
		ssize_t got = read(fd, text + *length, room - *length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || *length + (size_t)got > MAPS_MAX_BYTES) {
			error_errno(err, got < 0 ? errno : EFBIG, "read %s", name);
			close(fd);
			free(text);
			return NULL;
		}
		if (got == 0)
			break;
		*length += (size_t)got;
		if (*length == room) {
			room *= 2;
			text = mem_resize(text, room, 1);
		}
	}
	close(fd);
	return text;
}
