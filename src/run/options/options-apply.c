/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/run/options/options-apply.h"

#include "src/run/options/options-table.h"
#include "src/write/export.h"

#include <string.h>

/* The format that OPTIONS ask for; NULL: it depends on the terminal. */
static const struct export_format *format_of(const struct options *options)
{
	const char *path = options->command == COMMAND_CONVERT
				   ? options->files[options->n_files - 1]
				   : options->output;
	if (options->format)
		return export_format_by_name(options->format);
	return path ? export_format_by_file(path) : NULL;
}

/* Does FORMAT have a place for what OPTION is about? */
static bool format_takes(const char *option, const struct export_format *format)
{
	static const struct {
		const char *option;
		const char *formats[6]; /* the only ones that do; NULL ends them */
	} rows[] = {
		{"weight", {"folded"}},
		{"inlines", {"pprof"}}, /* only "split" gets here */
		{"no-times", {"pprof", "json", "firefox", "cpuprofile", "speedscope"}},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].option, option) != 0)
			continue;
		bool takes = false;
		for (size_t f = 0; rows[i].formats[f]; f++)
			takes |= strcmp(rows[i].formats[f], format->name) == 0;
		return takes;
	}
	return true;
}

/* Of record and convert, which write a file. */
static bool check_for_format(
	const struct options *options, const char *option, struct error *err)
{
	const struct export_format *format = format_of(options);
	bool is_inlines = strcmp(option, "inlines") == 0;
	if (!format || (is_inlines && !options->split_inlines) ||
		format_takes(option, format))
		return true;
	if (strcmp(option, "weight") == 0)
		return error_set(err,
			"--weight is for -f folded, which has one number a stack: it "
			"does "
			"not apply to '%s'",
			format->name);
	if (is_inlines)
		return error_set(err,
			"--inlines split is for -f pprof: it does not apply to '%s'",
			format->name);
	return error_set(err,
		"--%s is for formats that say when samples were taken: it does not apply "
		"to '%s'",
		option, format->name);
}

/* Of the live screen, which shows a process or files. */
static bool check_for_screen(
	const struct options *options, const char *option, struct error *err)
{
	bool is_process = options->n_pids || options->launch;
	if (is_process && strcmp(option, "type") == 0)
		return error_set(err, "--type is for files");
	if (!options->batch && strcmp(option, "delay") == 0)
		return error_set(err, "-d is for -b, which prints screens");
	return true;
}

bool options_apply(const struct options *options, const bool *given, struct error *err)
{
	for (size_t i = 0; option_rows[i].name; i++) {
		const char *option = option_rows[i].name;
		if (!given[i])
			continue;
		if ((options->command == COMMAND_RECORD ||
			    options->command == COMMAND_CONVERT) &&
			!check_for_format(options, option, err))
			return false;
		if (options->command == COMMAND_TOP &&
			!check_for_screen(options, option, err))
			return false;
	}
	return true;
}
