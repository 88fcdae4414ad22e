/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The formats in JSON, in a build without jansson. */
#include "src/count/import/import-formats.h"

static bool is_json(const char *bytes, size_t length)
{
	return length > 0 && bytes[0] == '{';
}

static bool read_none(
	struct recording *recording, struct input_file *input, struct error *err)
{
	(void)recording;
	return error_set(err,
		"%s: is JSON, and this cproftop was built without jansson, which reads "
		"it",
		input_file_name(input));
}

const struct import_format import_json = {
	.name = "speedscope, cpuprofile, Firefox Profiler",
	.is = is_json,
	.read = read_none,
};
