/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/names/perf-map.h"

#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/small-file.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/target/task.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	FILE_MAX_BYTES = 256 << 20,
	NAME_MAX_BYTES = 4096,
	STATUS_BYTES = 4096,
	START_TOLERANCE_S = 2, /* clocks may be adjusted, and ticks are coarse */
	OVERLAP_MAX = 64,      /* functions looked at before one is not found */
	TAIL_BYTES = 256,      /* of what was read, to see that it is still there */
};

struct jitted {
	uint64_t start, size;
	const char *name;
	uint32_t line; /* line number: the later of two is valid */
};

struct perf_map {
	const struct proc_dir *dir;
	int fd; /* -1: not found yet */
	const char *refusal;
	uint64_t offset;		/* read so far, to the end of a line */
	unsigned char tail[TAIL_BYTES]; /* the last bytes before that, */
	size_t tail_bytes;		/* so many */
	struct strpool names;
	VEC(struct jitted) functions; /* sorted by start, then line */
	uint32_t lines;
};

struct perf_map *perf_map_create(const struct proc_dir *dir)
{
	struct perf_map *map = mem_zalloc(sizeof(*map));
	map->dir = dir;
	map->fd = -1;
	return map;
}

void perf_map_destroy(struct perf_map *map)
{
	if (!map)
		return;
	if (map->fd >= 0)
		close(map->fd);
	strpool_finish(&map->names);
	vec_free(&map->functions);
	free(map);
}

/* --- finding it -------------------------------------------------------------------- */

/* Whose process it is, and its PID as it sees it itself. */
static bool read_identity(const struct proc_dir *dir, unsigned *uid, unsigned *pid)
{
	char text[STATUS_BYTES];
	small_file_read(dir->fd, "status", text, sizeof(text));
	unsigned long long effective, innermost;
	if (!status_number(text, "\nUid:", 1, 10, &effective) ||
		!status_number(text, "\nNSpid:", STATUS_LAST, 10, &innermost))
		return false;
	*uid = (unsigned)effective;
	*pid = (unsigned)innermost;
	return true;
}

static int open_below(int dir_fd, const char *name, int flags)
{
	int fd = dir_fd < 0 ? -1 : openat(dir_fd, name, flags | O_NOFOLLOW | O_CLOEXEC);
	int errnum = errno;
	if (dir_fd >= 0)
		close(dir_fd);
	errno = errnum;
	return fd;
}

/* When the process began, as file times are told; 0 if that is not known. */
static double start_time(const struct proc_dir *dir)
{
	struct timespec wall, boot;
	struct task_stat stat;
	int fd = openat(dir->fd, "stat", O_RDONLY | O_CLOEXEC);
	bool known = fd >= 0 && task_read_stat(fd, &stat);
	if (fd >= 0)
		close(fd);
	if (!known || clock_gettime(CLOCK_REALTIME, &wall) != 0 ||
		clock_gettime(CLOCK_BOOTTIME, &boot) != 0)
		return 0;
	double booted = (double)(wall.tv_sec - boot.tv_sec) +
			(double)(wall.tv_nsec - boot.tv_nsec) / NS_PER_SEC;
	return booted + (double)stat.start_ticks / (double)sysconf(_SC_CLK_TCK);
}

static bool is_stale(const struct stat *status, double start)
{
	double written = (double)status->st_mtim.tv_sec +
			 (double)status->st_mtim.tv_nsec / NS_PER_SEC;
	return start > 0 && written + START_TOLERANCE_S < start;
}

/* Why the file at FD must not be read; NULL: it may be read. */
static const char *why_not(const struct proc_dir *dir, int fd, unsigned uid)
{
	struct stat status;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return "it is not a plain file";
	if (status.st_nlink != 1)
		return "it has several names";
	if (status.st_uid != uid && status.st_uid != 0)
		return "it is neither the process's user's nor root's";
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return "others may write to it";
	return is_stale(&status, start_time(dir)) ? "it is older than the process" : NULL;
}

