/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parse the command line with the table of options, check it, and fill in defaults. */
#include "src/run/options/options.h"

#include "src/arch/arch.h"
#include "src/base/output-file.h"
#include "src/count/report.h"
#include "src/count/tags.h"
#include "src/run/options/completion.h"
#include "src/run/options/option-formats.h"
#include "src/run/options/option-order.h"
#include "src/run/options/options-apply.h"
#include "src/run/options/options-rc.h"
#include "src/run/options/options-row.h"
#include "src/run/options/options-store.h"
#include "src/run/options/options-syntax.h"
#include "src/run/options/options-table.h"
#include "src/write/export.h"
#include "src/write/listing.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

#define DEFAULT_MAX_OVERHEAD 0.01
#define DEFAULT_MAX_CPU	     0.1

enum {
	DEFAULT_HZ = 99,
	DEFAULT_WINDOW_S = 30,
	DEFAULT_DELAY_S = 3, /* as top has it */
	DEFAULT_STACK_BYTES = 2 * 1024 * 1024,
	DEFAULT_FILES = 20, /* of --on */
};

static bool bad_option(const struct options *options, char **argv, int letter,
	const char *help, struct error *err)
{
	const char *given = argv[optind - 1];
	if (letter == ':')
		return error_set(err, "option '%s' needs a value (%s)", given, help);
	if (options->n_files && !(1u << options->command & ON_WORDS))
		return error_set(err,
			"unknown option '%s' (%s): a command to launch goes after '--'",
			given, help);
	return error_set(err, "unknown option '%s' (%s)", given, help);
}

/* The N words at FILES, a process name or files. */
static bool take_words(struct options *options, char **files, size_t n, struct error *err)
{
	bool one_name =
		options->command == COMMAND_RECORD || options->command == COMMAND_DUMP;
	if (!one_name && options->command != COMMAND_TOP)
		return error_set(err,
			"unexpected '%s': a command to launch goes after '--'", files[0]);
	if (one_name && n > 1)
		return error_set(err,
			"unexpected '%s' after the name of a process: a command to "
			"launch goes after '--'",
			files[1]);
	options->name = files[0];
	options->files = files;
	options->n_files = n;
	return true;
}

/* What is left after the options: a command after "--", N_WORDS before it. */
static bool take_rest(
	struct options *options, int argc, char **argv, size_t n_words, struct error *err)
{
	options->n_files = 0;
	if (1u << options->command & ON_WORDS) {
		options->files = argv + optind;
		options->n_files = (size_t)(argc - optind);
	} else if (optind < argc) {
		options->launch = argv + optind;
	}
	if (n_words && !take_words(options, argv + 1, n_words, err))
		return false;
	/* A single word may be a process that is called so. */
	const char *meant = options->name && options->command == COMMAND_TOP &&
					    (options->n_pids || n_words > 1) &&
					    access(options->name, F_OK) != 0
				    ? option_command_meant(options->name)
				    : NULL;
	if (meant)
		return error_set(err, "'%s' is no command: did you mean '%s'?",
			options->name, meant);
	if (options->n_pids && (options->launch || options->name))
		return error_set(err, "-p and a %s exclude each other",
			options->launch			  ? "command to launch"
			: options->command == COMMAND_TOP ? "process name or file"
							  : "process name");
	return !options->launch || !options->name ||
	       error_set(err, "'%s' and a command to launch exclude each other",
		       options->name);
}

static bool check_convert(const struct options *options, struct error *err)
{
	if (options->n_files < 2)
		return error_set(err,
			"convert what into what? Give FILE and OUT (cproftop "
			"convert --help)");
	const char *out = options->files[options->n_files - 1];
	if (!options->format && output_file_is_stream(out) && !export_format_by_file(out))
		return error_set(err, "%s has no suffix: give a format with -f",
			strcmp(out, "-") == 0 ? "standard output" : out);
	return option_format(options->format, out, err);
}

static bool check_pattern(const char *option, const char *text, struct error *err)
{
	size_t offset;
	char why[128];
	if (!text)
		return true;
	if (strlen(text) >= REPORT_TEXT_MAX)
		return error_set(
			err, "%s takes at most %d bytes", option, REPORT_TEXT_MAX - 1);
	return report_pattern_valid(text, &offset, why, sizeof(why)) ||
	       error_set(err, "%s '%s': %s, at offset %zu", option, text, why, offset);
}

