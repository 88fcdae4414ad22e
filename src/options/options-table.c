/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/options/options-table.h"

#include "src/model/rewrite.h"
#include "src/options/option-values.h"

#include <stddef.h>

enum {
	HZ_MAX = 10000,
	STACK_BYTES_MIN = 1024,
	STACK_BYTES_MAX = 16 * 1024 * 1024,
	PAUSED_PERCENT_MAX = 99,
	CPU_PERCENT_MAX = 10000,
	ROWS_MAX = 1000000000,
};

/* --- options with a function of their own --------------------------------------------- */

static bool take_pids(struct options *options, const char *value, struct error *err)
{
	return option_pids(value, options->pids, OPTIONS_PIDS_MAX, &options->n_pids, err);
}

static bool take_frequency(struct options *options, const char *value, struct error *err)
{
	double hz;
	if (!option_number(value, "frequency", 1, HZ_MAX, true, &hz, err))
		return false;
	options->frequency_hz = (unsigned)hz;
	return true;
}

static bool take_duration(struct options *options, const char *value, struct error *err)
{
	return option_time(value, "duration", 0.001, 1e9, &options->duration_s, err);
}

static bool take_every(struct options *options, const char *value, struct error *err)
{
	return option_time(value, "--every", 1, 1e6, &options->every_s, err);
}

static bool take_window(struct options *options, const char *value, struct error *err)
{
	return option_time(value, "window", 1, 86400, &options->window_s, err);
}

static bool take_stack_bytes(
	struct options *options, const char *value, struct error *err)
{
	double bytes;
	if (!option_number(value, "--stack-bytes", STACK_BYTES_MIN, STACK_BYTES_MAX, true,
		    &bytes, err))
		return false;
	options->stack_bytes = (size_t)bytes;
	return true;
}

static bool take_max_overhead(
	struct options *options, const char *value, struct error *err)
{
	return option_budget(
		value, "--max-overhead", PAUSED_PERCENT_MAX, &options->max_overhead, err);
}

static bool take_max_cpu(struct options *options, const char *value, struct error *err)
{
	return option_budget(value, "--max-cpu", CPU_PERCENT_MAX, &options->max_cpu, err);
}

static bool take_trigger(struct options *options, const char *value, struct error *err)
{
	if (options->n_triggers == OPTIONS_TRIGGERS_MAX)
		return error_set(
			err, "--on: at most %d conditions", OPTIONS_TRIGGERS_MAX);
	return trigger_parse(&options->triggers[options->n_triggers++], value, err) ||
	       error_prefix(err, "--on");
}

static bool take_quota(struct options *options, const char *value, struct error *err)
{
	return trigger_quota_parse(&options->quota, value, err) ||
	       error_prefix(err, "--at-most");
}

static bool take_mode(struct options *options, const char *value, struct error *err)
{
	return option_mode(value, &options->wall, err);
}

static bool take_style(struct options *options, const char *value, struct error *err)
{
	return option_style(value, &options->naming.style, err);
}

static bool take_processes(struct options *options, const char *value, struct error *err)
{
	return option_processes(value, &options->naming.processes, err);
}

static bool take_granularity(
	struct options *options, const char *value, struct error *err)
{
	return option_granularity(value, &options->naming.granularity, err);
}

static bool take_inlines(struct options *options, const char *value, struct error *err)
{
	return option_inlines(value, options->command == COMMAND_RECORD,
		&options->naming.fold_inlines, &options->split_inlines, err);
}

static bool take_weight(struct options *options, const char *value, struct error *err)
{
	return option_weight(value, &options->weigh_cpu, &options->weigh_wall, err);
}

static bool take_order(struct options *options, const char *value, struct error *err)
{
	return option_order(value, &options->order, err);
}

static bool take_normalization(
	struct options *options, const char *value, struct error *err)
{
	return option_normalization(value, &options->normalization, err);
}

static bool take_by(struct options *options, const char *value, struct error *err)
{
	options->by = value;
	return option_by(value, err);
}

static bool take_rename(struct options *options, const char *value, struct error *err)
{
	return rewrite_append(options->naming.edits, "thread", value, err);
}

static bool take_rename_function(
	struct options *options, const char *value, struct error *err)
{
	return rewrite_append(options->naming.edits, "function", value, err);
}

