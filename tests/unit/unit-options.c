/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line: what is understood, and the one line said when it is not. */

#include "tests/lib/unit.h"

#include "src/run/options/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	MAX_WORDS = 32
};

/* Parse LINE, split at blanks. The words live in a buffer of the caller's. */
static bool parse(const char *line, char *buffer, size_t size, struct options *options,
	struct error *err)
{
	char *words[MAX_WORDS] = {0};
	int count = 0;
	strncpy(buffer, line, size - 1);
	buffer[size - 1] = '\0';
	for (char *word = strtok(buffer, " "); word && count < MAX_WORDS - 1;
		word = strtok(NULL, " "))
		words[count++] = word;
	static char *kept[MAX_WORDS]; /* options point into it */
	memcpy(kept, words, sizeof(kept));
	return options_parse(options, NULL, count, kept, err);
}

static void assert_refused(const char *line, const char *text)
{
	char buffer[256];
	struct options options;
	struct error err;
	assert_false(parse(line, buffer, sizeof(buffer), &options, &err));
	if (!strstr(err.text, text))
		fail_msg("'%s' said '%s', not '%s'", line, err.text, text);
	assert_null(strchr(err.text, '\n'));
}

static struct options assert_parsed(const char *line)
{
	static char buffer[256];
	struct options options;
	struct error err = {""};
	if (!parse(line, buffer, sizeof(buffer), &options, &err))
		fail_msg("'%s' was refused: %s", line, err.text);
	return options;
}

static void test_a_time_has_a_unit_or_is_in_seconds(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		double seconds;
	} times[] = {{"7", 7}, {"0.5", 0.5}, {"300ms", 0.3}, {"5s", 5}, {"2m", 120},
		{"1.5h", 5400}};
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		char line[64];
		snprintf(line, sizeof(line), "cproftop record -p 1 -d %s", times[i].text);
		assert_true(
			fabs(assert_parsed(line).duration_s - times[i].seconds) < 1e-9);
		snprintf(line, sizeof(line), "cproftop report -p 1 -d %s", times[i].text);
		assert_true(
			fabs(assert_parsed(line).duration_s - times[i].seconds) < 1e-9);
	}
	assert_true(assert_parsed("cproftop record -p 1 --every 2m -o /").every_s == 120);
	assert_true(assert_parsed("cproftop -p 1 -w 5m").window_s == 300);
	assert_true(assert_parsed("cproftop -p 1 -b -d 100ms").delay_s == 0.1);
	assert_refused("cproftop record -p 1 -d 5x", "not a time");
	assert_refused("cproftop record -p 1 -d ms", "not a time");
	assert_refused("cproftop record -p 1 -d 5sm", "not a time");
	assert_refused("cproftop record -p 1 -d nans", "not a time");
	assert_refused("cproftop record -p 1 --every 300ms -o /", "out of range");
}

static void test_a_name_may_stand_for_a_pid(void **state)
{
	(void)state;
	assert_string_equal(assert_parsed("cproftop record -d 1 nginx").name, "nginx");
	assert_string_equal(assert_parsed("cproftop dump nginx").name, "nginx");
	assert_true(assert_parsed("cproftop record nginx -d 7").duration_s == 7);
	assert_int_equal(assert_parsed("cproftop a b -w 5 c").n_files, 3);
	assert_refused("cproftop record nginx -- ls -l", "exclude each other");
	assert_refused("cproftop dump nginx postgres", "unexpected 'postgres'");
	assert_refused("cproftop record -p 1 nginx", "exclude each other");
	assert_refused("cproftop demo nginx", "unexpected 'nginx'");
}

static void test_a_command_may_follow_flags(void **state)
{
	(void)state;
	assert_int_equal(assert_parsed("cproftop --no-color demo").command, COMMAND_DEMO);
	assert_int_equal(
		assert_parsed("cproftop -q record -p 1").command, COMMAND_RECORD);
	assert_int_equal(assert_parsed("cproftop --no-color --debuginfod demo").command,
		COMMAND_DEMO);
	/* a value, and a command to launch */
	assert_int_equal(assert_parsed("cproftop -t demo -p 1").command, COMMAND_TOP);
	assert_int_equal(
		assert_parsed("cproftop --no-color -- demo").command, COMMAND_TOP);
	assert_refused("cproftop --children dump 1", "unknown option '--children'");
}

