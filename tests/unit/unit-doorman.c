/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process that gave up its rights gets from its doorman: what a rule grants, and nothing
   beside it, however it asks. */

#include "tests/lib/unit.h"

#include "src/rights/give-up.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A profile that is a descriptor of the caller's. */
#define INPUT_FD   60
#define INPUT_NAME "/dev/fd/60"

struct place {
	char folder[32], output[64], pipe[64], input[64];
	pid_t target, stranger; /* both of root; the rules name the first */
	pid_t child;		/* of the process that tries */
};

static pid_t start_process(void)
{
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

static void end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* 0, or why FLAGS of PATH below DIR are refused. */
static int opening(int dir, const char *path, int flags)
{
	int fd = openat(dir, path, flags | O_CLOEXEC, 0600);
	int errnum = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	return errnum;
}

static int opening_of(pid_t pid, const char *entry, int flags)
{
	char path[192];
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, entry);
	return opening(AT_FDCWD, path, flags);
}

/* O_PATH needs no right to read; what follows must. */
static int opening_again(const char *path)
{
	char again[64];
	int fd = open(path, O_PATH | O_CLOEXEC);
	snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
	int errnum = fd < 0 ? errno : opening(AT_FDCWD, again, O_RDONLY);
	if (fd >= 0)
		close(fd);
	return errnum;
}

/* The first executable mapping of the target's, by way of map_files, is read. */
static bool reads_what_is_mapped(pid_t pid)
{
	char path[96], line[512], range[64], again[64], magic[4] = "";
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	FILE *maps = fopen(path, "re");
	bool found = false;
	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, "r-xp") && strchr(line, '/') &&
			sscanf(line, "%63s", range) == 1;
	if (maps)
		fclose(maps);
	snprintf(path, sizeof(path), "/proc/%d/map_files/%s", (int)pid, range);
	int fd = found ? open(path, O_PATH | O_CLOEXEC) : -1;
	snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
	int content = open(again, O_RDONLY | O_CLOEXEC);
	return content >= 0 && read(content, magic, 4) == 4 &&
	       memcmp(magic, "\177ELF", 4) == 0;
}