static bool take_fold(struct options *options, const char *value, struct error *err)
{
	return rewrite_append(options->naming.edits, "fold", value, err);
}

static bool take_hide(struct options *options, const char *value, struct error *err)
{
	return rewrite_append(options->naming.edits, "hide", value, err);
}

static bool take_show_from(struct options *options, const char *value, struct error *err)
{
	return rewrite_append(options->naming.edits, "show-from", value, err);
}

static bool take_iterations(struct options *options, const char *value, struct error *err)
{
	double n;
	if (!option_number(value, "-n", 1, ROWS_MAX, true, &n, err))
		return false;
	options->iterations = (unsigned)n;
	return true;
}

static bool take_delay(struct options *options, const char *value, struct error *err)
{
	return option_time(value, "delay", 0.05, 86400, &options->delay_s, err);
}

static bool take_top(struct options *options, const char *value, struct error *err)
{
	double top;
	if (!option_number(value, "--top", 1, ROWS_MAX, true, &top, err))
		return false;
	options->top = (unsigned)top;
	return true;
}

static bool take_help(struct options *options, const char *value, struct error *err)
{
	(void)value;
	(void)err;
	options->help_on = options->command;
	options->command = COMMAND_HELP;
	return true;
}

static bool take_version(struct options *options, const char *value, struct error *err)
{
	(void)value;
	(void)err;
	options->command = COMMAND_VERSION;
	return true;
}

/* --- the table ------------------------------------------------------------------------ */

/* The formatter would make many lines of each row. */
/* clang-format off */
#define KEPT(field) offsetof(struct options, field)

