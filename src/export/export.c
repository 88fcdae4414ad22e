/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/export/export.h"

#include "src/base/output-file.h"
#include "src/export/export-formats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct export_format export_formats[] = {
	{
		.name = "pprof",
		.suffix = ".pb.gz",
		.aliases = {".pb", ".pprof"},
		.description = "profile.proto, for go tool pprof, speedscope and most "
			       "profile viewers",
		.open_with = "go tool pprof -http=: %s",
		.write = export_pprof,
	},
	{
		.name = "folded",
		.suffix = ".folded",
		.aliases = {".collapsed"},
		.description = "one stack and its count a line, for flame graph tools",
		.open_with = "flamegraph.pl %s > flame.svg",
		.write = export_folded,
	},
	{
		.name = "svg",
		.suffix = ".svg",
		.description = "a flame graph: zoom, search, hover in any browser",
		.open_with = "xdg-open %s",
		.write = export_svg,
	},
	{
		.name = "speedscope",
		.suffix = ".speedscope.json",
		.aliases = {".speedscope"},
		.description = "for speedscope, with inlined functions and threads",
		.open_with = "speedscope %s",
		.write = export_speedscope,
	},
	{
		.name = "callgrind",
		.suffix = ".callgrind",
		.aliases = {".callgrind.out"},
		.description = "who calls whom, for KCachegrind and callgrind_annotate",
		.open_with = "callgrind_annotate --inclusive=yes %s",
		.write = export_callgrind,
	},
	{
		.name = "text",
		.suffix = ".txt",
		.aliases = {".text"},
		.description = "a report to read: the functions, then the hottest stacks",
		.open_with = "less %s",
		.write = export_text,
	},
	{0},
};

const struct export_format *export_format_by_name(const char *name)
{
	for (const struct export_format *format = export_formats; format->name; format++)
		if (strcmp(format->name, name) == 0)
			return format;
	return NULL;
}

/* A file that is called ".txt" has a name and no suffix. */
static bool ends_in(const char *path, const char *suffix)
{
	const char *slash = strrchr(path, '/');
	size_t length = strlen(slash ? slash + 1 : path), tail = strlen(suffix);
	return length > tail && strcmp(path + strlen(path) - tail, suffix) == 0;
}

const struct export_format *export_format_by_file(const char *path)
{
	for (const struct export_format *format = export_formats; format->name;
		format++) {
		if (ends_in(path, format->suffix))
			return format;
		for (size_t i = 0; i < sizeof(format->aliases) / sizeof(*format->aliases);
			i++)
			if (format->aliases[i] && ends_in(path, format->aliases[i]))
				return format;
	}
	return NULL;
}

/* The report is written to memory first, so that a failing exporter leaves no file. */
bool export_to_file(const struct export_format *format, const struct report *report,
	const struct export_facts *facts, const char *path, uint64_t *bytes,
	struct error *err)
{
	char *content = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&content, &size);

	if (!stream)
		return error_errno(err, errno, "%s: %s", path, format->name);
	bool written = format->write(report, facts, stream, err);
	if (!written)
		error_prefix(err, "%s: %s", path, format->name);
	if (ferror(stream) && written)
		written = error_set(err, "%s: %s: out of memory", path, format->name);
	if (fclose(stream) != 0 && written)
		written = error_errno(err, errno, "%s: %s", path, format->name);
	written = written && output_file_write(path, content, size, err);
	if (written && bytes)
		*bytes = size;
	free(content);
	return written;
}
