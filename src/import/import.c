/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/import/import.h"

#include "src/base/input-file.h"
#include "src/import/import-formats.h"

#include <string.h>

/* In the order in which they are tried: what is told most surely comes first. */
static const struct {
	const char *name;
	bool (*is)(const char *bytes, size_t length);
	bool (*read)(
		struct recording *recording, struct input_file *input, struct error *err);
} formats[] = {
	{"pprof", import_pprof_is, import_pprof_read},
	{"perf script", import_perf_is, import_perf_read},
	{"callgrind", import_callgrind_is, import_callgrind_read},
	{"speedscope", import_speedscope_is, import_speedscope_read},
	{"folded stacks", import_folded_is, import_folded_read},
};

enum {
	N_FORMATS = sizeof(formats) / sizeof(formats[0])
};

const char *import_format_names(void)
{
	return "pprof, perf script, callgrind, speedscope, folded stacks";
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
	char begin[INPUT_PEEK + 1];
	memcpy(begin, bytes, length);
	begin[length] = '\0';
	for (size_t i = 0; i < N_FORMATS; i++)
		if (formats[i].is(begin, length))
			return formats[i].read(recording, input, err);
	return error_set(err, "%s: is none of the formats that can be read: %s", name,
		import_format_names());
}

bool import_file(struct recording *recording, const char *path, struct error *err)
{
	struct input_file *input = input_file_open(path, err);
	if (!input)
		return false;
	bool done = read_input(recording, input, err);
	input_file_close(input);
	return done;
}
