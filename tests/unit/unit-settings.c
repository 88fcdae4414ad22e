/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings file: what is read and what is kept of it, and where it is. */
#include "tests/lib/unit.h"

#include "src/base/settings/choices.h"
#include "src/base/settings/rc-file.h"
#include "src/base/settings/rc-place.h"
#include "ui/view/view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- the text ------------------------------------------------------------------------- */

/* Of the last line of that name, which is the one that holds; NULL: there is none. */
static const char *value_of(const struct rc_file *file, const char *name)
{
	const char *value = NULL;
	vec_each (&file->lines, line)
		if (line->name && strcmp(line->name, name) == 0)
			value = line->value;
	return value;
}

static void parse(struct rc_file *file, const char *text)
{
	*file = (struct rc_file){0};
	rc_file_parse(file, text, strlen(text));
}

static void assert_text(const struct rc_file *file, const char *expected)
{
	char *text = rc_file_text(file);
	assert_string_equal(text, expected);
	free(text);
}

static void test_a_line_is_name_and_value(void **state)
{
	struct rc_file file;

	(void)state;
	parse(&file,
		"mode=wall\n\t window =  30s \t\nhide = ^a #b = c$\nby =\nmode = cpu");
	assert_string_equal(value_of(&file, "mode"), "cpu"); /* the last one */
	assert_string_equal(value_of(&file, "window"), "30s");
	assert_string_equal(value_of(&file, "hide"), "^a #b = c$");
	assert_string_equal(value_of(&file, "by"), "");
	assert_null(value_of(&file, "columns"));
	rc_file_finish(&file);
}

static void test_other_lines_are_comments_or_bad(void **state)
{
	static const struct {
		const char *text;
		bool is_bad;
	} lines[] = {{"", false}, {"  \t", false}, {"# mode = wall", false},
		{"  # x", false}, {"mode", true}, {"= wall", true},
		{"mode = \033[2J", true}, {"mode = \xff", true}};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct rc_file file;
		parse(&file, lines[i].text);
		if (lines[i].text[0]) {
			assert_int_equal(file.lines.len, 1);
			assert_int_equal(file.lines.data[0].is_bad, lines[i].is_bad);
			assert_null(file.lines.data[0].name);
		}
		rc_file_finish(&file);
	}
}

static void test_a_change_leaves_the_rest_as_it_was(void **state)
{
	static const char before[] = "# mine\nmode = wall\n\nnonsense\n  window=5s # x\n"
				     "fold = a\nby = name\nfold = b\n";
	const char *one[] = {"cpu"}, *two[] = {"c", "d"}, *new[] = {"no"};
	struct rc_file file;

	(void)state;
	parse(&file, before);
	assert_text(&file, before);
	rc_file_set(&file, "mode", one, 1);
	rc_file_set(&file, "fold", two, 2);
	rc_file_set(&file, "ascii", new, 1);
	assert_text(&file, "# mine\nmode = cpu\n\nnonsense\n  window=5s # x\n"
			   "fold = c\nfold = d\nby = name\nascii = no\n");
	rc_file_set(&file, "fold", NULL, 0);
	assert_text(&file, "# mine\nmode = cpu\n\nnonsense\n  window=5s # x\nby = name\n"
			   "ascii = no\n");
	rc_file_finish(&file);
}

static void test_columns_have_names(void **state)
{
	unsigned hidden = 99;
	struct error err;
	char text[128];

	(void)state;
	assert_true(choices_columns("all", &hidden, &err));
	assert_int_equal(hidden, 0);
	assert_true(choices_columns("self%, bar module", &hidden, &err));
	assert_int_equal(hidden, 1u << CHOICE_TOTAL_SHARE | 1u << CHOICE_SELF_TIME |
					 1u << CHOICE_TOTAL_TIME | 1u << CHOICE_SAMPLES);
	choices_write_columns(hidden, text, sizeof(text));
	assert_string_equal(text, "self%,bar,module");
	choices_write_columns(0, text, sizeof(text));
	assert_string_equal(text, "all");
	assert_false(choices_columns("self%,wide", &hidden, &err));
	assert_non_null(strstr(err.text, "there is no column 'wide': there are self%,"));
}

static void test_the_views_are_those_of_the_screen(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; view_choices[i] && view_list[i]; i++)
		assert_string_equal(view_choices[i], view_list[i]->name);
	assert_null(view_choices[i]);
	assert_null(view_list[i]);
}

/* --- the place ------------------------------------------------------------------------ */

static char folder[64];
static const char *config_home, *home;

static char *fake_getenv(const char *name)
{
	return (char *)(strcmp(name, "HOME") == 0	       ? home
			: strcmp(name, "XDG_CONFIG_HOME") == 0 ? config_home
							       : NULL);
}

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/cproftop-settings-XXXXXX");
	home = config_home = NULL;
	unsetenv("SUDO_UID");
	return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command);
}

static void find(struct rc_place *place, const char *expected)
{
	rc_place_find(place, fake_getenv);
	if (expected)
		assert_string_equal(place->path, expected);
	else
		assert_null(place->path);
}