static bool check_report_format(struct options *options, struct error *err)
{
	const char *format = option_report_format(options->format, options->output, err);
	if (!format)
		return false;
	bool whole = options->peek || options->by;
	if (!listing_format_by_name(format) && whole)
		return error_set(err,
			"--peek and --by have no format '%s': give "
			"text, md, csv or json",
			format);
	options->format = format;
	if (options->locks && strcmp(format, "text") != 0)
		return error_set(err, "--locks is text");
	if (options->annotate && strcmp(format, "text") != 0 &&
		strcmp(format, "json") != 0 && strcmp(format, "html") != 0)
		return error_set(err, "--annotate is text, json or html");
	return true;
}

static bool check_report(struct options *options, struct error *err)
{
	if (options->n_files == 0 && !options->n_pids)
		return error_set(
			err, "report what? Give FILE or -p PID (cproftop report --help)");
	if (options->n_files && options->n_pids)
		return error_set(err, "-p and a file exclude each other");
	if (options->duration_s > 0 && !options->n_pids)
		return error_set(err, "-d is for -p: a file has its own duration");
	if (options->sample_type && options->n_pids)
		return error_set(err, "--type is for files");
	if (!!options->peek + options->locks + !!options->by + !!options->annotate > 1)
		return error_set(err, "--peek, --locks, --by and "
				      "--annotate exclude each other");
	if (options->assembly && !options->annotate)
		return error_set(err, "--asm is for --annotate");
	return check_report_format(options, err) &&
	       check_pattern("--peek", options->peek, err) &&
	       check_pattern("--focus", options->focus, err) &&
	       check_pattern("--ignore", options->ignore, err);
}

static bool check_diff(const struct options *options, struct error *err)
{
	if (options->n_files != 2)
		return error_set(err,
			"diff compares two files: give OLD and NEW (cproftop diff "
			"--help)");
	return check_pattern("--focus", options->focus, err) &&
	       check_pattern("--ignore", options->ignore, err);
}

static bool check_triggers(const struct options *options, struct error *err)
{
	if (!options->n_triggers)
		return (!options->exec && !options->quota.files) ||
		       error_set(err, "--exec and --at-most are for --on CONDITION");
	if (options->output && output_file_is_stream(options->output))
		return error_set(err,
			"--on writes a file when its condition holds: say to which "
			"folder with -o DIR");
	if (options->every_s > 0)
		return error_set(err, "--on and --every exclude each other");
	for (size_t i = 0; i < options->n_triggers; i++)
		if (options->triggers[i].kind <= TRIGGER_SELF &&
			options->triggers[i].is_time &&
			options->event.kind != EVENT_CPU_TIME)
			return error_set(err,
				"--on '%s' is a time, and -e counts %s: give a share in "
				"%%",
				options->triggers[i].text, options->event.name);
	for (size_t i = 0; i < options->n_triggers; i++)
		if (options->triggers[i].kind == TRIGGER_BLOCKED && !options->wall)
			return error_set(err,
				"--on '%s' needs -m wall: else threads that are blocked "
				"are not sampled",
				options->triggers[i].text);
	return true;
}

static bool check_record(struct options *options, struct error *err)
{
	if (!check_pattern("--focus", options->focus, err) ||
		!check_pattern("-t", options->threads, err) ||
		!check_triggers(options, err))
		return false;
	if (!options->quota.files)
		options->quota = (struct trigger_quota){DEFAULT_FILES, UINT64_MAX};
	if (!options->n_pids && !options->launch && !options->name)
		return error_set(err,
			"record what? Give -p PID, NAME, or a command after '--' "
			"(cproftop record --help)");
	const struct export_format *format =
		export_format_by_name(options->format ? options->format : "pprof");
	if (!format)
		return option_format(options->format, NULL, err);
	if (options->every_s > 0) {
		if (!options->output || output_file_is_stream(options->output))
			return error_set(err,
				"--every writes many files: say to which folder with "
				"-o DIR");
	}
	if (options->n_triggers && !options->output)
		options->output = ".";
	if (options->every_s > 0 || options->n_triggers)
		options->format = format->name;
	if (!options->output) {
		snprintf(options->default_output, sizeof(options->default_output),
			"cproftop%s", format->suffix);
		options->output = options->default_output;
	}
	return option_format(options->format, options->output, err);
}

static bool check_ctl(const struct options *options, struct error *err)
{
	const char *word = options->n_files ? options->files[0] : "";
	bool is_snapshot = strcmp(word, "snapshot") == 0;
	bool is_mark = strcmp(word, "mark") == 0;
	if (options->n_pids > 1)
		return error_set(err, "ctl talks to one recording at a time");
	if (!is_snapshot && !is_mark && strcmp(word, "start") != 0 &&
		strcmp(word, "stop") != 0 && strcmp(word, "status") != 0)
		return error_set(err,
			"ctl what? Give start, stop, status, mark TEXT or snapshot FILE");
	if (!is_mark && options->n_files != (is_snapshot ? 2 : 1))
		return error_set(err, "%s",
			is_snapshot ? "snapshot to where? Give one FILE"
				    : "start, stop and status take no more words");
	return true;
}

