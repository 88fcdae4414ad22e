/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/list/children.h"

#include "src/base/clock.h"
#include "src/base/small-file.h"
#include "src/process/task.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The file grows with the number of children, so it is read in pieces; a number may be
   cut by a piece's end. */
static bool read_numbers(struct children *children, int fd)
{
	char text[4096];
	long number = 0;
	bool digits = false;
	ssize_t length;
	while ((length = read(fd, text, sizeof(text))) > 0) {
		for (ssize_t i = 0; i < length; i++) {
			if (text[i] >= '0' && text[i] <= '9') {
				number = number * 10 + (text[i] - '0');
				digits = true;
				continue;
			}
			if (digits)
				vec_push(&children->list, (pid_t)number);
			number = 0;
			digits = false;
		}
	}
	if (digits)
		vec_push(&children->list, (pid_t)number);
	return length == 0;
}

bool children_read(struct children *children, pid_t pid, unsigned threads_most)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	DIR *tasks = opendir(path);
	if (!tasks)
		return false;
	bool told = false;
	unsigned left = threads_most;
	const struct dirent *entry;
	while ((entry = readdir(tasks))) {
		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		if (threads_most && left-- == 0)
			break;
		snprintf(path, sizeof(path), "%.20s/children", entry->d_name);
		int fd = openat(dirfd(tasks), path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		told |= read_numbers(children, fd);
		close(fd);
	}
	closedir(tasks);
	return told;
}

/* The 13 fields of stat from the state on come before the four times: of PID itself, and of
   the children that it has waited for, user and system each (proc(5)). */
static void read_times(pid_t pid, uint64_t *own_ns, uint64_t *reaped_ns)
{
	char path[64], text[1024];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	small_file_read(AT_FDCWD, path, text, sizeof(text));
	const char *close_comm = strrchr(text, ')');
	unsigned long long times[4];
	uint64_t tick_ns = NS_PER_SEC / (uint64_t)sysconf(_SC_CLK_TCK);
	*own_ns = *reaped_ns = 0;
	if (!close_comm || sscanf(close_comm + 1,
				   " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu "
				   "%llu %llu %llu",
				   &times[0], &times[1], &times[2], &times[3]) != 4)
		return;
	*own_ns = (times[0] + times[1]) * tick_ns;
	*reaped_ns = (times[2] + times[3]) * tick_ns;
}

uint64_t children_reaped_ns(pid_t pid)
{
	uint64_t own_ns, reaped_ns;
	read_times(pid, &own_ns, &reaped_ns);
	return reaped_ns;
}

uint64_t children_own_ns(pid_t pid)
{
	uint64_t own_ns, reaped_ns;
	read_times(pid, &own_ns, &reaped_ns);
	return own_ns;
}

uint64_t children_started(pid_t pid)
{
	char path[64];
	struct task_stat stat;
	/* Not /proc/PID/stat, for which the kernel adds up all threads. */
	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)pid);
	return task_stat_at(AT_FDCWD, path, &stat) ? stat.start_ticks : 0;
}

bool children_are_told(void)
{
	return access("/proc/thread-self/children", R_OK) == 0;
}