#define CHECK(condition)                                                          \
	do {                                                                      \
		if (!(condition)) {                                               \
			snprintf(wrong, 256, "%s (errno %d)", #condition, errno); \
			return;                                                   \
		}                                                                 \
	} while (0)

static void look_at_processes(const struct place *place, char *wrong)
{
	char link[PATH_MAX], path[96];
	CHECK(getuid() != 0 && getuid() != 65534);
	CHECK(opening_of(place->target, "maps", O_RDONLY) == 0);
	CHECK(opening_of(place->target, "mem", O_RDONLY) == 0);
	CHECK(reads_what_is_mapped(place->target));
	snprintf(path, sizeof(path), "/proc/%d/fd/0", (int)place->target);
	CHECK(readlinkat(AT_FDCWD, path, link, sizeof(link)) > 0);
	int dir = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(path, sizeof(path), "%d/task/%d/maps", (int)place->target,
		(int)place->target);
	CHECK(opening(dir, path, O_RDONLY) == 0);
	close(dir);
	/* and nothing else */
	CHECK(opening_of(place->target, "mem", O_RDWR) == EACCES);
	CHECK(opening_of(place->target, "environ", O_RDONLY) == EACCES);
	CHECK(opening_of(place->stranger, "maps", O_RDONLY) == EACCES);
	CHECK(opening_of(place->stranger, "mem", O_RDONLY) == EACCES);
	snprintf(path, sizeof(path), "../%d/maps", (int)place->stranger);
	CHECK(opening_of(place->target, path, O_RDONLY) == EACCES);
	snprintf(path, sizeof(path), "root/proc/%d/maps", (int)place->stranger);
	CHECK(opening_of(place->target, path, O_RDONLY) == EACCES);
	CHECK(opening_of(place->target, "fd/0", O_RDONLY) == EACCES);
	CHECK(opening_again("/etc/shadow") == EACCES);
	CHECK(opening(AT_FDCWD, "/etc/shadow", O_RDONLY) == EACCES);
	CHECK(opening(AT_FDCWD, "/etc/passwd", O_RDONLY) == 0); /* as anybody */
	CHECK(kill(place->stranger, 0) != 0 && errno == EPERM);
	CHECK(kill(place->target, SIGSTOP) != 0 && errno == EPERM);
	CHECK(kill(place->child, SIGCONT) == 0);
	CHECK(setuid(0) != 0);
}

static void write_output(const struct place *place, char *wrong)
{
	const int make = O_WRONLY | O_CREAT | O_EXCL;
	struct stat status;
	int folder = open(place->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(folder >= 0);
	CHECK(fstatat(folder, "out", &status, AT_SYMLINK_NOFOLLOW) != 0 &&
		errno == ENOENT);
	CHECK(opening(folder, ".cproftop-12-0.tmp", make) == 0);
	CHECK(renameat(folder, ".cproftop-12-0.tmp", folder, "other") != 0);
	CHECK(renameat(folder, ".cproftop-12-0.tmp", folder, "out") == 0);
	CHECK(fstatat(folder, "out", &status, AT_SYMLINK_NOFOLLOW) == 0);
	CHECK(status.st_uid == 0 && (status.st_mode & 0777) == 0600);
	CHECK(opening(folder, "other", make) != 0);
	CHECK(opening(folder, ".cproftop-12-0.tmp/../x", make) != 0);
	CHECK(opening(folder, "out", O_WRONLY | O_TRUNC) != 0);
	CHECK(unlinkat(folder, "out", 0) != 0);
	int elsewhere = open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(opening(elsewhere, ".cproftop-12-0.tmp", make) != 0);
	close(elsewhere);
	close(folder);
}

/* As a profile: the file that was named, and nothing that its name is led to later. */
static void read_input(const struct place *place, int folder, char *wrong)
{
	CHECK(opening(AT_FDCWD, place->input, O_RDONLY) == 0);
	CHECK(opening(AT_FDCWD, place->input, O_RDWR) == EACCES);
	CHECK(opening(AT_FDCWD, place->input, O_WRONLY | O_TRUNC) == EACCES);
	CHECK(opening(folder, "input", O_RDONLY) == EACCES); /* other words */
	CHECK(opening(AT_FDCWD, INPUT_NAME, O_RDONLY) == 0);
	int secret = open("/etc/shadow", O_PATH | O_CLOEXEC);
	CHECK(secret >= 0 && dup2(secret, INPUT_FD) == INPUT_FD);
	CHECK(opening(AT_FDCWD, INPUT_NAME, O_RDONLY) == EACCES);
	close(secret);
	close(INPUT_FD);
}

/* In the current folder, which is not the caller's. */
static void write_export(const struct place *place, char *wrong)
{
	const int make = O_WRONLY | O_CREAT | O_EXCL;
	const int stream = O_WRONLY | O_NOFOLLOW | O_NOCTTY;
	int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(folder >= 0);
	CHECK(opening(folder, ".cproftop-13-0.tmp", make) == 0);
	CHECK(renameat(folder, ".cproftop-13-0.tmp", folder, "elsewhere") != 0);
	CHECK(renameat(folder, ".cproftop-13-0.tmp", folder, "cproftop-/x") != 0);
	CHECK(renameat(folder, ".cproftop-13-0.tmp", folder, "cproftop-a b") != 0);
	CHECK(renameat(folder, ".cproftop-13-0.tmp", folder, "cproftop-1.txt") == 0);
	CHECK(opening(folder, "cproftop-1.txt", stream) == EACCES); /* it is a file */
	CHECK(opening(folder, ".", O_WRONLY | O_TMPFILE) == EOPNOTSUPP);
	read_input(place, folder, wrong);
	if (wrong[0])
		return;
	CHECK(opening(AT_FDCWD, "cproftop-1.txt", O_RDONLY) == EACCES);
	/* a device is opened, and not replaced */
	int devices = open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(devices >= 0);
	CHECK(opening(devices, "full", stream) == 0);
	CHECK(opening(devices, ".cproftop-14-0.tmp", make) != 0);
	close(devices);
	CHECK(opening(folder, "pipe", stream) == 0);
	CHECK(opening(folder, ".cproftop-15-0.tmp", make) == 0);
	CHECK(renameat(folder, ".cproftop-15-0.tmp", folder, "pipe") != 0);
	CHECK(unlinkat(folder, ".cproftop-15-0.tmp", 0) == 0);
	close(folder);
}

static void try_all(struct place *place, char *wrong)
{
	static struct doorman_rules rules;
	const char *what = "rules";
	place->child = start_process();
	int input = open(place->input, O_RDONLY);
	dup2(input, INPUT_FD);
	close(input);
	if (!doorman_rules_add_input(&rules, place->input) ||
		!doorman_rules_add_input(&rules, INPUT_NAME) ||
		chdir(place->folder) != 0 ||
		!doorman_rules_add_process(&rules, place->target) ||
		!doorman_rules_add_output(&rules, place->output) ||
		!doorman_rules_add_output(&rules, place->pipe) ||
		!doorman_rules_add_output(&rules, "/dev/full") ||
		!doorman_rules_add_exports(&rules) || !give_up_rights(&rules, &what)) {
		snprintf(wrong, 256, "%s: %s", what, strerror(errno));
		return;
	}
	look_at_processes(place, wrong);
	if (!wrong[0])
		write_output(place, wrong);
	if (!wrong[0])
		write_export(place, wrong);
	end_process(place->child);
}

static bool can_notify(void)
{
	char text[256] = "";
	FILE *in = fopen("/proc/sys/kernel/seccomp/actions_avail", "re");
	if (in && !fgets(text, sizeof(text), in))
		text[0] = '\0';
	if (in)
		fclose(in);
	return strstr(text, "user_notif") != NULL;
}

static void test_what_a_rule_grants_and_nothing_beside_it(void **state)
{
	(void)state;
	struct place place = {.folder = "/tmp/unit-doorman-XXXXXX"};
	char *wrong = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (geteuid() != 0 || !can_notify())
		skip();
	assert_true(wrong != MAP_FAILED);
	assert_non_null(mkdtemp(place.folder)); /* for root only */
	snprintf(place.output, sizeof(place.output), "%s/out", place.folder);
	snprintf(place.pipe, sizeof(place.pipe), "%s/pipe", place.folder);
	snprintf(place.input, sizeof(place.input), "%s/input", place.folder);
	close(open(place.input, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(mkfifo(place.pipe, 0600), 0);
	int reader = open(place.pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	place.target = start_process();
	place.stranger = start_process();
	pid_t tries = fork();
	if (tries == 0) {
		try_all(&place, wrong);
		_exit(0);
	}
	int status;
	waitpid(tries, &status, 0);
	end_process(place.target);
	end_process(place.stranger);
	close(reader);
	unlink(place.output);
	unlink(place.pipe);
	unlink(place.input);
	snprintf(place.output, sizeof(place.output), "%s/cproftop-1.txt", place.folder);
	unlink(place.output);
	rmdir(place.folder);
	assert_string_equal(wrong, "");
	assert_int_equal(status, 0);
	munmap(wrong, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_rule_grants_and_nothing_beside_it),
	};
	return unit_run(tests);
}
