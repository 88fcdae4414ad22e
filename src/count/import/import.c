/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/import.h"

#include "src/base/input-file.h"
#include "src/count/import/import-formats.h"

#include <stdio.h>
#include <string.h>

#define IMPORT_ROW(format) &format,
static const struct import_format *const formats[] = {IMPORT_FORMATS(IMPORT_ROW)};

enum {
	N_FORMATS = sizeof(formats) / sizeof(formats[0])
};

/* What is known and not read, and what makes something of it that is. */
static const struct {
	const char *begin;
	size_t length;
	const char *advice;
} strangers[] = {
	{"PERFILE2", 8,
		"is a perf.data file, for perf alone: perf script -i FILE >stacks.txt, "
		"and open stacks.txt"},
	{"FLR", 4,
		"is a recording of Java's Flight Recorder: jfrconv FILE "
		"stacks.collapsed, "
		"of async-profiler, and open stacks.collapsed"},
};

/* NULL: nothing is known of it. */
static const char *advice_on(const char *bytes, size_t length)
{
	for (size_t i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++)
		if (length >= strangers[i].length &&
			memcmp(bytes, strangers[i].begin, strangers[i].length) == 0)
			return strangers[i].advice;
	return NULL;
}

void import_format_names(char *out, size_t size)
{
	size_t length = 0;
	for (size_t i = 0; i < N_FORMATS && length < size; i++)
		length += (size_t)snprintf(out + length, size - length, "%s%s",
			i > 0 ? ", " : "", formats[i]->name);
}

/* NULL: none. LENGTH is not 0. */
static const struct import_format *format_of(const char *bytes, size_t length)
{
	char begin[INPUT_PEEK + 1];
	if (advice_on(bytes, length))
		return NULL;
	memcpy(begin, bytes, length);
	begin[length] = '\0';
	for (size_t i = 0; i < N_FORMATS; i++)
		if (formats[i]->is(begin, length))
			return formats[i];
	return NULL;
}

static bool read_input(
	struct recording *recording, struct input_file *input, struct error *err)
{
	const char *bytes, *name = input_file_name(input);
	size_t length;
	if (!input_file_peek(input, &bytes, &length, err))
		return false;
	if (length == 0)
		return error_set(err, "%s: is empty", name);
	const struct import_format *format = format_of(bytes, length);
	if (format)
		return format->read(recording, input, err);
	if (advice_on(bytes, length))
		return error_set(err, "%s: %s", name, advice_on(bytes, length));
	char names[160];
	import_format_names(names, sizeof(names));
	return error_set(
		err, "%s: is none of the formats that can be read: %s", name, names);
}

bool import_file(struct recording *recording, int fd, const char *name, struct error *err)
{
	struct input_file *input = input_file_open(fd, name, err);
	if (!input)
		return false;
	bool done = read_input(recording, input, err);
	input_file_close(input);
	return done;
}

const char *import_format_of(int fd)
{
	const char *bytes;
	size_t length;
	struct input_file *input = input_file_open(fd, "", NULL);
	const struct import_format *format = NULL;
	if (input && input_file_peek(input, &bytes, &length, NULL) && length)
		format = format_of(bytes, length);
	input_file_close(input);
	return format ? format->name : NULL;
}
