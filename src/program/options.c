#include "src/program/options.h"

#include "src/export/export.h"
#include "src/program/option-values.h"

#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
	DEFAULT_HZ = 99,
	MAX_HZ = 10000,
	DEFAULT_WINDOW_S = 30,
	DEFAULT_STACK_BYTES = 1024 * 1024,
	MIN_STACK_BYTES = 1024,
	MAX_STACK_BYTES = 16 * 1024 * 1024,
};

#define DEFAULT_MAX_OVERHEAD 0.01
#define DEFAULT_MAX_CPU	     0.1

/* Options without a letter. */
enum {
	OPTION_WEIGHT = 256,
	OPTION_STATS,
	OPTION_EVERY,
	OPTION_CHILDREN,
	OPTION_STACK_BYTES,
	OPTION_NO_SYSCALL_RESTART,
	OPTION_NO_MOUSE,
	OPTION_ASCII,
	OPTION_NO_COLOR,
	OPTION_UI_SCRIPT,
	OPTION_LIVE,
	OPTION_DEBUG_DIR,
	OPTION_DEBUGINFOD,
	OPTION_DEMANGLE,
	OPTION_GRANULARITY,
	OPTION_INLINES,
	OPTION_MAX_OVERHEAD,
	OPTION_MAX_CPU,
	OPTION_NO_LINES,
};

static const struct option top_options[] = {
	{"pid", required_argument, NULL, 'p'},
	{"frequency", required_argument, NULL, 'F'},
	{"window", required_argument, NULL, 'w'},
	{"mode", required_argument, NULL, 'm'},
	{"children", no_argument, NULL, OPTION_CHILDREN},
	{"threads", required_argument, NULL, 't'},
	{"max-overhead", required_argument, NULL, OPTION_MAX_OVERHEAD},
	{"max-cpu", required_argument, NULL, OPTION_MAX_CPU},
	{"debug-dir", required_argument, NULL, OPTION_DEBUG_DIR},
	{"debuginfod", no_argument, NULL, OPTION_DEBUGINFOD},
	{"demangle", required_argument, NULL, OPTION_DEMANGLE},
	{"inlines", required_argument, NULL, OPTION_INLINES},
	{"stack-bytes", required_argument, NULL, OPTION_STACK_BYTES},
	{"no-syscall-restart", no_argument, NULL, OPTION_NO_SYSCALL_RESTART},
	{"granularity", required_argument, NULL, OPTION_GRANULARITY},
	{"no-mouse", no_argument, NULL, OPTION_NO_MOUSE},
	{"ascii", no_argument, NULL, OPTION_ASCII},
	{"no-color", no_argument, NULL, OPTION_NO_COLOR},
	{"ui-script", required_argument, NULL, OPTION_UI_SCRIPT},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{0},
};

static const struct option record_options[] = {
	{"pid", required_argument, NULL, 'p'},
	{"output", required_argument, NULL, 'o'},
	{"format", required_argument, NULL, 'f'},
	{"duration", required_argument, NULL, 'd'},
	{"every", required_argument, NULL, OPTION_EVERY},
	{"frequency", required_argument, NULL, 'F'},
	{"mode", required_argument, NULL, 'm'},
	{"granularity", required_argument, NULL, OPTION_GRANULARITY},
	{"children", no_argument, NULL, OPTION_CHILDREN},
	{"quiet", no_argument, NULL, 'q'},
	{"weight", required_argument, NULL, OPTION_WEIGHT},
	{"stats", required_argument, NULL, OPTION_STATS},
	{"max-overhead", required_argument, NULL, OPTION_MAX_OVERHEAD},
	{"max-cpu", required_argument, NULL, OPTION_MAX_CPU},
	{"debug-dir", required_argument, NULL, OPTION_DEBUG_DIR},
	{"debuginfod", no_argument, NULL, OPTION_DEBUGINFOD},
	{"demangle", required_argument, NULL, OPTION_DEMANGLE},
	{"inlines", required_argument, NULL, OPTION_INLINES},
	{"stack-bytes", required_argument, NULL, OPTION_STACK_BYTES},
	{"no-syscall-restart", no_argument, NULL, OPTION_NO_SYSCALL_RESTART},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{0},
};