const struct option_row option_rows[] = {
	{"pid", 'p', "PID[,PID]...", ON_TOP | ON_RECORD,
		"the process to profile, or several", .take = take_pids},
	{"pid", 'p', "PID[,PID]...", ON_REPORT,
		"sample this process instead of reading files", .take = take_pids},
	{"pid", 'p', "PID", ON_CTL,
		"of the recording; not needed if there is only one", .take = take_pids},
	{"pid", 'p', "PID", ON_DUMP,
		"the process to dump", .take = take_pids},
	{"children", 0, NULL, ON_TOP | ON_RECORD,
		"also its children, as they are created", .flag = KEPT(children)},
	{"output", 'o', "FILE", ON_RECORD,
		"the file to write (cproftop.pb.gz); - is standard output",
		.text = KEPT(output)},
	{"format", 'f', "FORMAT", ON_RECORD,
		"%s; by the suffix of FILE if absent", .text = KEPT(format)},
	{"format", 'f', "FORMAT", ON_CONVERT,
		"%s; by the suffix of OUT if absent", .text = KEPT(format)},
	{"format", 'f', "FORMAT", ON_REPORT,
		"%s (text)", .text = KEPT(format)},
	{"format", 'f', "FORMAT", ON_DIFF,
		"'text' to read, 'csv', 'json', 'folded' with two numbers, or 'svg' in red "
		"and blue; by the suffix of FILE if absent", .text = KEPT(format)},
	{"output", 'o', "FILE", ON_REPORT | ON_DIFF,
		"where to (standard output)", .text = KEPT(output)},
	{"sort", 0, "ORDER", ON_REPORT | ON_DIFF,
		"by 'self', by 'total' or by 'name' (self)", .take = take_order},
	{"top", 0, "N", ON_REPORT | ON_DIFF, "only the first N rows (all)", .take = take_top},
	{"focus", 0, "REGEX", ON_REPORT | ON_DIFF,
		"only stacks with a function that matches", .text = KEPT(focus)},
	{"ignore", 0, "REGEX", ON_REPORT | ON_DIFF,
		"only stacks without a function that matches", .text = KEPT(ignore)},
	{"normalize", 0, "HOW", ON_DIFF,
		"compare shares of the 'cpu' time (or of what the files count), shares of "
		"the 'samples', or with 'none' the values as they are (cpu)",
		.take = take_normalization},
	{"tagfocus", 0, "FILTER", ON_REPORT,
		"only samples with such a label: KEY=REGEX, REGEX, KEY=N or KEY=N:M",
		.text = KEPT(tag_focus)},
	{"tagignore", 0, "FILTER", ON_REPORT,
		"only samples without such a label", .text = KEPT(tag_ignore)},
	{"peek", 0, "REGEX", ON_REPORT,
		"functions that match, each with its callers and callees",
		.text = KEPT(peek)},
	{"tree", 0, NULL, ON_REPORT,
		"every function with its callers and callees", .flag = KEPT(tree)},
	{"callers", 0, NULL, ON_REPORT,
		"under each function who called it, and who called those",
		.flag = KEPT(callers)},
	{"by", 0, "WHAT", ON_SAMPLING,
		"processes are one by 'name', by 'command' line, each 'process' is by "
		"itself, or 'none' is told (name)",
		.take = take_processes},
	{"by", 0, "WHAT", ON_REPORT,
		"functions apart by 'thread' name, 'process', 'tag', or tag=KEY",
		.take = take_by},
	{"rename", 0, "RULE", ON_RULES,
		"s/REGEX/TEXT/: other names for threads; those of one name are one",
		.take = take_rename},
	{"rename-function", 0, "RULE", ON_RULES,
		"s/REGEX/TEXT/: other names for functions",
		.take = take_rename_function},
	{"fold", 0, "REGEX", ON_RULES,
		"functions that match become one, [REGEX]; or s/REGEX/TEXT/",
		.take = take_fold},
	{"hide", 0, "REGEX", ON_RULES,
		"leave functions that match out of every stack", .take = take_hide},
	{"show-from", 0, "REGEX", ON_RULES,
		"begin stacks with the outermost function that matches",
		.take = take_show_from},
	{"type", 0, "TYPE", ON_FILES | ON_TOP,
		"of the types of values that a file has: cpu, inuse_space (the file's own "
		"choice)", .text = KEPT(sample_type)},
	{"duration", 'd', "TIME", ON_RECORD,
		"for how long, as 300ms, 5s, 2m or 1h; without a unit in seconds (until "
		"Ctrl-C or exit)", .take = take_duration},
	{"duration", 'd', "TIME", ON_REPORT,
		"of -p: for how long (5)", .take = take_duration},
	{"within", 0, "REGEX", ON_RECORD,
		"count only samples with a function that matches on their stack",
		.text = KEPT(within)},
	{"start-paused", 0, NULL, ON_RECORD,
		"do not sample until SIGUSR1 or 'cproftop ctl start'",
		.flag = KEPT(start_paused)},
	{"every", 0, "TIME", ON_RECORD,
		"a file for each TIME, into the folder -o DIR",
		.take = take_every},
	{"on", 0, "CONDITION", ON_RECORD,
		"write nothing until this holds, and then the 30 s before: "
		"total(REGEX) > 30%, self(REGEX) > 1s, cpu > 90%, runq > 20%, "
		"blocked(REGEX) > 50%; may be given again", .take = take_trigger},
	{"snapshot", 0, "DIR", ON_RECORD,
		"of --on: the folder for its files (this one)", .text = KEPT(snapshot)},
	{"exec", 0, "CMD", ON_RECORD,
		"of --on: run CMD FILE for each file", .text = KEPT(exec)},
	{"at-most", 0, "N", ON_RECORD,
		"of --on: write at most N files, or with k, M or G so many bytes (20)",
		.take = take_quota},
	{"frequency", 'F', "HZ", ON_SAMPLING,
		"samples per second and thread, 1..10000 (99)",
		.take = take_frequency},
	{"mode", 'm', "MODE", ON_SAMPLING,
		"count 'cpu' time, or 'wall' clock of all threads, sleeping ones too",
		.take = take_mode},
	{"max-overhead", 0, "PCT", ON_SAMPLING,
		"sample less often rather than stop the process for more than PCT of "
		"its time (1); 0 or none: no limit", .take = take_max_overhead},
	{"max-cpu", 0, "PCT", ON_SAMPLING,
		"sample less often rather than use more than PCT of one CPU (10)",
		.take = take_max_cpu},
	{"window", 'w', "TIME", ON_SCREEN,
		"how far back the numbers reach (30)", .take = take_window},
	{"batch", 'b', NULL, ON_TOP,
		"print the screen again and again, without a terminal",
		.flag = KEPT(batch)},
	{"iterations", 'n', "N", ON_TOP,
		"with -b: how many times (until Ctrl-C)", .take = take_iterations},
	{"delay", 'd', "TIME", ON_TOP,
		"with -b: how long before each (3)", .take = take_delay},
	{"threads", 't', "REGEX", ON_SAMPLING,
		"only threads whose name matches", .text = KEPT(threads)},
	{"weight", 0, "WHAT", ON_RECORD,
		"folded: count 'samples', or microseconds of 'cpu' or 'wall'",
		.take = take_weight},
	{"granularity", 0, "WHAT", ON_SAMPLING | ON_REPORT | ON_DIFF,
		"what a row is: 'function', 'line', 'module' or 'address'",
		.take = take_granularity},
	{"no-times", 0, NULL, ON_RECORD | ON_CONVERT,
		"pprof: do not keep when samples were taken; smaller",
		.flag = KEPT(no_times)},
	{"quiet", 'q', NULL, ON_RECORD,
		"no progress and no summary", .flag = KEPT(quiet)},
	{"stats", 0, "FILE", ON_RECORD,
		"write what sampling cost and achieved as JSON", .text = KEPT(stats)},
	{"no-mouse", 0, NULL, ON_SCREEN | ON_DIFF,
		"leave the mouse to the terminal", .flag = KEPT(no_mouse)},
	{"ascii", 0, NULL, ON_SCREEN | ON_DIFF,
		"draw with ASCII characters only", .flag = KEPT(ascii)},
	{"no-color", 0, NULL, ON_SCREEN | ON_DIFF,
		"no colours (also: NO_COLOR)", .flag = KEPT(no_color)},
	{"ui-script", 0, "FILE", ON_SCREEN | ON_DIFF,
		"play keys from FILE without a terminal", .text = KEPT(ui_script)},
	{"live", 0, NULL, ON_DUMP,
		"stop every thread, sleeping ones too, and unwind with unmodified "
		"libunwind-ptrace", .flag = KEPT(live)},
	{"no-lines", 0, NULL, ON_DUMP,
		"no source lines and inlined functions, which is faster",
		.flag = KEPT(no_lines)},
	{"debug-dir", 0, "DIR", ON_ALL,
		"search separate debug files there, before /usr/lib/debug",
		.text = KEPT(debug_dirs)},
	{"debuginfod", 0, NULL, ON_ALL,
		"fetch missing debug files from the servers in "
		"$DEBUGINFOD_URLS", .flag = KEPT(debuginfod)},
	{"perf-map", 0, NULL, ON_TOP | ON_RECORD,
		"have Java (HotSpot, JDK 17) write the names of its code to "
		"/tmp/perf-PID.map", .flag = KEPT(perf_map)},
	{"demangle", 0, "STYLE", ON_ALL,
		"names 'full', 'no-params', 'no-templates' or 'none' (no-params)",
		.take = take_style},
	{"inlines", 0, "MODE", ON_ALL & ~ON_RECORD,
		"'show' inlined functions, or 'fold' them into their caller",
		.take = take_inlines},
	{"inlines", 0, "MODE", ON_RECORD,
		"'show' inlined functions, 'fold' them into their caller, or 'split' "
		"them, for some pprof readers", .take = take_inlines},
	{"stack-bytes", 0, "N", ON_ALL,
		"copy at most N bytes of a stack, 1024..16777216 (1048576)",
		.take = take_stack_bytes},
	{"no-syscall-restart", 0, NULL, ON_ALL,
		"never write to the target, not even to prevent an EINTR",
		.flag = KEPT(no_syscall_restart)},
	{"completion", 0, "SHELL", ON_TOP,
		"print what 'bash', 'zsh' or 'fish' needs to complete cproftop's options",
		.text = KEPT(completion)},
	{"help", 'h', NULL, ON_ALL | ON_WORDS, "print this help", .take = take_help},
	{"version", 'V', NULL, ON_ALL | ON_WORDS, "print the version",
		.take = take_version},
	{0},
};

_Static_assert(sizeof(option_rows) / sizeof(option_rows[0]) <= OPTION_ROWS_MAX + 1,
	"OPTION_ROWS_MAX is too small");
/* clang-format on */
