/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/doorman-place.h"

#include "tests/lib/unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

int place_opening(int dir, const char *path, int flags)
{
	int fd = openat(dir, path, flags | O_CLOEXEC, 0600);
	int errnum = fd < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	return errnum;
}

const char *place_temporary(pid_t writer, int number)
{
	static char name[64];
	snprintf(name, sizeof(name), ".cproftop-%d-%d.tmp", (int)writer, number);
	return name;
}

pid_t place_start_process(void)
{
	pid_t pid = fork();
	if (pid == 0)
		for (;;)
			pause();
	return pid;
}

/* With a child, and a child of that, whose numbers go to *MIDDLE and *YOUNGEST. */
static pid_t start_family(pid_t *middle, pid_t *youngest)
{
	int fds[2];
	if (pipe(fds) != 0)
		return -1;
	pid_t pid = fork();
	if (pid == 0) {
		if (fork() == 0) {
			pid_t both[] = {getpid(), place_start_process()};
			if (write(fds[1], both, sizeof(both)) < 0)
				_exit(1);
		}
		for (;;)
			pause();
	}
	pid_t both[2] = {-1, -1};
	assert_int_equal(read(fds[0], both, sizeof(both)), sizeof(both));
	*middle = both[0];
	*youngest = both[1];
	close(fds[0]);
	close(fds[1]);
	return pid;
}

/* With a pipe and a file. */
static pid_t start_stranger(void)
{
	int fds[2];
	pid_t pid = fork();
	if (pid == 0) {
		int file = open("/etc/passwd", O_RDONLY);
		if (pipe(fds) != 0 || dup2(fds[0], INPUT_FD) < 0 ||
			dup2(file, INPUT_FD + 1) < 0)
			_exit(1);
		kill(getpid(), SIGSTOP);
		for (;;)
			pause();
	}
	int status;
	waitpid(pid, &status, WUNTRACED); /* it has them */
	return pid;
}

bool place_can_notify(void)
{
	char text[256] = "";
	FILE *in = fopen("/proc/sys/kernel/seccomp/actions_avail", "re");
	if (in && !fgets(text, sizeof(text), in))
		text[0] = '\0';
	if (in)
		fclose(in);
	return strstr(text, "user_notif") != NULL;
}

void place_end_process(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static const char *const folders[] = {"parts", "debug", "debug/sub", "perf", "src"};
static const char *const files[] = {"input", "input2", "parts/stays", "debug/sub/a.debug",
	"perf/perf-1.map", "perf/perf-x.map", "src/a.c", "src/a.txt", "src/root.c",
	"src/program"};
static const char *const persons[] = {"src", "src/a.c", "src/a.txt", "src/program"};
static const char *const others[] = {"out", "pipe", "cproftop-1.txt", "debug/out.debug",
	"perf/perf-2.map", "perf/perf-3.map", "perf/other", "src/link.c", "src/pipe.c",
	"mine.svg"};

void place_make(struct place *place)
{
	assert_non_null(mkdtemp(place->folder));
	assert_int_equal(chdir(place->folder), 0);
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		assert_int_equal(mkdir(folders[i], 0700), 0);
	/* whoever has a descriptor of it may have come through it */
	assert_int_equal(chmod(place->folder, 0711) + chmod("perf", 0711), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		close(open(files[i], O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	int program = open("src/program", O_WRONLY | O_CLOEXEC);
	assert_int_equal(write(program, "\177ELF", 4), 4);
	close(program);
	assert_int_equal(mkfifo("pipe", 0600), 0);
	assert_int_equal(mkfifo("src/pipe.c", 0666), 0);
	assert_int_equal(symlink("/etc/shadow", "src/link.c"), 0);
	for (size_t i = 0; i < sizeof(persons) / sizeof(*persons); i++)
		assert_int_equal(chown(persons[i], PERSON, PERSON), 0);
	snprintf(place->sources, sizeof(place->sources), "%s/src", place->folder);
	assert_int_equal(symlink("/etc/shadow", "debug/out.debug"), 0);
	assert_int_equal(symlink("/etc/shadow", "perf/perf-2.map"), 0);
	close(open("perf/other", O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(link("perf/other", "perf/perf-3.map"), 0);
	snprintf(place->output, sizeof(place->output), "%s/out", place->folder);
	snprintf(place->pipe, sizeof(place->pipe), "%s/pipe", place->folder);
	snprintf(place->input, sizeof(place->input), "%s/input", place->folder);
	snprintf(place->parts, sizeof(place->parts), "%s/parts/", place->folder);
	snprintf(place->debug, sizeof(place->debug), "%s/debug", place->folder);
	snprintf(place->perf_maps, sizeof(place->perf_maps), "%s/perf", place->folder);
	place->target = start_family(&place->middle, &place->grandchild);
	place->stranger = start_stranger();
}

void place_remove(const struct place *place)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		unlink(files[i]);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		unlink(others[i]);
	for (size_t i = sizeof(folders) / sizeof(*folders); i > 0; i--)
		rmdir(folders[i - 1]);
	assert_int_equal(chdir("/"), 0);
	assert_int_equal(rmdir(place->folder), 0); /* so nothing else was left */
}