static const struct option dump_options[] = {
	{"pid", required_argument, NULL, 'p'},
	{"live", no_argument, NULL, OPTION_LIVE},
	{"no-lines", no_argument, NULL, OPTION_NO_LINES},
	{"debug-dir", required_argument, NULL, OPTION_DEBUG_DIR},
	{"debuginfod", no_argument, NULL, OPTION_DEBUGINFOD},
	{"demangle", required_argument, NULL, OPTION_DEMANGLE},
	{"inlines", required_argument, NULL, OPTION_INLINES},
	{"stack-bytes", required_argument, NULL, OPTION_STACK_BYTES},
	{"no-syscall-restart", no_argument, NULL, OPTION_NO_SYSCALL_RESTART},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{0},
};

/* A subcommand: its name, and what getopt needs. */
static const struct syntax {
	const char *name;
	const char *letters;
	const struct option *options;
} syntaxes[] = {
	[COMMAND_TOP] =
		{
			.letters = "+:p:F:m:w:t:hV",
			.options = top_options,
		},
	[COMMAND_RECORD] =
		{
			.name = "record",
			.letters = "+:p:o:f:d:F:m:qhV",
			.options = record_options,
		},
	[COMMAND_DUMP] =
		{
			.name = "dump",
			.letters = "+:p:hV",
			.options = dump_options,
		},
	[COMMAND_DEMO] =
		{
			.name = "demo",
			.letters = "+:F:m:w:hV",
			.options = top_options,
		},
};

static bool take_option(
	struct options *options, int letter, const char *value, struct error *err)
{
	double number = 0;
	switch (letter) {
	case 'p':
		return option_pids(
			value, options->pids, OPTIONS_PIDS_MAX, &options->n_pids, err);
	case OPTION_CHILDREN:
		options->children = true;
		return true;
	case 'F':
		if (!option_number(value, "frequency", 1, MAX_HZ, true, &number, err))
			return false;
		options->frequency_hz = (unsigned)number;
		return true;
	case 'd':
		return option_number(
			value, "duration", 0.001, 1e9, false, &options->duration_s, err);
	case OPTION_EVERY:
		return option_number(
			value, "--every", 1, 1e6, false, &options->every_s, err);
	case 'w':
		return option_number(
			value, "window", 1, 86400, false, &options->window_s, err);
	case OPTION_STACK_BYTES:
		if (!option_number(value, "--stack-bytes", MIN_STACK_BYTES,
			    MAX_STACK_BYTES, true, &number, err))
			return false;
		options->stack_bytes = (size_t)number;
		return true;
	case OPTION_MAX_OVERHEAD:
		return option_budget(
			value, "--max-overhead", 99, &options->max_overhead, err);
	case OPTION_MAX_CPU:
		return option_budget(value, "--max-cpu", 10000, &options->max_cpu, err);
	case 'm':
		return option_mode(value, &options->wall, err);
	case OPTION_DEMANGLE:
		return option_style(value, &options->naming.style, err);
	case OPTION_GRANULARITY:
		return option_granularity(value, &options->naming.granularity, err);
	case OPTION_INLINES:
		return option_inlines(value, options->command == COMMAND_RECORD,
			&options->naming.fold_inlines, &options->split_inlines, err);
	case OPTION_WEIGHT:
		return option_weight(
			value, &options->weigh_cpu, &options->weigh_wall, err);
	case 'o':
		options->output = value;
		return true;
	case 'f':
		options->format = value;
		return true;
	case 't':
		options->threads = value;
		return true;
	case OPTION_DEBUG_DIR:
		options->debug_dirs = value;
		return true;
	case OPTION_DEBUGINFOD:
		options->debuginfod = true;
		return true;
	case OPTION_STATS:
		options->stats = value;
		return true;
	case OPTION_UI_SCRIPT:
		options->ui_script = value;
		return true;
	case 'q':
		options->quiet = true;
		return true;
	case OPTION_NO_SYSCALL_RESTART:
		options->no_syscall_restart = true;
		return true;
	case OPTION_NO_MOUSE:
		options->no_mouse = true;
		return true;
	case OPTION_ASCII:
		options->ascii = true;
		return true;
	case OPTION_NO_COLOR:
		options->no_color = true;
		return true;
	case OPTION_NO_LINES:
		options->no_lines = true;
		return true;
	case OPTION_LIVE:
		options->live = true;
		return true;
	case 'V':
		options->command = COMMAND_VERSION;
		return true;
	default: /* 'h' */
		options->help_on = options->command;
		options->command = COMMAND_HELP;
		return true;
	}
}

