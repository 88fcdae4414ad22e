/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process that gave up its rights gets from its doorman: what a rule grants, and nothing
   beside it, however it asks. */

#include "tests/lib/doorman-place.h"
#include "tests/lib/unit.h"

#include "src/doorman/give-up.h"
#include "src/rights/sanitized.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int opening_of(pid_t pid, const char *entry, int flags)
{
	char path[192];
	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, entry);
	return place_opening(AT_FDCWD, path, flags);
}

/* O_PATH needs no right to read; what follows must. */
static int opening_again(const char *path)
{
	char again[64];
	int fd = open(path, O_PATH | O_CLOEXEC);
	snprintf(again, sizeof(again), "/proc/self/fd/%d", fd);
	int errnum = fd < 0 ? errno : place_opening(AT_FDCWD, again, O_RDONLY);
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
	CHECK(place_opening(dir, path, O_RDONLY) == 0);
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
	CHECK(place_opening(AT_FDCWD, "/etc/shadow", O_RDONLY) == EACCES);
	CHECK(place_opening(AT_FDCWD, "/etc/passwd", O_RDONLY) == 0); /* as anybody */
#ifndef SANITIZED
	int pair[2]; /* of which one end could send to any address */
	CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) != 0 && errno == EPERM);
#endif
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
	CHECK(place_opening(folder, place_temporary(getpid(), 12), make) == 0);
	CHECK(renameat(folder, place_temporary(getpid(), 12), folder, "other") != 0);
	CHECK(renameat(folder, place_temporary(getpid(), 12), folder, "out") == 0);
	CHECK(fstatat(folder, "out", &status, AT_SYMLINK_NOFOLLOW) == 0);
	CHECK(status.st_uid == 0 && (status.st_mode & 0777) == 0640);
	CHECK(place_opening(folder, "other", make) != 0);
	CHECK(place_opening(folder, ".cproftop-12-0.tmp/../x", make) != 0);
	CHECK(place_opening(folder, "out", O_WRONLY | O_TRUNC) != 0);
	CHECK(unlinkat(folder, "out", 0) != 0);
	int elsewhere = open("/etc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(place_opening(elsewhere, place_temporary(getpid(), 12), make) != 0);
	close(elsewhere);
	close(folder);
}

