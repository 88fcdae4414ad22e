/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/compare/compare.h"

#include "src/base/output-file.h"
#include "src/write/compare/compare-formats.h"
#include "src/write/export.h"

#include <string.h>

/* A picture of every report is red and blue for a report of two. */
static bool compare_picture(const char *format, const struct report *both,
	const struct compare_facts *facts, FILE *out, struct error *err)
{
	char name[512];
	snprintf(name, sizeof(name), "%.240s, and then %.240s", facts->before,
		facts->after);
	const struct export_facts picture = {.command = name};
	return export_format_by_name(format)->write(both, &picture, out, err);
}

static bool compare_svg(const struct report *both, const struct compare_facts *facts,
	FILE *out, struct error *err)
{
	return compare_picture("svg", both, facts, out, err);
}

static bool compare_html(const struct report *both, const struct compare_facts *facts,
	FILE *out, struct error *err)
{
	return compare_picture("html", both, facts, out, err);
}

const struct compare_format compare_formats[] = {
	{"text", ".txt", compare_text},
	{"md", ".md", compare_md},
	{"csv", ".csv", compare_csv},
	{"json", ".json", compare_json},
	{"svg", ".svg", compare_svg},
	{"html", ".html", compare_html},
	{0},
};

static bool ends_in(const char *path, const char *suffix)
{
	size_t length = strlen(path), tail = strlen(suffix);
	return length > tail && strcmp(path + length - tail, suffix) == 0;
}

static void unknown_format(const char *name, struct error *err)
{
	char known[128] = "";
	size_t used = 0;
	for (size_t i = 0; compare_formats[i].name && used < sizeof(known); i++)
		used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
			!i			      ? ""
			: compare_formats[i + 1].name ? ", "
						      : " or ",
			compare_formats[i].name);
	error_set(err, "unknown format '%s': give %s", name, known);
}

const struct compare_format *compare_format_find(
	const char *name, const char *path, struct error *err)
{
	for (const struct compare_format *format = compare_formats; format->name;
		format++)
		if (name ? strcmp(format->name, name) == 0
			 : ends_in(path, format->suffix))
			return format;
	if (!name)
		return compare_formats;
	unknown_format(name, err);
	return NULL;
}

struct compare_job {
	const struct compare_format *format;
	const struct report *both;
	const struct compare_facts *facts;
	const char *path;
};

static bool print_job(const void *what, FILE *out, struct error *err)
{
	const struct compare_job *job = what;
	bool written = job->format->write(job->both, job->facts, out, err);
	if (!written)
		error_prefix(err, "%s: %s", job->path, job->format->name);
	return written;
}

bool compare_to_file(const struct compare_format *format, const struct report *both,
	const struct compare_facts *facts, const char *path, struct error *err)
{
	const struct compare_job job = {format, both, facts, path};
	return output_file_print(path, print_job, &job, NULL, err);
}