/* Who gives an option expects something of it. */
static void test_an_option_without_effect_is_refused(void **state)
{
	(void)state;
	assert_refused("cproftop record -p 1 --weight cpu", "-f folded");
	assert_refused("cproftop record -p 1 --weight cpu -o x.svg", "apply to 'svg'");
	assert_refused("cproftop record -p 1 --inlines split -f folded", "-f pprof");
	assert_refused("cproftop record -p 1 --no-times -f folded", "apply to 'folded'");
	assert_refused("cproftop convert --no-times a b.svg", "apply to 'svg'");
	assert_refused("cproftop -p 1 --type cpu", "--type is for files");
	assert_refused("cproftop -p 1 -d 3", "-d is for -b");
	assert_parsed("cproftop record -p 1 --weight cpu -f folded");
	assert_parsed("cproftop record -p 1 --weight cpu -o x.folded");
	assert_parsed("cproftop record -p 1 --inlines split");
	assert_parsed("cproftop record -p 1 --inlines fold -f folded");
	assert_parsed("cproftop record -p 1 --no-times -f json");
	assert_parsed("cproftop convert --no-times a b.speedscope.json");
	assert_parsed("cproftop convert --no-times a b.pb.gz");
	assert_string_equal(
		assert_parsed("cproftop -F 99 a.pb.gz b.pb.gz").sampling_option,
		"frequency");
	assert_null(assert_parsed("cproftop -w 5 a.pb.gz").sampling_option);
}

static void test_a_stream_needs_no_suffix(void **state)
{
	(void)state;
	assert_parsed("cproftop record -p 1 -o /dev/null");
	assert_parsed("cproftop record -p 1 -o /dev/stdout");
	assert_parsed("cproftop record -p 1 -o /dev/fd/63");
	assert_refused("cproftop record -p 1 -o /dev/shm", "tells no format");
	assert_refused("cproftop convert a /dev/stdout", "give a format with -f");
	assert_refused("cproftop record -p 1 --every 5 -o /dev/null", "-o DIR");
}

static void test_rules_are_gathered(void **state)
{
	(void)state;
	struct options o = assert_parsed(
		"cproftop record -p 1 --rename s/a/b/ --rename-function s/e/f/ "
		"--rename s/c/d/");
	assert_string_equal(
		o.naming.edits, "thread s/a/b/\nfunction s/e/f/\nthread s/c/d/");
	assert_refused("cproftop record -p 1 --rename grpc", "s/REGEX/TEXT/");
	assert_refused("cproftop dump -p 1 --rename s/a/b/", "unknown option");
}

static void test_report_takes_a_file_or_a_process(void **state)
{
	(void)state;
	struct options o = assert_parsed("cproftop report -p 7 -d 2 --peek x");
	assert_int_equal(o.n_pids, 1);
	assert_true(o.duration_s == 2);
	assert_string_equal(o.peek, "x");
	assert_refused("cproftop report", "Give FILE or -p PID");
	assert_refused("cproftop report -p 7 a", "exclude each other");
	assert_refused("cproftop report -d 7 a", "-d is for -p");
	assert_refused("cproftop report a --peek x --locks", "exclude each other");
	assert_refused("cproftop report a --peek (", "--peek");
}

static void test_batch_is_top(void **state)
{
	(void)state;
	struct options o = assert_parsed("cproftop top -b -n 3 -p 7");
	assert_int_equal(o.command, COMMAND_TOP);
	assert_true(o.batch && o.iterations == 3 && o.delay_s == 3);
	assert_int_equal(o.pids[0], 7);
	assert_refused("cproftop -b", "-b cannot ask");
	assert_refused("cproftop -n 3 -p 7", "-n is for -b");
	assert_string_equal(assert_parsed("cproftop top nginx").name, "nginx");
}

