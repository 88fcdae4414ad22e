#include "config.h"

#include "src/base/clean.h"
#include "src/names/debug-fetch.h"
#include "src/names/debuginfod.h"
#include "src/names/line-resolver.h"
#include "src/program/command.h"
#include "src/program/options.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

int command_fail(const struct error *err)
{
	/* Paths and names from anywhere may be in it: one line, and nothing that drives a
	   terminal. */
	char text[4 * sizeof(err->text)];
	clean_text(text, sizeof(text), err->text, strlen(err->text));
	fprintf(stderr, "cproftop: %s\n", text);
	return EXIT_FAILURE;
}

void command_tell_lines_deaths(unsigned files)
{
	fprintf(stderr,
		"cproftop: %u file%s no source lines: the process that reads debugging "
		"information died of %s\n",
		files, files == 1 ? " has" : "s have", files == 1 ? "it" : "them");
}

static int run(const struct options *options)
{
	switch (options->command) {
	case COMMAND_HELP:
		options_print_help(options->help_on, stdout);
		return EXIT_SUCCESS;
	case COMMAND_VERSION:
		puts(PACKAGE_STRING);
		return EXIT_SUCCESS;
	case COMMAND_RECORD:
		return command_record(options);
	case COMMAND_DUMP:
		return command_dump(options);
	case COMMAND_DEMO:
		return command_demo(options);
	case COMMAND_TOP:
		break;
	}
	return command_top(options);
}

int main(int argc, char **argv)
{
	setlocale(LC_CTYPE, "");
	struct error err;
	struct options options;
	if (getauxval(AT_SECURE)) {
		error_set(&err,
			"cproftop must not be installed set-user-ID: it would let anyone "
			"read any process");
		return command_fail(&err);
	}
	if (!options_parse(&options, argc, argv, &err))
		return command_fail(&err);
	/* While this is all that there is of us: see src/names/line-reader.h. */
	if (options.command != COMMAND_HELP && options.command != COMMAND_VERSION &&
		!options.no_lines)
		options.lines = line_resolver_create();
	char *debug_dirs = debuginfod_dirs(options.debug_dirs, getenv);
	options.debug_dirs = debug_dirs;
	if (options.debuginfod)
		options.fetch = debug_fetch_create(getenv("DEBUGINFOD_URLS"), &err);
	int status =
		options.debuginfod && !options.fetch ? command_fail(&err) : run(&options);
	free(debug_dirs);
	line_resolver_destroy(options.lines);
	if (debug_fetch_destroy(options.fetch))
		return status;
	fflush(NULL);
	_exit(status); /* its thread still runs */
}
