/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file appears whole or not at all, a stream is written as it is, and nothing else is
   ever written to. */

#include "tests/lib/unit.h"

#include "src/base/output-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Every test gets an empty folder and is in it. */
static int enter_folder(void **state)
{
	char *folder = strdup("/tmp/cproftop-output-XXXXXX");
	*state = folder;
	return folder && mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int leave_folder(void **state)
{
	char *folder = *state;
	DIR *dir = opendir(".");
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (unlink(entry->d_name) != 0)
			rmdir(entry->d_name);
	if (dir)
		closedir(dir);
	int status = chdir("/") == 0 ? rmdir(folder) : -1;
	free(folder);
	return status;
}

static void assert_content(const char *path, const char *expected)
{
	char content[64];
	FILE *file = fopen(path, "r");
	assert_non_null(file);
	size_t length = fread(content, 1, sizeof(content) - 1, file);
	content[length] = '\0';
	fclose(file);
	assert_string_equal(content, expected);
}

static void assert_entries(size_t expected)
{
	size_t entries = 0;
	DIR *dir = opendir(".");
	for (struct dirent *entry; (entry = readdir(dir));)
		entries += strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
	closedir(dir);
	assert_int_equal(entries, expected);
}

static void make_file(const char *path, const char *content)
{
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fputs(content, file);
	assert_int_equal(fclose(file), 0);
}

/* Both the check and the write must refuse, in one line that names the path. */
static void assert_refused(const char *path, const char *reason)
{
	struct error err = {""};
	assert_false(output_file_check(path, &err));
	assert_non_null(strstr(err.text, reason));
	assert_ptr_equal(strstr(err.text, path), err.text);
	assert_null(strchr(err.text, '\n'));
	err.text[0] = '\0';
	assert_false(output_file_write(path, "new", 3, &err));
	assert_non_null(strstr(err.text, reason));
}

static void test_a_new_file_is_whole_and_private(void **state)
{
	(void)state;
	struct error err = {""};
	struct stat status;
	mode_t old = umask(0);
	assert_true(output_file_check("new", &err));
	assert_entries(0);
	assert_true(output_file_write("./new", "hello", 5, &err));
	umask(old);
	assert_content("new", "hello");
	assert_int_equal(stat("new", &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_entries(1);
	assert_true(output_file_write("empty", "", 0, &err));
	assert_content("empty", "");
}

static void test_an_old_file_is_replaced_not_rewritten(void **state)
{
	(void)state;
	struct error err = {""};
	make_file("old", "before");
	assert_int_equal(link("old", "other name"), 0);
	assert_true(output_file_check("old", &err));
	assert_content("old", "before");
	assert_true(output_file_write("old", "after", 5, &err));
	assert_content("old", "after");
	assert_content("other name", "before");
	assert_entries(2);
}

static void test_only_a_regular_file_is_replaced(void **state)
{
	const char *folder = *state;
	make_file("victim", "untouched");
	assert_int_equal(symlink("victim", "link"), 0);
	assert_int_equal(symlink("nowhere", "dangling"), 0);
	assert_int_equal(mkdir("sub", 0700), 0);
	assert_refused("link", "symbolic link");
	assert_refused("dangling", "symbolic link");
	assert_refused("sub", "folder");
	assert_refused("sub/", "folder");
	assert_refused(folder, "folder");
	assert_refused("/", "folder");
	assert_refused("", "empty");
	assert_refused("missing/file", "No such file or directory");
	assert_refused("victim/file", "Not a directory");
	assert_content("victim", "untouched");
	assert_int_equal(access("nowhere", F_OK), -1);
	assert_entries(4);
}

/* What a stream is stays what it is, and gets the bytes. */
static void test_a_stream_is_written_as_it_is(void **state)
{
	(void)state;
	struct error err = {""};
	struct stat status;
	char got[16] = "", name[32];

	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_true(output_file_is_stream("fifo"));
	assert_true(output_file_check("fifo", &err));
	int reader = open("fifo", O_RDONLY | O_NONBLOCK);
	assert_true(output_file_write("fifo", "hello", 5, &err));
	assert_int_equal(read(reader, got, sizeof(got)), 5);
	assert_string_equal(got, "hello");
	close(reader);
	assert_int_equal(lstat("fifo", &status), 0);
	assert_true(S_ISFIFO(status.st_mode));
	assert_entries(1);

	assert_true(output_file_is_stream("/dev/null"));
	assert_true(output_file_check("/dev/null", &err));
	assert_true(output_file_write("/dev/null", "hello", 5, &err));
	assert_false(output_file_write("/dev/full", "hello", 5, &err));
	assert_string_equal(err.text, "/dev/full: No space left on device");

	/* A descriptor of ours, by its name: also of a file, which keeps its inode. */
	int file = open("file", O_RDWR | O_CREAT, 0600);
	snprintf(name, sizeof(name), "/dev/fd/%d", file);
	assert_true(output_file_is_stream(name));
	assert_true(output_file_write(name, "one", 3, &err));
	snprintf(name, sizeof(name), "/proc/self/fd/%d", file);
	assert_true(output_file_check(name, &err));
	assert_true(output_file_write(name, "two", 3, &err));
	assert_content("file", "onetwo");
	close(file);
	assert_false(output_file_check(name, &err));
	assert_non_null(strstr(err.text, "Bad file descriptor"));
	file = open("file", O_RDONLY);
	snprintf(name, sizeof(name), "/dev/fd/%d", file);
	assert_false(output_file_check(name, &err));
	assert_non_null(strstr(err.text, "for reading only"));
	close(file);
	assert_false(output_file_is_stream("file"));
	assert_false(output_file_is_stream("nowhere"));
	assert_false(output_file_is_stream("/dev/fd/x"));
}

/* As root only: another user's FIFO in a folder like /tmp. */
static void test_a_planted_fifo_is_refused(void **state)
{
	(void)state;
	if (geteuid() != 0)
		return;
	assert_int_equal(mkdir("tmp", 0700), 0);
	assert_int_equal(chmod("tmp", 01777), 0);
	assert_int_equal(mkfifo("tmp/fifo", 0666), 0);
	assert_int_equal(chown("tmp/fifo", 65534, 65534), 0);
	assert_refused("tmp/fifo", "FIFO of another user");
	assert_int_equal(chmod("tmp", 0777), 0);
	struct error err = {""};
	assert_true(output_file_check("tmp/fifo", &err));
	assert_int_equal(unlink("tmp/fifo"), 0);
}

/* Nobody reads: a signal ends who waits, though it has blocked it. */
static void test_who_waits_for_a_reader_can_be_ended(void **state)
{
	(void)state;
	int status, blocked[2];
	char byte;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(pipe(blocked), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		sigset_t set;
		sigfillset(&set);
		sigprocmask(SIG_SETMASK, &set, NULL);
		if (write(blocked[1], "b", 1) != 1)
			_exit(1);
		struct error err = {""};
		output_file_write("fifo", "hello", 5, &err);
		_exit(0);
	}
	assert_int_equal(read(blocked[0], &byte, 1), 1);
	close(blocked[0]);
	close(blocked[1]);
	assert_int_equal(kill(child, SIGTERM), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void test_a_planted_temporary_name_is_not_followed(void **state)
{
	(void)state;
	struct error err = {""};
	char planted[64];
	snprintf(planted, sizeof(planted), ".cproftop-%d-0.tmp", (int)getpid());
	make_file("victim", "untouched");
	assert_int_equal(symlink("victim", planted), 0);
	assert_true(output_file_write("new", "hello", 5, &err));
	assert_content("new", "hello");
	assert_content("victim", "untouched");
	assert_entries(3);
}

static void test_a_folder_without_permission_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(mkdir("sub", 0555), 0);
	assert_int_equal(chmod(".", 0755), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct error err = {""};
		if (geteuid() == 0 && setuid(65534) != 0)
			_exit(2);
		bool written = output_file_write("sub/file", "hello", 5, &err);
		_exit(written || !strstr(err.text, "Permission denied"));
	}
	int status;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void test_a_full_disk_leaves_the_old_file_alone(void **state)
{
	(void)state;
	struct error err = {""};
	struct rlimit unlimited, small;
	static const char bytes[10000];

	make_file("old", "before");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
	small = (struct rlimit){.rlim_cur = 4096, .rlim_max = unlimited.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	bool written = output_file_write("old", bytes, sizeof(bytes), &err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &unlimited), 0);
	assert_false(written);
	assert_string_equal(err.text, "old: write: File too large");
	assert_content("old", "before");
	assert_entries(1);
}

/* Write to "-" while standard output is FD. */
static bool write_to_stdout(int fd, size_t size, struct error *err)
{
	static const char bytes[100000];
	fflush(stdout);
	int saved = dup(STDOUT_FILENO);
	assert_true(saved >= 0);
	assert_int_equal(dup2(fd, STDOUT_FILENO), STDOUT_FILENO);
	bool written = output_file_write("-", bytes, size, err);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	return written;
}

static void test_standard_output_is_written_or_the_reason_said(void **state)
{
	(void)state;
	struct error err = {""};
	struct stat status;
	int ends[2];

	assert_true(output_file_check("-", &err));
	int file = open("stdout", O_WRONLY | O_CREAT, 0600);
	assert_true(write_to_stdout(file, 100000, &err));
	assert_int_equal(fstat(file, &status), 0);
	assert_int_equal(status.st_size, 100000);
	close(file);

	int full = open("/dev/full", O_WRONLY);
	assert_true(full >= 0);
	assert_false(write_to_stdout(full, 1, &err));
	assert_string_equal(err.text, "standard output: No space left on device");
	close(full);

	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe(ends), 0);
	close(ends[0]);
	assert_false(write_to_stdout(ends[1], 1, &err));
	assert_string_equal(err.text, "standard output: Broken pipe");
	close(ends[1]);
}

#define in_folder(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

/* The kernel kills the writer in the middle (SIGXFSZ, which nobody ignores here). */
static void test_killed_it_leaves_nothing_behind(void **state)
{
	enum {
		LIMIT = 4096
	};
	static char bytes[4 * LIMIT];
	const struct rlimit limit = {LIMIT, LIMIT};
	struct error err;
	int fd = open(".", O_WRONLY | O_TMPFILE, 0600), status;
	(void)state;
	if (fd < 0)
		skip(); /* this file system has no files without a name */
	close(fd);
	make_file("old", "before");
	for (int i = 0; i < 2; i++) {
		pid_t child = fork();
		if (child == 0) {
			signal(SIGXFSZ, SIG_DFL);
			setrlimit(RLIMIT_FSIZE, &limit);
			setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
			output_file_write(i ? "old" : "new", bytes, sizeof(bytes), &err);
			_exit(0);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_true(WIFSIGNALED(status));
		assert_entries(1);
		assert_content("old", "before");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_folder(test_a_new_file_is_whole_and_private),
		in_folder(test_an_old_file_is_replaced_not_rewritten),
		in_folder(test_only_a_regular_file_is_replaced),
		in_folder(test_a_stream_is_written_as_it_is),
		in_folder(test_a_planted_fifo_is_refused),
		in_folder(test_who_waits_for_a_reader_can_be_ended),
		in_folder(test_a_planted_temporary_name_is_not_followed),
		in_folder(test_a_folder_without_permission_is_an_error),
		in_folder(test_a_full_disk_leaves_the_old_file_alone),
		in_folder(test_killed_it_leaves_nothing_behind),
		in_folder(test_standard_output_is_written_or_the_reason_said),
	};
	return unit_run(tests);
}