static int open_map(const struct proc_dir *dir, const char **refusal)
{
	unsigned uid, pid;
	char name[64];
	*refusal = NULL;
	if (!read_identity(dir, &uid, &pid))
		return -1;
	int root = openat(dir->fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int tmp = open_below(root, "tmp", O_PATH | O_DIRECTORY);
	snprintf(name, sizeof(name), "perf-%u.map", pid);
	int fd = open_below(tmp, name, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ELOOP)
		*refusal = "it is a symbolic link";
	if (fd < 0)
		return fd;
	*refusal = why_not(dir, fd, uid);
	if (!*refusal)
		return fd;
	close(fd);
	return -1;
}

/* --- reading it -------------------------------------------------------------------- */

static void take_line(struct perf_map *map, const char *line, size_t length)
{
	char text[64 + NAME_MAX_BYTES], *end;
	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	memcpy(text, line, length);
	text[length] = '\0';
	uint64_t start = strtoull(text, &end, 16);
	if (end == text || *end != ' ')
		return;
	char *second = end + 1;
	uint64_t size = strtoull(second, &end, 16);
	if (end == second || *end != ' ' || !end[1] || size == 0)
		return;
	vec_push(&map->functions, (struct jitted){
					  .start = start,
					  .size = size,
					  .name = strpool_intern(&map->names, end + 1),
					  .line = map->lines++,
				  });
}

static int compare_functions(const void *left, const void *right)
{
	const struct jitted *a = left, *b = right;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void keep_tail(struct perf_map *map, const char *text, size_t length)
{
	if (length == 0)
		return;
	map->tail_bytes = length < TAIL_BYTES ? length : TAIL_BYTES;
	memcpy(map->tail, text + length - map->tail_bytes, map->tail_bytes);
}

/* Some write the file anew each time, as HotSpot does: then it is read from the beginning,
   and what is not in it any more has no name. */
static bool is_written_anew(const struct perf_map *map, const struct stat *status)
{
	unsigned char now[TAIL_BYTES];
	return status->st_nlink == 0 || (uint64_t)status->st_size < map->offset ||
	       pread(map->fd, now, map->tail_bytes,
		       (off_t)(map->offset - map->tail_bytes)) !=
		       (ssize_t)map->tail_bytes ||
	       memcmp(now, map->tail, map->tail_bytes) != 0;
}

static void begin_anew(struct perf_map *map, bool is_removed)
{
	if (is_removed) {
		close(map->fd);
		map->fd = open_map(map->dir, &map->refusal);
	}
	map->offset = map->tail_bytes = 0;
	map->functions.len = 0;
}

static bool take_lines(struct perf_map *map, const char *text, size_t length)
{
	const char *end = text + length, *line = text, *next;
	for (; line < end && (next = memchr(line, '\n', (size_t)(end - line)));
		line = next + 1)
		take_line(map, line, (size_t)(next - line));
	keep_tail(map, text, (size_t)(line - text));
	map->offset += (uint64_t)(line - text);
	if (line > text && map->functions.len)
		qsort(map->functions.data, map->functions.len,
			sizeof(*map->functions.data), compare_functions);
	return line > text;
}

const char *perf_map_refusal(const struct perf_map *map)
{
	return map->refusal;
}

bool perf_map_refresh(struct perf_map *map)
{
	struct stat status;
	if (map->fd < 0)
		map->fd = open_map(map->dir, &map->refusal);
	else if (fstat(map->fd, &status) == 0 && is_written_anew(map, &status))
		begin_anew(map, status.st_nlink == 0);
	if (map->fd < 0 || fstat(map->fd, &status) != 0 ||
		(uint64_t)status.st_size <= map->offset ||
		status.st_size > FILE_MAX_BYTES)
		return false;
	size_t length = (size_t)((uint64_t)status.st_size - map->offset);
	char *text = mem_alloc(length);
	ssize_t got = pread(map->fd, text, length, (off_t)map->offset);
	bool more = got > 0 && take_lines(map, text, (size_t)got);
	free(text);
	return more;
}

const char *perf_map_find(const struct perf_map *map, uint64_t address)
{
	size_t low = 0, high = map->functions.len;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (map->functions.data[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct jitted *best = NULL;
	for (unsigned tries = 0; low > 0 && tries < OVERLAP_MAX; tries++) {
		const struct jitted *function = &map->functions.data[--low];
		if (address - function->start < function->size &&
			(!best || function->line > best->line))
			best = function;
	}
	return best ? best->name : NULL;
}