static void test_it_is_in_the_folder_for_settings(void **state)
{
	struct rc_place place;

	(void)state;
	home = "/home/ada";
	find(&place, "/home/ada/.config/cproftop/rc");
	rc_place_finish(&place);
	config_home = "relative"; /* is ignored, says the specification */
	find(&place, "/home/ada/.config/cproftop/rc");
	rc_place_finish(&place);
	config_home = "/srv/ada";
	find(&place, "/srv/ada/cproftop/rc");
	rc_place_finish(&place);
	home = config_home = NULL;
	find(&place, NULL);
}

static void write_text(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	assert_int_equal(fclose(file), 0);
}

static void test_it_is_written_with_its_folders(void **state)
{
	const char *value[] = {"wall"};
	struct rc_place place;
	struct rc_file file = {0}, again = {0};
	struct error err = {""};
	struct stat status;

	(void)state;
	config_home = NULL;
	home = folder;
	rc_place_find(&place, fake_getenv);
	assert_true(rc_place_read(&place, &file, &err)); /* there is none */
	assert_int_equal(file.lines.len, 0);
	rc_file_set(&file, "mode", value, 1);
	if (!rc_place_write(&place, &file, &err))
		fail_msg("%s", err.text);
	assert_true(rc_place_read(&place, &again, &err));
	assert_string_equal(value_of(&again, "mode"), "wall");
	assert_int_equal(stat(place.path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	rc_file_finish(&file);
	rc_file_finish(&again);
	rc_place_finish(&place);
}

/* As it is with settings under version control. */
static void test_a_link_stays_a_link(void **state)
{
	char path[128], real[128];
	const char *value[] = {"wall"};
	struct rc_place place;
	struct rc_file file = {0};
	struct error err = {""};
	struct stat status;

	(void)state;
	config_home = folder;
	rc_place_find(&place, fake_getenv);
	snprintf(path, sizeof(path), "%s/cproftop", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(real, sizeof(real), "%s/mine", folder);
	write_text(real, "# mine\n");
	assert_int_equal(symlink("../mine", place.path), 0);
	assert_true(rc_place_read(&place, &file, &err));
	rc_file_set(&file, "mode", value, 1);
	if (!rc_place_write(&place, &file, &err))
		fail_msg("%s", err.text);
	assert_int_equal(lstat(place.path, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	rc_file_finish(&file);
	file = (struct rc_file){0};
	assert_true(rc_place_read(&place, &file, &err));
	assert_text(&file, "# mine\nmode = wall\n");
	rc_file_finish(&file);
	rc_place_finish(&place);
}

static void test_what_is_no_file_is_not_read(void **state)
{
	char path[128];
	struct rc_place place;
	struct rc_file file = {0};
	struct error err;

	(void)state;
	config_home = folder;
	rc_place_find(&place, fake_getenv);
	snprintf(path, sizeof(path), "%s/cproftop", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(mkfifo(place.path, 0600), 0); /* would wait for ever */
	assert_false(rc_place_read(&place, &file, &err));
	assert_non_null(strstr(err.text, "is not a file"));
	assert_int_equal(unlink(place.path), 0);
	write_text(place.path, "");
	assert_int_equal(truncate(place.path, RC_BYTES_MAX + 1), 0);
	assert_false(rc_place_read(&place, &file, &err));
	assert_non_null(strstr(err.text, "more than 65536 bytes"));
	rc_place_finish(&place);
}

/* Root by sudo, with the HOME of the one who called it. */
static void test_root_writes_to_no_other_home(void **state)
{
	struct rc_place place;
	struct rc_file file = {0};
	struct error err;

	(void)state;
	if (geteuid() != 0)
		skip();
	config_home = NULL;
	home = folder;
	assert_int_equal(chown(folder, 12345, 12345), 0);
	rc_place_find(&place, fake_getenv);
	assert_false(rc_place_write(&place, &file, &err));
	assert_non_null(strstr(err.text, "belongs to user 12345, not to this one (0); "
					 "sudo -H takes root's home"));
	rc_place_finish(&place);

	/* Whose file is read: that of the one who called sudo. */
	config_home = folder;
	char path[128];
	snprintf(path, sizeof(path), "%s/cproftop", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	rc_place_find(&place, fake_getenv);
	write_text(place.path, "mode = wall\n");
	assert_int_equal(chown(place.path, 12345, 12345), 0);
	assert_false(rc_place_read(&place, &file, &err));
	assert_non_null(strstr(err.text, "belongs to user 12345"));
	setenv("SUDO_UID", "12345", 1);
	assert_true(rc_place_read(&place, &file, &err));
	assert_string_equal(value_of(&file, "mode"), "wall");
	rc_file_finish(&file);
	rc_place_finish(&place);
	unsetenv("SUDO_UID");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_is_name_and_value),
		cmocka_unit_test(test_other_lines_are_comments_or_bad),
		cmocka_unit_test(test_a_change_leaves_the_rest_as_it_was),
		cmocka_unit_test(test_columns_have_names),
		cmocka_unit_test(test_the_views_are_those_of_the_screen),
		cmocka_unit_test(test_it_is_in_the_folder_for_settings),
		IN_FOLDER(test_it_is_written_with_its_folders),
		IN_FOLDER(test_a_link_stays_a_link),
		IN_FOLDER(test_what_is_no_file_is_not_read),
		IN_FOLDER(test_root_writes_to_no_other_home),
	};
	return unit_run(tests);
}