/* Is a target given, and can the output be written? */
static bool check(struct options *options, struct error *err)
{
	if (options->lists_events)
		return true;
	if (options->completion && !completion_knows(options->completion, err))
		return false;
	if (options->command == COMMAND_RECORD && !check_record(options, err))
		return false;
	if (options->command == COMMAND_CONVERT && !check_convert(options, err))
		return false;
	if (!options_check_store(options, err))
		return false;
	if (options->command == COMMAND_CTL && !check_ctl(options, err))
		return false;
	if (options->command == COMMAND_REPORT && !check_report(options, err))
		return false;
	if (options->command == COMMAND_DIFF && !check_diff(options, err))
		return false;
	if (options->command == COMMAND_DEMO && (options->n_pids || options->launch))
		return error_set(err,
			"demo brings its own process: give neither -p nor a command");
	if (options->iterations && !options->batch)
		return error_set(err, "-n is for -b, which prints screens");
	if (options->batch && options->ui_script)
		return error_set(err, "-b and --ui-script exclude each other");
	if (options->batch && !options->n_pids && !options->launch && !options->name)
		return error_set(err, "-b cannot ask: give -p PID, NAME, FILE or a "
				      "command after '--'");
	if (!ARCH_KNOWS_CODE && options->unwind_by == UNWIND_BY_OWN)
		return error_set(err, "--unwinder own does not know " ARCH_NAME
				      ": leave it out, libunwind finds the callers here");
	if (options->kernel_stacks && !options->wall &&
		options->command == COMMAND_RECORD)
		return error_set(err, "--kernel-stacks shows where threads sleep: it "
				      "needs -m wall");
	if (options->weigh_wall && !options->wall && options->command == COMMAND_RECORD)
		return error_set(err, "--weight wall needs -m wall");
	if (options->command == COMMAND_DUMP && !options->n_pids && !options->name)
		return error_set(
			err, "dump what? Give -p PID or NAME (cproftop dump --help)");
	if (options->command == COMMAND_DUMP && options->n_pids > 1)
		return error_set(err, "dump looks at one process at a time");
	return true;
}

bool options_parse(struct options *options, const struct options_rc *rc, int argc,
	char **argv, struct error *err)
{
	*options = (struct options){
		.frequency_hz = DEFAULT_HZ,
		.window_s = DEFAULT_WINDOW_S,
		.delay_s = DEFAULT_DELAY_S,
		.stack_bytes = DEFAULT_STACK_BYTES,
		.naming.style = DEMANGLE_NO_PARAMS,
		.side_by_side = true,
		.max_overhead = DEFAULT_MAX_OVERHEAD,
		.max_cpu = DEFAULT_MAX_CPU,
		.unwind_by = ARCH_KNOWS_CODE ? UNWIND_BY_OWN : UNWIND_BY_LIBUNWIND,
	};
	if (option_help_words(options, argc, argv))
		return option_help_known(options, argc, argv, err);
	option_command_first(argc, argv);
	if (argc > 1)
		command_find(argv[1], &options->command);
	const enum command command = options->command;
	const char *name = command_rows[command].name;
	if (name || (argc > 1 && strcmp(argv[1], "top") == 0)) {
		argc--;
		argv++;
	}
	char help[64];
	snprintf(help, sizeof(help), "see 'cproftop %s%s--help'", name ? name : "",
		name ? " " : "");
	struct options_syntax syntax;
	bool given[OPTION_ROWS_MAX] = {false};
	options_syntax_of(&syntax, command);
	if (rc && !options_syntax_no_rc(&syntax, argc, argv))
		options_take_rc(options, rc);
	optind = 0;
	opterr = 0;
	int found;
	size_t n_words = 0;
	while ((found = options_syntax_next(&syntax, argc, argv, &n_words)) != -1) {
		options->n_files = n_words;
		if (found == '?' || found == ':')
			return bad_option(options, argv, found, help, err);
		const struct option_row *row = options_row_found(command, found);
		given[row - option_rows] = true;
		if (row->is_sampling)
			options->sampling_option = row->name;
		if (!options_row_take(options, row, optarg, err))
			return false;
		if (options->command == COMMAND_HELP ||
			options->command == COMMAND_VERSION)
			return true;
	}
	return take_rest(options, argc, argv, n_words, err) && check(options, err) &&
	       options_apply(options, given, err);
}