static void test_defaults(void **state)
{
	(void)state;
	struct options o = assert_parsed("cproftop");
	assert_int_equal(o.command, COMMAND_TOP);
	assert_int_equal(o.frequency_hz, 99);
	assert_true(o.window_s == 30);
	assert_int_equal(o.stack_bytes, 2097152);
	assert_int_equal(o.naming.style, DEMANGLE_NO_PARAMS);
	char buffer[64];
	struct options record;
	struct error err;
	assert_true(parse("cproftop record -p 1", buffer, sizeof(buffer), &record, &err));
	assert_string_equal(record.output, "cproftop.pb.gz");
	assert_true(record.duration_s == 0);
	assert_true(parse(
		"cproftop record -p 1 -f folded", buffer, sizeof(buffer), &record, &err));
	assert_string_equal(record.output, "cproftop.folded");
}

static void test_targets(void **state)
{
	(void)state;
	struct options o = assert_parsed("cproftop -p 42 -F 250 -w 5 -t worker");
	assert_int_equal(o.pids[0], 42);
	assert_int_equal(o.frequency_hz, 250);
	assert_string_equal(o.threads, "worker");
	o = assert_parsed("cproftop nginx");
	assert_string_equal(o.name, "nginx");
	o = assert_parsed("cproftop -F 10 -- ls -l -p 3");
	assert_null(o.name);
	assert_string_equal(o.launch[0], "ls");
	assert_string_equal(o.launch[3], "3");
	assert_null(o.launch[4]);
	assert_int_equal(o.n_pids, 0);
	o = assert_parsed("cproftop record -d 0.5 -o - -f text -q -- prog -q");
	assert_int_equal(o.command, COMMAND_RECORD);
	assert_true(o.duration_s == 0.5);
	assert_true(o.quiet);
	assert_string_equal(o.launch[1], "-q");
	o = assert_parsed("cproftop record -p 7,8 -p 9,7 --children");
	assert_int_equal(o.n_pids, 3);
	assert_int_equal(o.pids[2], 9);
	assert_true(o.children);
	o = assert_parsed("cproftop record -p 7 --every 60 -o folder");
	assert_true(o.every_s == 60);
	assert_string_equal(o.output, "folder");
	assert_string_equal(o.format, "pprof");
	o = assert_parsed(
		"cproftop record -p 7 --on cpu>90% --on self(f)>1s --exec mail");
	assert_int_equal(o.n_triggers, 2);
	assert_int_equal(o.triggers[1].kind, TRIGGER_SELF);
	assert_string_equal(o.output, ".");
	assert_string_equal(o.exec, "mail");
	assert_int_equal(o.quota.files, 20);
	o = assert_parsed("cproftop record -p 7 --on cpu>90% --at-most 1k -o d -m wall");
	assert_int_equal(o.quota.bytes, 1024);
	assert_string_equal(o.output, "d");
	o = assert_parsed("cproftop dump -p 7 --unwinder libunwind --no-syscall-restart");
	assert_int_equal(o.unwind_by, UNWIND_BY_LIBUNWIND);
	assert_true(o.no_syscall_restart && !o.no_lines);
	assert_true(assert_parsed("cproftop dump -p 7 --no-lines").no_lines);
	assert_true(assert_parsed("cproftop dump -p 7 --enable-source-maps")
			    .enable_source_maps);
	assert_refused(
		"cproftop report --enable-source-maps x.pb.gz", "--enable-source-maps");
	o = assert_parsed(
		"cproftop record -p 7 --no-syscall-restart --weight cpu -o x.folded "
		"--demangle no-templates");
	assert_true(o.no_syscall_restart && o.weigh_cpu);
	assert_int_equal(o.engine, ENGINE_PTRACE);
	assert_int_equal(
		assert_parsed("cproftop -p 7 --engine auto").engine, ENGINE_AUTO);
	assert_int_equal(o.naming.style, DEMANGLE_NO_TEMPLATES);
	assert_int_equal(o.naming.granularity, NAMING_FUNCTION);
	assert_false(o.naming.fold_inlines || o.split_inlines);
	o = assert_parsed("cproftop --granularity=module --inlines fold");
	assert_int_equal(o.naming.granularity, NAMING_MODULE);
	assert_true(o.naming.fold_inlines);
	o = assert_parsed("cproftop record -p 1 --granularity line --inlines split");
	assert_int_equal(o.naming.granularity, NAMING_LINE);
	assert_true(o.split_inlines && !o.naming.fold_inlines);
	assert_float_equal(o.max_overhead, 0.01, 1e-9);
	assert_float_equal(o.max_cpu, 0.1, 1e-9);
	o = assert_parsed("cproftop -p 7 --max-overhead 0.5 --max-cpu 150");
	assert_float_equal(o.max_overhead, 0.005, 1e-9);
	assert_float_equal(o.max_cpu, 1.5, 1e-9);
	o = assert_parsed("cproftop record -p 7 --max-overhead none --max-cpu 0");
	assert_true(o.max_overhead == 0 && o.max_cpu == 0);
}

