/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/input-file.h"

#include "src/base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum {
	BLOCK_BYTES = 256 * 1024,
};

/* bytes[first .. first + len) was read and not taken. */
struct input_file {
	gzFile file; /* which also reads what is not compressed */
	char *name;
	char *bytes;
	size_t first, len, cap;
	bool ended;
	uint64_t lines;
};

int input_file_descriptor(const char *path, struct error *err)
{
	struct stat stat;
	int fd = strcmp(path, "-") == 0 ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
					: open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		error_errno(err, errno, "%s", path);
		return -1;
	}
	if (fstat(fd, &stat) == 0 && S_ISDIR(stat.st_mode)) {
		error_set(err, "%s: is a folder, not a file", path);
		close(fd);
		return -1;
	}
	return fd;
}

struct input_file *input_file_open(int fd, const char *name, struct error *err)
{
	gzFile file = gzdopen(fd, "rb");
	if (!file) {
		close(fd);
		error_set(err, "%s: out of memory", name);
		return NULL;
	}
	gzbuffer(file, BLOCK_BYTES);
	struct input_file *input = mem_zalloc(sizeof(*input));
	input->file = file;
	input->name = mem_strdup(name);
	return input;
}

const char *input_file_name_of(const char *path)
{
	return strcmp(path, "-") == 0 ? "standard input" : path;
}

void input_file_close(struct input_file *input)
{
	if (!input)
		return;
	gzclose_r(input->file);
	free(input->name);
	free(input->bytes);
	free(input);
}

const char *input_file_name(const struct input_file *input)
{
	return input->name;
}

uint64_t input_file_line_number(const struct input_file *input)
{
	return input->lines;
}

static bool read_failed(const struct input_file *input, struct error *err)
{
	int status, errnum = errno;
	const char *why = gzerror(input->file, &status);
	if (status == Z_ERRNO)
		return error_errno(err, errnum, "%s", input->name);
	if (status == Z_BUF_ERROR)
		return error_set(err,
			"%s: the compressed data ends too early: the file is cut short, "
			"get it anew",
			input->name);
	return error_set(err, "%s: cannot be unpacked (%s): the file is damaged",
		input->name, why);
}

/* Read one more block behind what is there. */
static bool fill(struct input_file *input, struct error *err)
{
	if (input->first) {
		memmove(input->bytes, input->bytes + input->first, input->len);
		input->first = 0;
	}
	if (input->cap - input->len < BLOCK_BYTES + 1) {
		input->cap = input->cap * 2 + BLOCK_BYTES + 1;
		input->bytes = mem_resize(input->bytes, input->cap, 1);
	}
	int n = gzread(input->file, input->bytes + input->len, BLOCK_BYTES);
	if (n < 0)
		return read_failed(input, err);
	int status = Z_OK;
	if (n == 0)
		gzerror(input->file, &status);
	if (status == Z_BUF_ERROR)
		return read_failed(input, err);
	input->ended = n == 0;
	input->len += (size_t)n;
	return true;
}

bool input_file_peek(
	struct input_file *input, const char **bytes, size_t *length, struct error *err)
{
	while (!input->ended && input->len < INPUT_PEEK)
		if (!fill(input, err))
			return false;
	*bytes = input->bytes + input->first;
	*length = input->len < INPUT_PEEK ? input->len : INPUT_PEEK;
	return true;
}

bool input_file_line(
	struct input_file *input, char **line, size_t *length, struct error *err)
{
	char *end = NULL;
	size_t searched = 0;
	for (;;) {
		if (input->len > searched)
			end = memchr(input->bytes + input->first + searched, '\n',
				input->len - searched);
		if (end || input->ended)
			break;
		searched = input->len;
		if (searched > INPUT_LINE_MAX)
			return error_set(err, "%s: line %llu is longer than %d MiB",
				input->name, (unsigned long long)input->lines + 1,
				INPUT_LINE_MAX >> 20);
		if (!fill(input, err))
			return false;
	}
	char *start = input->bytes + input->first;
	size_t taken = end ? (size_t)(end - start) + 1 : input->len;
	*line = taken ? start : NULL;
	*length = end ? taken - 1 : taken;
	if (!taken)
		return true;
	input->first += taken;
	input->len -= taken;
	input->lines++;
	if (*length && start[*length - 1] == '\r')
		--*length;
	start[*length] = '\0'; /* fill leaves room for it behind the last byte */
	return true;
}

bool input_file_rest(struct input_file *input, size_t max, char **bytes, size_t *size,
	struct error *err)
{
	while (!input->ended) {
		if (input->len > max)
			return error_set(err, "%s: more than %zu MiB when unpacked",
				input->name, max >> 20);
		if (!fill(input, err))
			return false;
	}
	memmove(input->bytes, input->bytes + input->first, input->len);
	input->bytes[input->len] = '\0';
	*bytes = mem_resize(input->bytes, input->len + 1, 1);
	*size = input->len;
	input->bytes = NULL;
	input->first = input->len = input->cap = 0;
	return true;
}
