/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/sources/source-file.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/base/vec.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct source_file {
	_Atomic unsigned references;
	char *path;
	VEC(struct source_line) lines;
	char *text; /* of all lines, each with a NUL */
};

/* What a line becomes, one byte behind the other. */
struct cleaned {
	VEC(char) bytes;
	VEC(size_t) starts;
};

/* Tabs lead to the next column that is a multiple of SOURCE_TAB; what clean_text would
   write as \x09 is then not there any more. Returns the length, cut to SIZE. */
static size_t expand_tabs(char *out, size_t size, const char *text, size_t length)
{
	size_t used = 0, column = 0;
	for (size_t i = 0; i < length && used < size; i++) {
		if (text[i] == '\t') {
			do
				out[used++] = ' ';
			while (++column % SOURCE_TAB != 0 && used < size);
			continue;
		}
		out[used++] = text[i];
		column += ((unsigned char)text[i] & 0xc0) != 0x80; /* a new character */
	}
	return used;
}

static void take_line(struct cleaned *cleaned, const char *text, size_t length)
{
	char expanded[SOURCE_LINE_MAX], line[SOURCE_LINE_MAX];
	if (length > 0 && text[length - 1] == '\r')
		length--;
	size_t used = expand_tabs(expanded, sizeof(expanded), text, length);
	used = clean_text(line, sizeof(line), expanded, used);
	vec_push(&cleaned->starts, cleaned->bytes.len);
	vec_reserve(&cleaned->bytes, cleaned->bytes.len + used + 1);
	memcpy(cleaned->bytes.data + cleaned->bytes.len, line, used + 1);
	cleaned->bytes.len += used + 1;
}

static void split(struct source_file *file, const char *bytes, size_t size)
{
	struct cleaned cleaned = {0};
	for (size_t at = 0; at < size;) {
		const char *end = memchr(bytes + at, '\n', size - at);
		size_t length = end ? (size_t)(end - (bytes + at)) : size - at;
		take_line(&cleaned, bytes + at, length);
		at += length + 1;
	}
	file->text = cleaned.bytes.data;
	vec_each (&cleaned.starts, start)
		vec_push(&file->lines, (struct source_line){file->text + *start});
	vec_free(&cleaned.starts);
}

/* All of it; NULL and ERR if it is too large, or is not text. */
static char *read_bytes(int fd, size_t *size, struct error *err)
{
	struct stat status;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
		error_set(err, "not a regular file");
		return NULL;
	}
	if (status.st_size > SOURCE_FILE_MAX_BYTES) {
		error_set(err, "larger than %d MB", SOURCE_FILE_MAX_BYTES >> 20);
		return NULL;
	}
	/* Files of /proc say that they are empty, and are not what anybody compiled. */
	if (status.st_size == 0) {
		error_set(err, "empty");
		return NULL;
	}
	size_t want = (size_t)status.st_size, have = 0;
	char *bytes = mem_alloc(want);
	while (have < want) {
		ssize_t got = read(fd, bytes + have, want - have);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break; /* it has been cut meanwhile */
		have += (size_t)got;
	}
	*size = have;
	if (have > 0 && !memchr(bytes, '\0', have))
		return bytes;
	error_set(err, have ? "not a text" : "cannot be read");
	free(bytes);
	return NULL;
}

struct source_file *source_file_read(int fd, const char *path, struct error *err)
{
	size_t size;
	char *bytes = read_bytes(fd, &size, err);
	if (!bytes)
		return NULL;
	struct source_file *file = mem_zalloc(sizeof(*file));
	atomic_init(&file->references, 1);
	file->path = mem_strdup(path);
	split(file, bytes, size);
	free(bytes);
	return file;
}

struct source_file *source_file_ref(const struct source_file *file)
{
	struct source_file *mutable = (struct source_file *)(uintptr_t)file;
	if (mutable)
		atomic_fetch_add(&mutable->references, 1);
	return mutable;
}

void source_file_unref(const struct source_file *file)
{
	struct source_file *mutable = (struct source_file *)(uintptr_t)file;
	if (!mutable || atomic_fetch_sub(&mutable->references, 1) != 1)
		return;
	vec_free(&mutable->lines);
	free(mutable->text);
	free(mutable->path);
	free(mutable);
}

const char *source_file_path(const struct source_file *file)
{
	return file->path;
}

uint32_t source_file_lines(const struct source_file *file)
{
	return (uint32_t)file->lines.len;
}

const struct source_line *source_file_line(
	const struct source_file *file, uint32_t number)
{
	return number > 0 && number <= file->lines.len ? &file->lines.data[number - 1]
						       : NULL;
}