static bool bad_option(char **argv, int letter, const char *help, struct error *err)
{
	const char *given = argv[optind - 1];
	if (letter == ':')
		return error_set(err, "option '%s' needs a value (%s)", given, help);
	return error_set(err, "unknown option '%s' (%s)", given, help);
}

/* What is left after the options: a command after "--", or a process name. */
static bool take_rest(struct options *options, int argc, char **argv, struct error *err)
{
	if (optind < argc && strcmp(argv[optind - 1], "--") == 0) {
		options->launch = argv + optind;
	} else if (optind < argc) {
		if (options->command != COMMAND_TOP || optind + 1 < argc)
			return error_set(err,
				"unexpected '%s': a command to launch goes after '--'",
				argv[optind]);
		options->name = argv[optind];
	}
	if (options->n_pids && (options->launch || options->name))
		return error_set(err, "-p and a %s exclude each other",
			options->launch ? "command to launch" : "process name");
	return true;
}

static bool check_record(struct options *options, struct error *err)
{
	if (!options->n_pids && !options->launch)
		return error_set(err, "record what? Give -p PID, or a command after '--' "
				      "(cproftop record --help)");
	const struct export_format *format =
		export_format_by_name(options->format ? options->format : "pprof");
	if (!format)
		return error_set(err,
			"unknown format '%s' (see 'cproftop record --help')",
			options->format);
	if (options->every_s > 0) {
		if (!options->output || strcmp(options->output, "-") == 0)
			return error_set(err,
				"--every writes many files: say to which folder with "
				"-o DIR");
		options->format = format->name;
	}
	if (!options->output) {
		snprintf(options->default_output, sizeof(options->default_output),
			"cproftop%s", format->suffix);
		options->output = options->default_output;
	}
	if (!options->format && strcmp(options->output, "-") != 0 &&
		!export_format_by_file(options->output))
		return error_set(err,
			"the suffix of '%s' tells no format: give one with -f",
			options->output);
	return true;
}

/* Is there a target, and can what is asked for be written? */
static bool check(struct options *options, struct error *err)
{
	if (options->command == COMMAND_RECORD && !check_record(options, err))
		return false;
	if (options->command == COMMAND_DEMO && (options->n_pids || options->launch))
		return error_set(err,
			"demo brings its own process: give neither -p nor a command");
	if (options->weigh_wall && !options->wall)
		return error_set(err, "--weight wall needs -m wall");
	if (options->command == COMMAND_DUMP && !options->n_pids)
		return error_set(err, "dump what? Give -p PID (cproftop dump --help)");
	if (options->command == COMMAND_DUMP && options->n_pids > 1)
		return error_set(err, "dump looks at one process at a time");
	return true;
}

bool options_parse(struct options *options, int argc, char **argv, struct error *err)
{
	*options = (struct options){
		.frequency_hz = DEFAULT_HZ,
		.window_s = DEFAULT_WINDOW_S,
		.stack_bytes = DEFAULT_STACK_BYTES,
		.naming.style = DEMANGLE_NO_PARAMS,
		.max_overhead = DEFAULT_MAX_OVERHEAD,
		.max_cpu = DEFAULT_MAX_CPU,
	};
	for (enum command command = COMMAND_RECORD; command <= COMMAND_DEMO; command++)
		if (argc > 1 && strcmp(argv[1], syntaxes[command].name) == 0)
			options->command = command;
	const struct syntax *syntax = &syntaxes[options->command];
	if (options->command != COMMAND_TOP) {
		argc--;
		argv++;
	}
	char help[64];
	snprintf(help, sizeof(help), "see 'cproftop %s%s--help'",
		syntax->name ? syntax->name : "", syntax->name ? " " : "");
	optind = 0; /* glibc: begin anew */
	opterr = 0;
	int letter;
	while ((letter = getopt_long(
			argc, argv, syntax->letters, syntax->options, NULL)) != -1) {
		if (letter == '?' || letter == ':')
			return bad_option(argv, letter, help, err);
		if (!take_option(options, letter, optarg, err))
			return false;
		if (options->command == COMMAND_HELP ||
			options->command == COMMAND_VERSION)
			return true;
	}
	return take_rest(options, argc, argv, err) && check(options, err);
}