/* As a profile: the file that was named, and nothing that its name is led to later. */
static void read_input(const struct place *place, int folder, char *wrong)
{
	CHECK(place_opening(AT_FDCWD, place->input, O_RDONLY) == 0);
	CHECK(place_opening(AT_FDCWD, place->input, O_RDWR) == EACCES);
	CHECK(place_opening(AT_FDCWD, place->input, O_WRONLY | O_TRUNC) == EACCES);
	CHECK(place_opening(folder, "input", O_RDONLY) == EACCES); /* other words */
	CHECK(place_opening(AT_FDCWD, INPUT_NAME, O_RDONLY) == 0);
	int secret = open("/etc/shadow", O_PATH | O_CLOEXEC);
	CHECK(secret >= 0 && dup2(secret, INPUT_FD) == INPUT_FD);
	struct stat first, again; /* still the file of the start */
	int fd = open(INPUT_NAME, O_RDONLY | O_CLOEXEC);
	CHECK(fstat(fd, &again) == 0 && fstat(secret, &first) == 0);
	CHECK(first.st_ino != again.st_ino);
	close(fd);
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
	CHECK(place_opening(folder, place_temporary(getpid(), 13), make) == 0);
	CHECK(renameat(folder, place_temporary(getpid(), 13), folder, "elsewhere") != 0);
	CHECK(renameat(folder, place_temporary(getpid(), 13), folder, "cproftop-/x") !=
		0);
	CHECK(renameat(folder, place_temporary(getpid(), 13), folder, "cproftop-a b") !=
		0);
	CHECK(renameat(folder, place_temporary(getpid(), 13), folder, "cproftop-1.txt") ==
		0);
	CHECK(place_opening(folder, "cproftop-1.txt", stream) ==
		EACCES); /* it is a file */
	CHECK(place_opening(folder, place_temporary(getpid(), 13), make) == 0);
	CHECK(renameat(folder, place_temporary(getpid(), 13), folder, ".x.svg") != 0);
	CHECK(renameat(folder, place_temporary(getpid(), 13), folder, "-x.svg") != 0);
	CHECK(renameat(folder, place_temporary(getpid(), 13), folder, "x.sh") != 0);
	CHECK(renameat(folder, place_temporary(getpid(), 13), folder, "mine.svg") == 0);
	CHECK(place_opening(folder, place_temporary(getpid(), 13), make) == 0);
	CHECK(renameat(folder, place_temporary(getpid(), 13), folder, "mine.svg") != 0 &&
		errno == EEXIST);
	CHECK(renameat(folder, place_temporary(getpid(), 13), folder, "cproftop-1.txt") ==
		0);
	CHECK(place_opening(folder, ".", O_WRONLY | O_TMPFILE) == EOPNOTSUPP);
	read_input(place, folder, wrong);
	if (wrong[0])
		return;
	CHECK(place_opening(AT_FDCWD, "cproftop-1.txt", O_RDONLY) == EACCES);
	/* a device is opened, and not replaced */
	int devices = open("/dev", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(devices >= 0);
	CHECK(place_opening(devices, "full", stream) == 0);
	CHECK(place_opening(devices, place_temporary(getpid(), 14), make) != 0);
	close(devices);
	CHECK(place_opening(folder, "pipe", stream) == 0);
	CHECK(place_opening(folder, place_temporary(getpid(), 15), make) == 0);
	CHECK(renameat(folder, place_temporary(getpid(), 15), folder, "pipe") != 0);
	CHECK(unlinkat(folder, place_temporary(getpid(), 15), 0) == 0);
	close(folder);
}

/* Many files in a folder, with permissions, and removed again. */
static void write_parts(const struct place *place, char *wrong)
{
	const int make = O_WRONLY | O_CREAT | O_EXCL;
	const char *const not_ours[] = {"x", "nginx-1-20261121T144200Z",
		".nginx-1-20261121T144200Z.pb.gz", "nginx-1-20261121X144200Z.pb.gz",
		"../nginx-1-20261121T144200Z.pb.gz", "nginx-1-20261121T144200Z-.pb",
		"a b-1-20261121T144200Z.pb.gz", "nginx-1-20261121T144200Z.pb.gz/x"};
	const char *const ours[] = {
		"nginx-1-20261121T144200Z.pb.gz", "Z+x-1-20261121T144200Z-3.folded"};
	struct stat status;
	int folder = open(place->parts, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(folder >= 0);
	CHECK(place_opening(folder, ".", O_RDONLY | O_DIRECTORY) == 0); /* to list it */
	for (size_t i = 0; i < sizeof(ours) / sizeof(*ours); i++) {
		CHECK(place_opening(folder, place_temporary(getpid(), 16), make) == 0);
		for (size_t j = 0; j < sizeof(not_ours) / sizeof(*not_ours); j++)
			CHECK(renameat(folder, place_temporary(getpid(), 16), folder,
				      not_ours[j]) != 0);
		CHECK(renameat(folder, place_temporary(getpid(), 16), folder, ours[i]) ==
			0);
		CHECK(fstatat(folder, ours[i], &status, AT_SYMLINK_NOFOLLOW) == 0);
		CHECK(status.st_uid == 0 && (status.st_mode & 0777) == 0640);
		CHECK(unlinkat(folder, ours[i], 0) == 0);
	}
	CHECK(unlinkat(folder, "stays", 0) != 0);
	CHECK(fstatat(folder, "stays", &status, AT_SYMLINK_NOFOLLOW) != 0);
	/* what is left is removed when we have ended */
	CHECK(place_opening(folder, place_temporary(getpid(), 17), make) == 0);
	close(folder);
}

static void read_names(const struct place *place, char *wrong)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/sub/a.debug", place->debug);
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY) == 0);
	CHECK(place_opening(AT_FDCWD, path, O_RDWR) == EACCES);
	snprintf(path, sizeof(path), "%s/out.debug", place->debug); /* a link */
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY) == EACCES);
	CHECK(place_opening(AT_FDCWD, place->debug, O_RDONLY | O_DIRECTORY) == 0);
	snprintf(path, sizeof(path), "%s/../input2", place->debug);
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY) == EACCES);
	int folder = open(place->perf_maps, O_PATH | O_DIRECTORY | O_CLOEXEC);
	CHECK(folder >= 0);
	CHECK(place_opening(folder, "perf-1.map", O_RDONLY | O_NOFOLLOW) == 0);
	CHECK(place_opening(folder, "perf-1.map", O_RDWR | O_NOFOLLOW) == EACCES);
	CHECK(place_opening(folder, "perf-2.map", O_RDONLY) == EACCES); /* a link */
	CHECK(place_opening(folder, "perf-3.map", O_RDONLY) == EACCES); /* two names */
	CHECK(place_opening(folder, "perf-x.map", O_RDONLY) == EACCES);
	CHECK(place_opening(folder, "../perf/perf-1.map", O_RDONLY) == EACCES);
	close(folder);
}

/* What source files are called, and programs, with the rights of the person, which are not
   root's. */
