/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source files: where they are looked for, and what is never opened or shown. */
#include "tests/lib/unit.h"

#include "src/base/clock.h"
#include "src/read/sources/source-file.h"
#include "src/read/sources/source-open.h"
#include "src/read/sources/source-places.h"
#include "src/read/sources/source-reader.h"
#include "src/read/sources/source-rights.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LENGTH(array) (sizeof(array) / sizeof(*(array)))

static char folder[64];

static const char *in_folder(const char *name)
{
	static char path[4][256];
	static unsigned turn;
	char *to = path[turn++ % 4];
	snprintf(to, sizeof(path[0]), "%s/%s", folder, name);
	return to;
}

static void write_file(const char *name, const char *bytes, size_t size)
{
	FILE *out = fopen(in_folder(name), "we");
	assert_non_null(out);
	assert_int_equal(fwrite(bytes, 1, size, out), size);
	assert_int_equal(fclose(out), 0);
}

/* --- places --------------------------------------------------------------------------- */

static void assert_places(const struct source_rules *rules, const char *path,
	const char *const *expected, size_t n)
{
	struct source_places places = {0};
	source_places_find(&places, rules, path);
	for (size_t i = 0; i < n && i < places.list.len; i++) {
		char *found = source_place_path(&places.list.data[i]);
		assert_string_equal(found, expected[i]);
		free(found);
	}
	assert_int_equal(places.list.len, n);
	source_places_finish(&places);
}

static void test_substitutions_come_first_then_folders_then_the_path(void **state)
{
	static const char *const maps[] = {
		"/build=/home/me/src", "/bu=/wrong", "/=/root"};
	static const char *const expected[] = {
		"/home/me/src/app/a.c",
		"/root/build/app/a.c",
		"/x/build/app/a.c",
		"/x/app/a.c",
		"/x/a.c",
		"y/build/app/a.c",
		"y/app/a.c",
		"y/a.c",
		"/build/app/a.c",
	};
	(void)state;
	const struct source_rules rules = {"/x/:y", maps, LENGTH(maps)};
	assert_places(&rules, "/build/app/a.c", expected, LENGTH(expected));
}

static void test_dots_do_not_lead_out_of_a_folder(void **state)
{
	static const char *const expected[] = {
		"/x/etc/shadow", "/x/shadow", "/a/../../../etc/./shadow"};
	(void)state;
	const struct source_rules rules = {.dirs = "/x"};
	assert_places(&rules, "/a/../../../etc/./shadow", expected, LENGTH(expected));
	assert_places(&rules, "", NULL, 0);
}

static void test_a_map_needs_both_sides(void **state)
{
	(void)state;
	assert_true(source_map_is_valid("/a=/b"));
	assert_false(source_map_is_valid("/a"));
	assert_false(source_map_is_valid("=/b"));
	assert_false(source_map_is_valid("/a="));
}

/* --- what is opened ------------------------------------------------------------------- */

static const struct source_person self = {.is_privileged = false};

static int open_path(const char *path)
{
	const struct source_place place = {NULL, (char *)(uintptr_t)path};
	int fd = source_open(&place, &self);
	return fd < 0 ? -errno : fd;
}

static void test_only_regular_files_are_opened(void **state)
{
	(void)state;
	write_file("plain.c", "int x;\n", 7);
	assert_int_equal(mkfifo(in_folder("fifo.c"), 0600), 0);
	assert_int_equal(symlink("plain.c", in_folder("link.c")), 0);
	assert_int_equal(symlink("fifo.c", in_folder("trap.c")), 0);
	/* a FIFO without a writer would be waited for */
	assert_int_equal(open_path(in_folder("fifo.c")), -EINVAL);
	assert_int_equal(open_path(in_folder("trap.c")), -EINVAL);
	assert_int_equal(open_path("/dev/null"), -EINVAL);
	assert_int_equal(open_path(folder), -EINVAL);
	assert_int_equal(open_path(in_folder("none.c")), -ENOENT);
	int fd = open_path(in_folder("link.c"));
	assert_true(fd >= 0);
	assert_true(fcntl(fd, F_GETFL) & O_NONBLOCK);
	close(fd);
}

