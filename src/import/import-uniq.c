/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that `uniq -c` has counted: "    NUMBER NAME", a function and its samples. */
#include "src/import/import-formats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The name in LINE, and *NUMBER before it; NULL if LINE is none of uniq's. */
static const char *take_line(const char *line, int64_t *number)
{
	char *name;

	line += strspn(line, " ");
	if (*line < '0' || *line > '9')
		return NULL;
	errno = 0;
	*number = strtoimax(line, &name, 10);
	return errno == 0 && name[0] == ' ' && name[1] != '\0' ? name + 1 : NULL;
}

/* A line that ends in a number may as well be a folded stack. */
static bool is_uniq(const char *bytes, size_t length)
{
	const char *end = memchr(bytes, '\n', length);
	int64_t number;

	return bytes[0] == ' ' && end && (end[-1] < '0' || end[-1] > '9') &&
	       !memchr(bytes, '\0', length) && take_line(bytes, &number);
}

static bool read_line(
	struct recording *recording, uint32_t thread, const char *line, struct error *err)
{
	int64_t number;
	const char *name = take_line(line, &number);

	if (!name)
		return error_set(err, "does not begin with a number and a blank");
	uint32_t location = recording_named_location(recording,
		recording_text(recording, name, strlen(name)),
		profile_string(recording->profile, ""));
	return recording_add(recording, thread, &location, 1, &number, err);
}

static bool read_uniq(
	struct recording *recording, struct input_file *input, struct error *err)
{
	const struct value_type type = {
		profile_string(recording->profile, "samples"),
		profile_string(recording->profile, "count"),
	};
	char *line;
	size_t length;

	if (!recording_types(recording, &type, 1, err))
		return error_prefix(err, "%s", input_file_name(input));
	uint32_t thread =
		recording_thread(recording, profile_string(recording->profile, ""), 0);
	for (;;) {
		if (!input_file_line(input, &line, &length, err))
			return false;
		if (!line)
			return true;
		if (!read_line(recording, thread, line, err))
			return error_prefix(err, "%s: line %" PRIu64,
				input_file_name(input), input_file_line_number(input));
	}
}

const struct import_format import_uniq = {
	.name = "uniq -c",
	.is = is_uniq,
	.read = read_uniq,
};
