/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is JSON, of any of the formats in json-formats.h. */
#include "src/base/input-file.h"
#include "src/base/json-tree.h"
#include "src/count/import/import-formats.h"
#include "src/count/import/json-formats.h"

#include <string.h>

#define NAMES "speedscope, cpuprofile, Firefox Profiler"

static const struct json_format *const formats[] = {
	&json_speedscope, &json_cpuprofile, &json_firefox};

/* Other files in JSON get an answer from here, too. */
static bool is_json(const char *bytes, size_t length)
{
	size_t blanks = strspn(bytes, " \t\r\n");
	return blanks < length && bytes[blanks] == '{';
}

static bool read_root(struct recording *recording, const json_t *root, struct error *err)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (formats[i]->is(root))
			return formats[i]->read(recording, root, err);
	return error_set(err, "is JSON, but none of the profiles that are known: " NAMES);
}

static bool read_json(
	struct recording *recording, struct input_file *input, struct error *err)
{
	json_t *root = json_tree_read(input, &recording->beside_bytes, err);
	bool done = root && (read_root(recording, root, err) ||
				    error_prefix(err, "%s", input_file_name(input)));
	json_decref(root);
	recording->beside_bytes = 0;
	return done;
}

const struct import_format import_json = {
	.name = NAMES,
	.is = is_json,
	.read = read_json,
};
