/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/export.h"

#include "src/base/output-file.h"

#include <string.h>

#define EXPORT_ROW(format) &format,
const struct export_format *const export_formats[] = {EXPORT_FORMATS(EXPORT_ROW) NULL};

const struct export_format *export_format_by_name(const char *name)
{
	for (size_t i = 0; export_formats[i]; i++)
		if (strcmp(export_formats[i]->name, name) == 0)
			return export_formats[i];
	return NULL;
}

static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* A file that is called ".txt" has a name and no suffix. */
static bool ends_in(const char *path, const char *suffix)
{
	size_t length = strlen(name_in(path)), tail = strlen(suffix);
	return length > tail && strcmp(path + strlen(path) - tail, suffix) == 0;
}

static bool is_of(const struct export_format *format, const char *path)
{
	bool found = ends_in(path, format->suffix);
	for (size_t i = 0; i < sizeof(format->aliases) / sizeof(format->aliases[0]);
		i++) {
		const char *alias = format->aliases[i];
		found = found || (alias && ends_in(path, alias));
	}
	return found;
}

const struct export_format *export_format_by_file(const char *path)
{
	for (size_t i = 0; export_formats[i]; i++)
		if (is_of(export_formats[i], path))
			return export_formats[i];
	return NULL;
}

struct export_job {
	const struct export_format *format;
	const struct report *report;
	const struct export_facts *facts;
	const char *path;
};

static bool print_job(const void *what, FILE *out, struct error *err)
{
	const struct export_job *job = what;
	bool written = job->format->write(job->report, job->facts, out, err);
	if (!written)
		error_prefix(err, "%s: %s", job->path, job->format->name);
	return written;
}

bool export_to_file(const struct export_format *format, const struct report *report,
	const struct export_facts *facts, const char *path, uint64_t *bytes,
	struct error *err)
{
	const struct export_job job = {format, report, facts, path};
	return output_file_print(path, print_job, &job, bytes, err);
}