static void test_files_are_words_with_options_between(void **state)
{
	(void)state;
	struct options o = assert_parsed("cproftop convert a.pb.gz b.pb.gz c.folded");
	assert_int_equal(o.command, COMMAND_CONVERT);
	assert_int_equal(o.n_files, 3);
	assert_string_equal(o.files[2], "c.folded");
	o = assert_parsed("cproftop convert a.pb --type cpu - -f text");
	assert_int_equal(o.n_files, 2);
	assert_string_equal(o.files[1], "-");
	assert_string_equal(o.sample_type, "cpu");
	o = assert_parsed(
		"cproftop report a.pb --sort total --top 5 --focus x --ignore y b");
	assert_int_equal(o.command, COMMAND_REPORT);
	assert_int_equal(o.n_files, 2);
	assert_int_equal(o.order, LISTING_BY_TOTAL);
	assert_int_equal(o.top, 5);
	assert_string_equal(o.focus, "x");
	assert_string_equal(o.ignore, "y");
	o = assert_parsed("cproftop a.pb b.pb");
	assert_int_equal(o.command, COMMAND_TOP);
	assert_int_equal(o.n_files, 2);
	assert_refused("cproftop report", "report what?");
	assert_refused(
		"cproftop report a --sort cpu", "none of 'self', 'total' and 'name'");
	assert_refused("cproftop report a --top 0", "out of range");
	assert_refused("cproftop report a --focus (", "--focus '(': missing closing");
	assert_string_equal(assert_parsed("cproftop report a -o x.csv").format, "csv");
	assert_string_equal(assert_parsed("cproftop report a -o x.svg").format, "svg");
	assert_refused("cproftop report a -f gif", "md, csv");
	assert_refused("cproftop report a -f svg --peek .", "have no format 'svg'");
	o = assert_parsed("cproftop diff a.pb b.pb --normalize none -f csv --sort total");
	assert_int_equal(o.command, COMMAND_DIFF);
	assert_int_equal(o.normalization, NORMALIZE_NONE);
	assert_int_equal(o.order, LISTING_BY_TOTAL);
	assert_refused("cproftop diff a.pb", "give OLD and NEW");
	assert_refused("cproftop diff a b c", "give OLD and NEW");
	assert_refused("cproftop diff a b --normalize x", "none of 'cpu', 'time' and");
	assert_refused("cproftop diff a b --ignore (", "--ignore '(': missing closing");
	assert_refused("cproftop convert a.pb", "convert what into what?");
	assert_refused("cproftop convert a.pb -", "give a format with -f");
	assert_refused("cproftop convert a.pb b.png", "tells no format");
	assert_refused("cproftop convert a.pb b -f gif", "unknown format 'gif'");
	assert_refused("cproftop convert -p 1 a.pb b.txt", "unknown option '-p'");
}

static void test_help_and_version(void **state)
{
	(void)state;
	assert_int_equal(assert_parsed("cproftop --help").command, COMMAND_HELP);
	assert_int_equal(assert_parsed("cproftop -V").command, COMMAND_VERSION);
	assert_int_equal(assert_parsed("cproftop record -h").help_on, COMMAND_RECORD);
	assert_int_equal(assert_parsed("cproftop dump --help").help_on, COMMAND_DUMP);
	assert_int_equal(
		assert_parsed("cproftop demo --version").command, COMMAND_VERSION);
}

