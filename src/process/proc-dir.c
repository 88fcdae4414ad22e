/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/proc-dir.h"

#include "src/base/ask-opener.h"
#include "src/base/small-file.h"
#include "src/process/maps.h"
#include "src/process/memory.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	TID_MAX_DIGITS = 12
};

void proc_dir_init(struct proc_dir *dir, int fd)
{
	*dir = (struct proc_dir){.fd = fd, .memory = -1};
}

void proc_dir_finish(struct proc_dir *dir)
{
	memory_close(dir->memory);
	if (dir->fd >= 0)
		close(dir->fd);
	dir->fd = dir->memory = -1;
}

static char *read_task_maps(const struct proc_dir *dir, size_t *length)
{
	char name[PROC_DIR_TASK_BYTES + 8];
	snprintf(name, sizeof(name), "%smaps", dir->task);
	char *text = maps_read(dir->fd, name, length, NULL);
	if (text && *length == 0) {
		free(text);
		return NULL;
	}
	return text;
}

char *proc_dir_read_maps(struct proc_dir *dir, size_t *length)
{
	char *text = read_task_maps(dir, length);
	if (text)
		return text;
	int fd = ask_opener_open(dir->fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *tasks = fd >= 0 ? fdopendir(fd) : NULL;
	if (!tasks) {
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	for (struct dirent *entry; !text && (entry = readdir(tasks)) != NULL;) {
		if (entry->d_name[0] == '.' || strlen(entry->d_name) > TID_MAX_DIGITS)
			continue;
		snprintf(dir->task, sizeof(dir->task), "task/%.*s/", TID_MAX_DIGITS,
			entry->d_name);
		text = read_task_maps(dir, length);
	}
	closedir(tasks);
	return text;
}

/* The number of the process, or of the thread whose folder is used. */
static pid_t number_of(const struct proc_dir *dir)
{
	char name[PROC_DIR_TASK_BYTES + 8], text[512];
	snprintf(name, sizeof(name), "%sstat", dir->task);
	size_t length = small_file_read(dir->fd, name, text, sizeof(text));
	return length ? (pid_t)strtol(text, NULL, 10) : 0;
}

void proc_dir_open_memory(struct proc_dir *dir)
{
	char name[PROC_DIR_TASK_BYTES + 8];
	snprintf(name, sizeof(name), "%smem", dir->task);
	memory_close(dir->memory);
	dir->memory = memory_open(dir->fd, name, number_of(dir));
}

/* Read by calls, the number might belong to another process since this one has ended. */
static bool is_still_there(const struct proc_dir *dir)
{
	return !memory_is_by_calls(dir->memory) || ask_opener_exists(dir->fd, "stat");
}

size_t proc_dir_read_memory(
	const struct proc_dir *dir, uint64_t address, void *out, size_t length)
{
	if (dir->memory == -1 || address > INT64_MAX)
		return 0;
	ssize_t got = memory_read_of(dir->fd, dir->memory, out, length, address);
	return got > 0 && is_still_there(dir) ? (size_t)got : 0;
}
