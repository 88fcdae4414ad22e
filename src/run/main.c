/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "src/base/host.h"
#include "src/base/output-file.h"
#include "src/base/wide-stack.h"
#include "src/read/debuginfod/debug-fetch.h"
#include "src/read/debuginfod/debuginfod.h"
#include "src/read/debuginfod/fetcher.h"
#include "src/read/names/line-worker.h"
#include "src/read/reader/reader.h"
#include "src/run/command.h"
#include "src/run/event-list.h"
#include "src/run/messages.h"
#include "src/run/options/completion.h"
#include "src/run/options/options-settings.h"
#include "src/run/options/options.h"
#include "src/run/profiles/apart-child.h"
#include "src/run/profiles/opened.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <unistd.h>

#define RUN(NAME, name, brief, synopsis, what) command_##name,
static int run(const struct options *options)
{
	static int (*const commands[])(const struct options *) = {COMMANDS(RUN)};

	if (options->command == COMMAND_HELP)
		options_print_help(options->help_on, stdout);
	else if (options->command == COMMAND_VERSION)
		puts(PACKAGE_STRING);
	else if (options->lists_events)
		event_list_print(stdout);
	else if (options->completion)
		completion_print(options->completion, stdout);
	else
		return commands[options->command](options);
	struct error err;
	bool is_written = fflush(stdout) == 0 && !ferror(stdout);
	if (!is_written && errno == EPIPE) /* head has read enough */
		return EXIT_SUCCESS;
	if (!is_written)
		error_errno(&err, errno, "standard output");
	return is_written ? EXIT_SUCCESS : message_failure(&err);
}

/* Only what looks at a process asks for lines, or who wants instructions with them. */
static bool needs_lines(const struct options *options)
{
	return !options->no_lines &&
	       (options->command < COMMAND_CONVERT ||
		       (options->command == COMMAND_REPORT &&
			       (options->n_pids > 0 || options->assembly)));
}

/* Only the screen shows instructions, and a report if it is asked to. */
static bool needs_assembly(const struct options *options)
{
	return options->command == COMMAND_TOP || options->command == COMMAND_DEMO ||
	       options->assembly;
}

/* Of the settings file. With a screen it is read when that is gone; the screen says the
   first one itself. */
static void complain(const char *text)
{
	fprintf(stderr, "cproftop: %s\n", text);
}

/* ld.so(8), AT_SECURE: the file has rights that whoever ran it has not. */
static int refuse_rights_of_file(void)
{
	struct error err;
	if (getuid() != geteuid() || getgid() != getegid())
		error_set(&err,
			"cproftop must not be installed set-user-ID: it would let anyone "
			"read any process");
	else
		error_set(&err,
			"cproftop must not have capabilities by its file (setcap): it "
			"would let anyone read any process; give them to one command: "
			"sudo setpriv --reuid $USER --init-groups --inh-caps +sys_ptrace "
			"--ambient-caps +sys_ptrace cproftop ...");
	return message_failure(&err);
}

static int program(int argc, char **argv)
{
	host_set_locale();
	struct error err;
	struct options options;
	if (getauxval(AT_SECURE))
		return refuse_rights_of_file();
	struct settings settings;
	settings_init(&settings, getenv, complain);
	if (!options_parse(&options, &settings.rc, argc, argv, &err)) {
		message_failure(&err);
		settings_finish(&settings);
		return EXIT_USAGE;
	}
	settings_for(&settings, &options);
	output_file_ignore_signals();
	options.with_code = needs_assembly(&options);
	options.with_lines = needs_lines(&options);
	char *cache = options.debuginfod ? debuginfod_make_cache(getenv) : NULL;
	char *debug_dirs = debuginfod_dirs(options.debug_dirs, getenv);
	options.debug_dirs = debug_dirs;
	if (options.debuginfod)
		options.fetch =
			debug_fetch_create(getenv("DEBUGINFOD_URLS"), cache, &err);
	int status = options.debuginfod && !options.fetch ? message_failure(&err)
							  : run(&options);
	free(debug_dirs);
	settings_finish(&settings);
	debug_fetch_destroy(options.fetch);
	free(cache);
	return status;
}

int main(int argc, char **argv)
{
	static const struct own_process_kind *const kinds[] = {
		&reader_kind, &line_worker_kind, &apart_kind, &fetcher_kind, NULL};
	own_process_is(argc, argv, kinds);
	return wide_stack_run(program, argc, argv);
}