static void test_nonsense_is_refused_in_one_line(void **state)
{
	(void)state;
	assert_refused("cproftop -p", "needs a value");
	assert_refused("cproftop -p x", "PID 'x' is not a whole number");
	assert_refused("cproftop -p 0", "out of range");
	assert_refused("cproftop -p 1,", "PID '' is not a whole number");
	assert_refused("cproftop -p 1,,2", "PID '' is not a whole number");
	assert_refused("cproftop dump -p 1,2", "one process at a time");
	assert_refused("cproftop -p 1.5", "whole number");
	assert_refused("cproftop -p 99999999999", "out of range");
	assert_refused("cproftop -F 0 -p 1", "out of range: from 1 to 10000");
	assert_refused("cproftop -F 10001 -p 1", "out of range");
	assert_refused("cproftop -F 99Hz -p 1", "is not a whole number");
	assert_refused("cproftop -F nan -p 1", "is not a whole number");
	assert_refused("cproftop -w 0", "out of range");
	assert_refused("cproftop --colour", "unknown option '--colour'");
	assert_refused("cproftop -p 1 nginx", "exclude each other");
	assert_refused("cproftop -p 1 -- ls", "exclude each other");
	assert_refused("cproftop record", "record what?");
	assert_refused("cproftop record -p 1 -f gif", "one of pprof, folded, svg");
	assert_refused("cproftop record -p 1 -o x.png", ".pb.gz, .folded, .svg");
	assert_refused("cproftop record -p 1 -d -3", "out of range");
	assert_refused("cproftop --demangle=java", "none of 'full'");
	assert_refused("cproftop --granularity=file", "none of 'function'");
	assert_refused("cproftop --inlines=split", "for record only");
	assert_refused("cproftop dump -p 1 --inlines=hide", "none of 'show'");
	assert_refused("cproftop record -p 1 --weight bytes",
		"none of 'samples', 'cpu' and 'wall'");
	assert_refused("cproftop record -p 1 --stack-bytes 10", "out of range");
	assert_refused("cproftop record -p 1 --file-memory 0", "out of range");
	assert_refused("cproftop record -p 1 --max-overhead 100", "from 0 to 99");
	assert_refused("cproftop -p 1 --max-overhead little", "is not a number");
	assert_refused("cproftop -p 1 --max-cpu -1", "out of range");
	assert_refused("cproftop dump -p 1 --max-cpu 5", "unknown option");
	assert_refused("cproftop record -p 1 --every 60", "to which folder");
	assert_refused("cproftop record -p 1 --on cpu", "--on: 'cpu' compares nothing");
	assert_refused("cproftop record -p 1 --on cpu>9% -o -", "-o DIR");
	assert_refused(
		"cproftop record -p 1 --on cpu>9% --every 5 -o x", "exclude each other");
	assert_refused(
		"cproftop record -p 1 --on cpu>9% --every 5", "exclude each other");
	assert_refused("cproftop record -p 1 --on blocked(f)>9%", "needs -m wall");
	assert_refused(
		"cproftop record -p 1 --on cpu>9% --at-most 3T", "--at-most: '3T'");
	assert_refused("cproftop record -p 1 --exec x", "are for --on");
	assert_refused("cproftop record -p 1 --exec x", "are for --on");
	assert_refused("cproftop record -p 1 --every 60 -o -", "to which folder");
	assert_refused("cproftop record -p 1 --every 0.5 -o x", "out of range");
	assert_refused("cproftop dump", "dump what?");
	assert_refused("cproftop demo -p 1", "unknown option '-p'");
	assert_refused("cproftop demo -- ls", "brings its own process");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_time_has_a_unit_or_is_in_seconds),
		cmocka_unit_test(test_a_name_may_stand_for_a_pid),
		cmocka_unit_test(test_a_command_may_follow_flags),
		cmocka_unit_test(test_an_option_without_effect_is_refused),
		cmocka_unit_test(test_a_stream_needs_no_suffix),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_rules_are_gathered),
		cmocka_unit_test(test_report_takes_a_file_or_a_process),
		cmocka_unit_test(test_batch_is_top),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_files_are_words_with_options_between),
		cmocka_unit_test(test_help_and_version),
		cmocka_unit_test(test_nonsense_is_refused_in_one_line),
	};
	return unit_run(tests);
}
