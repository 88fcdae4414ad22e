/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings file as options: which lines hold, what the command line changes, and who heeds
   it. */
#include "tests/lib/unit.h"

#include "src/run/options/options-settings.h"
#include "src/run/options/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static char *fake_getenv(const char *name)
{
	return strcmp(name, "XDG_CONFIG_HOME") == 0 ? folder : NULL;
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/cproftop-settings-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static char complaints[1024];

static void complain(const char *text)
{
	strncat(complaints, text, sizeof(complaints) - strlen(complaints) - 2);
	strcat(complaints, "\n");
}

static struct settings settings;

/* Parse the words of LINE where the settings file has TEXT. */
static struct options options_of(const char *text, const char *line)
{
	static char words[256];
	static char *argv[16];
	struct options options;
	struct error err = {""};
	int argc = 0;
	char path[128];

	complaints[0] = '\0';
	snprintf(path, sizeof(path), "%s/cproftop", folder);
	mkdir(path, 0700);
	settings_init(&settings, fake_getenv, complain);
	write_text(settings.place.path, text);
	snprintf(words, sizeof(words), "%s", line);
	memset(argv, 0, sizeof(argv));
	for (char *word = strtok(words, " "); word && argc < 15; word = strtok(NULL, " "))
		argv[argc++] = word;
	if (!options_parse(&options, &settings.rc, argc, argv, &err))
		fail_msg("%s: %s", line, err.text);
	settings_for(&settings, &options);
	return options;
}

static void test_settings_are_options(void **state)
{
	struct options options;

	(void)state;
	options = options_of(
		"mode = wall\nwindow = 2m\ncolumns = self%\nview = flame\nascii = yes\n"
		"no-mouse = no\nrename = s/^std//\npools = yes\nroot-at-bottom = yes\n"
		"hide-below = 0.5\ndemangle = full\nby = process\nfrequency = 49\n",
		"cproftop -p 1");
	assert_true(options.wall && options.ascii && options.pools && options.flipped);
	assert_false(options.no_mouse);
	assert_true(options.window_s == 120 && options.min_share == 0.005);
	assert_int_equal(options.hidden_columns & 3, 2);
	assert_string_equal(options.view, "flame");
	assert_string_equal(options.naming.edits, "thread s/^std//");
	assert_int_equal(options.naming.style, DEMANGLE_FULL);
	assert_int_equal(options.frequency_hz, 49);
	assert_string_equal(complaints, "");
	assert_ptr_equal(options.settings, &settings.place);
	settings_finish(&settings);
}

static void test_the_command_line_goes_first(void **state)
{
	static const char text[] =
		"mode = wall\nwindow = all\nascii = yes\nrename = s/a/b/\n";
	struct options options;

	(void)state;
	options = options_of(text, "cproftop -m cpu -w 10 --rename s/c/d/ -p 1");
	assert_false(options.wall);
	assert_true(options.ascii && options.window_s == 10);
	assert_string_equal(options.naming.edits, "thread s/a/b/\nthread s/c/d/");
	settings_finish(&settings);
	options = options_of(text, "cproftop -p 1");
	assert_true(options.wall && options.window_s == 0);
	settings_finish(&settings);
	options = options_of(text, "cproftop --no-rc -p 1");
	assert_false(options.wall || options.ascii);
	assert_null(options.settings); /* nor are they written */
	settings_finish(&settings);
	options = options_of(text, "cproftop -- prog --no-rc");
	assert_true(options.wall);
	settings_finish(&settings);
}

static void test_a_bad_line_is_told_and_skipped(void **state)
{
	struct options options;

	(void)state;
	options = options_of("windw = 5s\nmode wall\nwindow = soon\npid = 1\n"
			     "rename = s/(/x/\nascii = maybe\nmode = wall\n",
		"cproftop -p 1");
	assert_true(options.wall);
	assert_true(options.window_s == 30);
	assert_false(options.ascii);
	assert_string_equal(options.naming.edits, "");
	assert_non_null(strstr(complaints, "rc:1: there is no setting 'windw'; the line "
					   "is skipped\n"));
	assert_non_null(strstr(complaints, "rc:2: this is not NAME = VALUE;"));
	assert_non_null(strstr(complaints, "rc:3: window 'soon'"));
	assert_non_null(strstr(complaints, "rc:4: there is no setting 'pid'"));
	assert_non_null(strstr(complaints, "rc:5: "));
	assert_non_null(strstr(complaints, "rc:6: ascii 'maybe' is neither 'yes' nor"));
	assert_null(strstr(complaints, "rc:7"));
	assert_non_null(strstr(options.notice, "rc:1: there is no setting"));
	settings_finish(&settings);
}

/* What writes files does what its command line says, on every machine. */
static void test_recordings_heed_no_settings(void **state)
{
	static const char *const lines[] = {"cproftop record -p 1",
		"cproftop report x.pb.gz", "cproftop convert a b.svg",
		"cproftop dump -p 1"};
	struct options options;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		options =
			options_of("mode = wall\nrename = s/a/b/\nnonsense\n", lines[i]);
		assert_false(options.wall);
		assert_string_equal(options.naming.edits, "");
		assert_string_equal(complaints, "");
		settings_finish(&settings);
	}
	options = options_of("ascii = yes\ngranularity = line\n", "cproftop diff a b");
	assert_true(options.ascii);
	assert_int_equal(options.naming.granularity, NAMING_FUNCTION);
	settings_finish(&settings);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_settings_are_options),
		IN_FOLDER(test_the_command_line_goes_first),
		IN_FOLDER(test_a_bad_line_is_told_and_skipped),
		IN_FOLDER(test_recordings_heed_no_settings),
	};
	return unit_run(tests);
}
