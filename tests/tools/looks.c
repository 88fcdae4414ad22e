/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * looks PID COUNT: how often is a process found traced or stopped?
 *
 * Reads the status of every thread of PID, COUNT times, at random instants one to five
 * milliseconds apart. Prints "truth NAME N" lines: the looks, each at one thread; in how
 * many of them it was traced (TracerPid is not 0); and in how many it stood, in state t.
 * A thread that is traced but not in state t waits for a CPU to stop on. And "truth waited
 * SHARE": of the time, how much its first thread waited for a CPU (/proc/PID/schedstat).
 */
#include "src/base/clock.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct seen {
	long looks, traced, stood;
};

/* The value of FIELD in TEXT, which are lines as "TracerPid:\t0". */
static const char *value_of(const char *text, const char *field)
{
	const char *at = strstr(text, field);
	if (!at)
		return "";
	at += strlen(field);
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

static void look_at_thread(int task_fd, const char *name, struct seen *seen)
{
	char path[64], text[2048];
	snprintf(path, sizeof(path), "%.32s/status", name);
	int fd = openat(task_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	if (length <= 0)
		return;
	text[length] = '\0';
	seen->looks++;
	seen->traced += atoi(value_of(text, "\nTracerPid:")) != 0;
	seen->stood += *value_of(text, "\nState:") == 't';
}

static void look(const char *task_path, struct seen *seen)
{
	DIR *directory = opendir(task_path);
	const struct dirent *entry;
	while (directory && (entry = readdir(directory)))
		if (isdigit((unsigned char)entry->d_name[0]))
			look_at_thread(dirfd(directory), entry->d_name, seen);
	if (directory)
		closedir(directory);
}

/* How long the first thread of PID has waited for a CPU, in nanoseconds. */
static double waited_ns(const char *pid)
{
	char path[64];
	double ran, waited = 0;
	snprintf(path, sizeof(path), "/proc/%.20s/schedstat", pid);
	FILE *file = fopen(path, "re");
	if (file && fscanf(file, "%lf %lf", &ran, &waited) != 2)
		waited = 0;
	if (file)
		fclose(file);
	return waited;
}

int main(int argc, char **argv)
{
	char path[64];
	struct seen seen = {0};
	if (argc != 3) {
		fputs("usage: looks PID COUNT\n", stderr);
		return 2;
	}
	snprintf(path, sizeof(path), "/proc/%.20s/task", argv[1]);
	srandom((unsigned)getpid());
	double began_ns = (double)clock_monotonic_ns(),
	       had_waited_ns = waited_ns(argv[1]);
	for (long left = atol(argv[2]); left > 0; left--) {
		struct timespec pause = clock_to_timespec(
			NS_PER_MS + (uint64_t)(random() % 4000) * NS_PER_US);
		look(path, &seen);
		nanosleep(&pause, NULL);
	}
	printf("truth waited %.4f\n", (waited_ns(argv[1]) - had_waited_ns) /
					      ((double)clock_monotonic_ns() - began_ns));
	printf("truth looks %ld\ntruth traced %ld\ntruth stood %ld\n", seen.looks,
		seen.traced, seen.stood);
	return 0;
}