static void read_sources(const struct place *place, char *wrong)
{
	static const char *const refused[] = {"a.txt", "root.c", "link.c", "pipe.c"};
	const int flags = O_RDONLY | O_NONBLOCK | O_NOCTTY;
	char path[128];
	snprintf(path, sizeof(path), "%s/a.c", place->sources);
	CHECK(place_opening(AT_FDCWD, path, flags) == 0);
	CHECK(place_opening(AT_FDCWD, path, O_RDWR) == EACCES);
	CHECK(place_opening(AT_FDCWD, "src/a.c", flags) == EACCES);
	memcpy(strrchr(path, '/'), "/program", sizeof("/program"));
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY) == 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		snprintf(path, sizeof(path), "%s/%s", place->sources, refused[i]);
		CHECK(place_opening(AT_FDCWD, path, flags) == EACCES);
	}
	CHECK(opening_of(place->target, "mem", O_RDONLY) == 0); /* it is root again */
}

static void look_at_family(const struct place *place, char *wrong)
{
	char path[64], link[PATH_MAX];
	CHECK(opening_of(place->grandchild, "mem", O_RDONLY) == 0);
	CHECK(opening_of(place->child, "mem", O_RDONLY) == EACCES);
	CHECK(opening_of(getppid(), "mem", O_RDONLY) == EACCES);
	CHECK(opening_of(1, "mem", O_RDONLY) == EACCES);
	/* who is at the other end of a pipe, and nothing else */
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)place->stranger, INPUT_FD);
	CHECK(readlinkat(AT_FDCWD, path, link, sizeof(link)) > 0 &&
		strncmp(link, "pipe:[", 6) == 0);
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY) == EACCES);
	snprintf(
		path, sizeof(path), "/proc/%d/fdinfo/%d", (int)place->stranger, INPUT_FD);
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY) == 0);
	snprintf(
		path, sizeof(path), "/proc/%d/fd/%d", (int)place->stranger, INPUT_FD + 1);
	CHECK(readlinkat(AT_FDCWD, path, link, sizeof(link)) < 0);
	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", (int)place->stranger,
		INPUT_FD + 1);
	CHECK(place_opening(AT_FDCWD, path, O_RDONLY) == EACCES);
}

static void try_all(struct place *place, char *wrong)
{
	static struct doorman_rules rules;
	const char *what = "rules";
	place->child = place_start_process();
	int input = open(place->input, O_RDONLY);
	dup2(input, INPUT_FD);
	close(input);
	rules.follows_children = rules.may_prune = true;
	rules.mode = 0640;
	rules.person = rules.person_group = PERSON;
	doorman_rules_add_folders(&rules, place->debug);
	if (!doorman_rules_add_input(&rules, place->input) ||
		!doorman_rules_add_input(&rules, INPUT_NAME) ||
		chdir(place->folder) != 0 ||
		!doorman_rules_add_process(&rules, place->target) ||
		!doorman_rules_add_output(&rules, place->output) ||
		!doorman_rules_add_output(&rules, place->pipe) ||
		!doorman_rules_add_output(&rules, "/dev/full") ||
		!doorman_rules_add_exports(&rules) ||
		!doorman_rules_add_intervals(&rules, place->parts) ||
		!give_up_rights(&rules, &what)) {
		snprintf(wrong, 256, "%s: %s", what, strerror(errno));
		return;
	}
	look_at_processes(place, wrong);
	if (!wrong[0])
		write_output(place, wrong);
	if (!wrong[0])
		write_export(place, wrong);
	if (!wrong[0])
		write_parts(place, wrong);
	if (!wrong[0])
		read_names(place, wrong);
	if (!wrong[0])
		read_sources(place, wrong);
	if (!wrong[0])
		look_at_family(place, wrong);
	place_end_process(place->child);
}

/* The doorman ends a moment after whom it serves, and removes what was not finished. */
static bool goes_away(const char *path)
{
	for (int i = 0; i < 2000 && access(path, F_OK) == 0; i++)
		usleep(10 * 1000);
	return access(path, F_OK) != 0;
}

static void test_what_a_rule_grants_and_nothing_beside_it(void **state)
{
	(void)state;
	struct place place = {.folder = "/tmp/unit-doorman-XXXXXX"};
	char *wrong = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (geteuid() != 0 || !place_can_notify())
		skip();
	assert_true(wrong != MAP_FAILED);
	place_make(&place);
	int reader = open(place.pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	pid_t tries = fork();
	if (tries == 0) {
		try_all(&place, wrong);
		_exit(0);
	}
	int status;
	waitpid(tries, &status, 0);
	char left[64];
	snprintf(left, sizeof(left), "parts/%s", place_temporary(tries, 17));
	bool is_gone = goes_away(left);
	kill(place.grandchild, SIGKILL);
	kill(place.middle, SIGKILL);
	place_end_process(place.target);
	place_end_process(place.stranger);
	close(reader);
	assert_string_equal(wrong, "");
	assert_int_equal(status, 0);
	assert_true(is_gone);
	place_remove(&place);
	munmap(wrong, 4096);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_a_rule_grants_and_nothing_beside_it),
	};
	return unit_run(tests);
}
