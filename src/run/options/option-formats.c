/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/option-formats.h"

#include "src/base/output-file.h"
#include "src/write/export.h"
#include "src/write/listing.h"

#include <stdio.h>
#include <string.h>

enum {
	LIST_MAX = 256
};

/* Add TEXT, the one at place I of a list. */
static void add(char list[LIST_MAX], size_t i, const char *text)
{
	size_t length = strlen(list);
	snprintf(list + length, LIST_MAX - length, "%s%s", i ? ", " : "", text);
}

static void list_names(char list[LIST_MAX])
{
	list[0] = '\0';
	for (size_t i = 0; export_formats[i]; i++)
		add(list, i, export_formats[i]->name);
}

static void list_suffixes(char list[LIST_MAX])
{
	list[0] = '\0';
	for (size_t i = 0; export_formats[i]; i++)
		add(list, i, export_formats[i]->suffix);
}

bool option_format(const char *format, const char *path, struct error *err)
{
	char list[LIST_MAX];
	if (format && !export_format_by_name(format)) {
		list_names(list);
		return error_set(
			err, "unknown format '%s': give one of %s", format, list);
	}
	if (!format && !output_file_is_stream(path) && !export_format_by_file(path)) {
		list_suffixes(list);
		return error_set(err,
			"the suffix of '%s' tells no format: end it in one of %s, or "
			"give one with -f",
			path, list);
	}
	return true;
}

/* A listing has no suffixes of its own but those of its name. */
static const char *listing_by_file(const char *path)
{
	const char *dot = path ? strrchr(path, '.') : NULL;
	const struct listing_format *format =
		dot ? listing_format_by_name(dot + 1) : NULL;
	return format ? format->name : NULL;
}

const char *option_report_format(const char *format, const char *path, struct error *err)
{
	char list[LIST_MAX];
	if (!format) {
		const char *listing = listing_by_file(path);
		const struct export_format *export =
			path && !listing ? export_format_by_file(path) : NULL;
		return listing ? listing : export ? export->name : "text";
	}
	if (listing_format_by_name(format) || export_format_by_name(format))
		return format;
	list_names(list);
	for (size_t i = 0; listing_formats[i].name; i++)
		if (!export_format_by_name(listing_formats[i].name))
			add(list, 1, listing_formats[i].name);
	error_set(err, "unknown format '%s': give one of %s", format, list);
	return NULL;
}