static void test_links_of_proc_are_not_followed(void **state)
{
	char link[64];
	(void)state;
	write_file("open.c", "int x;\n", 7);
	int fd = open(in_folder("open.c"), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	assert_int_equal(open_path(link), -ELOOP);
	close(fd);
}

/* --- what is shown -------------------------------------------------------------------- */

static struct source_file *read_named(const char *name, struct error *err)
{
	int fd = open(in_folder(name), O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	struct source_file *file = source_file_read(fd, in_folder(name), err);
	close(fd);
	return file;
}

static void assert_refused(const char *name, const char *why)
{
	struct error err;
	assert_null(read_named(name, &err));
	assert_string_equal(err.text, why);
}

static void test_what_is_no_source_is_refused(void **state)
{
	struct error err;
	(void)state;
	write_file("binary.c", "a\0b", 3);
	assert_refused("binary.c", "not a text");
	write_file("empty.c", "", 0);
	assert_refused("empty.c", "empty");
	write_file("large.c", "x", 1);
	assert_int_equal(truncate(in_folder("large.c"), SOURCE_FILE_MAX_BYTES + 1), 0);
	assert_refused("large.c", "larger than 10 MB");
	/* of /proc, where every file says that it is empty */
	int fd = open("/proc/self/environ", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_null(source_file_read(fd, "/proc/self/environ", &err));
	assert_string_equal(err.text, "empty");
	close(fd);
}

static void test_lines_are_cleaned(void **state)
{
	static const char text[] =
		"\tint x;\r\na\tb\n\x1b[31mred\n\xc3\xa9\t|\n\xff!\n\nend";
	struct error err;
	(void)state;
	write_file("odd.c", text, sizeof(text) - 1);
	struct source_file *file = read_named("odd.c", &err);
	assert_non_null(file);
	static const char *const lines[] = {"        int x;", "a       b", "\\x1b[31mred",
		"\xc3\xa9       |", "\\xff!", "", "end"};
	assert_int_equal(source_file_lines(file), LENGTH(lines));
	for (uint32_t i = 0; i < LENGTH(lines); i++)
		assert_string_equal(source_file_line(file, i + 1)->text, lines[i]);
	assert_null(source_file_line(file, 0));
	assert_null(source_file_line(file, LENGTH(lines) + 1));
	source_file_unref(file);
}

static void test_long_lines_are_cut(void **state)
{
	struct error err;
	char *text = malloc(100000);
	(void)state;
	memset(text, '\t', 100000);
	write_file("long.js", text, 100000);
	free(text);
	struct source_file *file = read_named("long.js", &err);
	assert_non_null(file);
	assert_int_equal(source_file_lines(file), 1);
	assert_true(strlen(source_file_line(file, 1)->text) < SOURCE_LINE_MAX);
	source_file_unref(file);
}

/* --- rights --------------------------------------------------------------------------- */

static const char *const *environment; /* pairs; ends with NULL */

static char *read_pair(const char *name)
{
	for (size_t i = 0; environment[i]; i += 2)
		if (strcmp(environment[i], name) == 0)
			return (char *)(uintptr_t)environment[i + 1];
	return NULL;
}

static struct source_person person_with(uid_t euid, const char *const *pairs)
{
	environment = pairs;
	return source_rights_person(euid, read_pair);
}

static void test_who_started_us(void **state)
{
	(void)state;
	struct source_person person = person_with(
		0, (const char *[]){"SUDO_UID", "1000", "SUDO_GID", "100", NULL});
	assert_true(person.is_privileged);
	assert_int_equal(person.uid, 1000);
	assert_int_equal(person.gid, 100);
	person = person_with(0, (const char *[]){NULL});
	assert_int_equal(person.uid, 65534);
	person = person_with(0, (const char *[]){"SUDO_UID", "0", NULL});
	assert_int_equal(person.uid, 65534);
	person = person_with(0, (const char *[]){"SUDO_UID", "-1", NULL});
	assert_int_equal(person.uid, 65534);
	person = person_with(
		0, (const char *[]){"PKEXEC_UID", "7", "SUDO_UID", "x", NULL});
	assert_int_equal(person.uid, 7);
	person = person_with(1000, (const char *[]){"SUDO_UID", "5", NULL});
	assert_false(person.is_privileged);
}

struct answer {
	enum source_state state;
	const struct source_file *file;
	char why[SOURCE_WHY_MAX];
};

static void ask(const struct source_rules *rules, const struct source_person *person,
	const char *path, struct answer *answer)
{
	struct source_reader *reader = source_reader_create(rules, person, NULL);
	source_reader_ask(reader, path, "", &answer->file, answer->why);
	source_reader_wait(reader, 60 * NS_PER_SEC);
	answer->state = source_reader_ask(reader, path, "", &answer->file, answer->why);
	source_reader_destroy(reader);
}

static void test_a_file_is_found_or_told_where_it_is_not(void **state)
{
	struct answer answer;
	char expected[256], path[256];
	(void)state;
	write_file("found.c", "int x;\n", 7);
	const struct source_rules rules = {.dirs = folder};
	ask(&rules, &self, "/build/found.c", &answer);
	assert_int_equal(answer.state, SOURCE_FOUND);
	snprintf(path, sizeof(path), "%s", in_folder("found.c"));
	assert_string_equal(source_file_path(answer.file), path);
	source_file_unref(answer.file);

	ask(&rules, &self, "/b/none.c", &answer);
	assert_int_equal(answer.state, SOURCE_MISSING);
	snprintf(expected, sizeof(expected),
		"%s/b/none.c: not there\n%s/none.c: not there\n/b/none.c: not there",
		folder, folder);
	assert_string_equal(answer.why, expected);
}

/* Somebody reads why it is missing, and puts it there. */
static void test_a_missing_file_is_looked_for_again(void **state)
{
	const struct source_rules rules = {.dirs = folder};
	struct answer answer;
	struct source_reader *reader = source_reader_create(&rules, &self, NULL);
	(void)state;
	source_reader_ask(reader, "/b/late.c", "", &answer.file, answer.why);
	source_reader_wait(reader, 60 * NS_PER_SEC);
	answer.state =
		source_reader_ask(reader, "/b/late.c", "", &answer.file, answer.why);
	assert_int_equal(answer.state, SOURCE_MISSING);
	write_file("late.c", "int x;\n", 7);
	for (int i = 0; i < 600 && answer.state == SOURCE_MISSING; i++) {
		usleep(100 * 1000);
		answer.state = source_reader_ask(
			reader, "/b/late.c", "", &answer.file, answer.why);
	}
	assert_int_equal(answer.state, SOURCE_FOUND);
	source_file_unref(answer.file);
	source_reader_destroy(reader);
}

/* Debugging information that names a file of root's. */
static void test_root_shows_only_what_everybody_may_read(void **state)
{
	const struct source_person nobody = {true, 65534, 65534};
	const struct source_rules rules = {0}, with_folder = {.dirs = folder};
	struct answer answer;
	(void)state;
	if (geteuid() != 0)
		skip();
	write_file("secret.c", "secret\n", 7);
	assert_int_equal(chmod(in_folder("secret.c"), 0600), 0);
	assert_int_equal(chmod(folder, 0755), 0);
	char path[256];
	snprintf(path, sizeof(path), "%s", in_folder("secret.c"));
	ask(&rules, &nobody, path, &answer);
	assert_int_equal(answer.state, SOURCE_MISSING);
	assert_non_null(strstr(answer.why, "Permission denied"));
	/* but what the person named, and not what a link there leads to */
	ask(&with_folder, &nobody, "/build/secret.c", &answer);
	assert_int_equal(answer.state, SOURCE_FOUND);
	source_file_unref(answer.file);
	assert_int_equal(symlink("/etc/shadow", in_folder("leak.c")), 0);
	ask(&with_folder, &nobody, "/build/leak.c", &answer);
	assert_int_equal(answer.state, SOURCE_MISSING);
	/* and this thread has kept its rights */
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	close(fd);
}

int main(void)
{
	snprintf(folder, sizeof(folder), "/tmp/unit-sourcefile.%d", (int)getpid());
	if (mkdir(folder, 0700) != 0)
		return 99;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			test_substitutions_come_first_then_folders_then_the_path),
		cmocka_unit_test(test_dots_do_not_lead_out_of_a_folder),
		cmocka_unit_test(test_a_map_needs_both_sides),
		cmocka_unit_test(test_only_regular_files_are_opened),
		cmocka_unit_test(test_links_of_proc_are_not_followed),
		cmocka_unit_test(test_what_is_no_source_is_refused),
		cmocka_unit_test(test_lines_are_cleaned),
		cmocka_unit_test(test_long_lines_are_cut),
		cmocka_unit_test(test_who_started_us),
		cmocka_unit_test(test_a_file_is_found_or_told_where_it_is_not),
		cmocka_unit_test(test_a_missing_file_is_looked_for_again),
		cmocka_unit_test(test_root_shows_only_what_everybody_may_read),
	};
	int failed = unit_run(tests);
	char remove[128];
	snprintf(remove, sizeof(remove), "rm -r %s", folder);
	return system(remove) ? 99 : failed;
}
