/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/perf-map.h"

#include "src/base/ask-opener.h"
#include "src/base/clock.h"
#include "src/base/mem.h"
#include "src/base/regular-file.h"
#include "src/base/small-file.h"
#include "src/process/task.h"
#include "src/read/elf/file-budget.h"
#include "src/read/names/jit-functions.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
	FILE_MAX_BYTES = 1 << 30,
	PIECE_BYTES = 1 << 20,
	NAME_MAX_BYTES = 4096,
	STATUS_BYTES = 4096,
	START_TOLERANCE_S = 2, /* clocks may be adjusted, and ticks are coarse */
	TAIL_BYTES = 256,      /* of what was read, to see that it is still there */
	TEXT_TIMES = 8,	       /* functions may take so much more than their lines */
};

struct perf_map {
	const struct proc_dir *dir;
	int fd; /* -1: not found yet */
	const char *refusal;
	bool is_behind;
	uint64_t offset;		/* read so far, to the end of a line */
	unsigned char tail[TAIL_BYTES]; /* the last bytes before that, */
	size_t tail_bytes;		/* so many */
	struct jit_functions functions;
	struct file_budget *budget; /* borrowed; NULL: none */
	uint64_t charged_bytes;	    /* taken from it */
};

struct perf_map *perf_map_create(const struct proc_dir *dir, struct file_budget *budget)
{
	struct perf_map *map = mem_zalloc(sizeof(*map));
	map->dir = dir;
	map->budget = budget;
	map->fd = -1;
	return map;
}

/* Have BYTES of the budget; false if there are no more. */
static bool charge(struct perf_map *map, uint64_t bytes)
{
	struct file_budget *budget = map->budget;
	if (budget && bytes > map->charged_bytes &&
		!file_budget_take(budget, bytes - map->charged_bytes))
		return false;
	if (budget && bytes < map->charged_bytes)
		file_budget_give(budget, map->charged_bytes - bytes);
	map->charged_bytes = bytes;
	return true;
}

void perf_map_destroy(struct perf_map *map)
{
	if (!map)
		return;
	if (map->fd >= 0)
		close(map->fd);
	jit_functions_finish(&map->functions);
	charge(map, 0);
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

/* When the process began, as file times are told; 0 if that is not known. */
static double start_time(const struct proc_dir *dir)
{
	struct timespec wall, boot;
	struct task_stat stat;
	if (!task_stat_at(dir->fd, "stat", &stat) ||
		clock_gettime(CLOCK_REALTIME, &wall) != 0 ||
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

enum {
	MAY_BE_READ,
	IS_NOT_PLAIN,
	HAS_NAMES,
	IS_FOREIGN,
	IS_WRITTEN,
	IS_STALE,
	IS_LINK,
	IS_MOUNTED,
};

static const char *const refusals[] = {
	[IS_NOT_PLAIN] = "it is not a plain file",
	[HAS_NAMES] = "it has several names",
	[IS_FOREIGN] = "it is neither the process's user's nor root's",
	[IS_WRITTEN] = "others may write to it",
	[IS_STALE] = "it is older than the process",
	[IS_LINK] = "it is a symbolic link",
	[IS_MOUNTED] = "it is on another file system than its folder",
};

/* Why the file at FD must not be read. */
static int why_not(const struct proc_dir *dir, int fd, unsigned uid)
{
	struct stat status;
	if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
		return IS_NOT_PLAIN;
	if (status.st_nlink != 1)
		return HAS_NAMES;
	if (status.st_uid != uid && status.st_uid != 0)
		return IS_FOREIGN;
	if (status.st_mode & (S_IWGRP | S_IWOTH))
		return IS_WRITTEN;
	return is_stale(&status, start_time(dir)) ? IS_STALE : MAY_BE_READ;
}

/* Its folder is the target's, which can link or mount there what it may not read itself: who opens
   it FOR_ANOTHER does not follow either. */
static int open_in_tmp(const struct proc_dir *dir, const char *name, bool for_another)
{
	int root = openat(dir->fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int tmp = root < 0 ? -1
			   : openat(root, "tmp",
				     O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int fd = -1;
	if (tmp >= 0 && for_another)
		fd = regular_file_open(tmp, name,
			RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV);
	else if (tmp >= 0)
		fd = openat(tmp, name,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int errnum = errno;
	if (root >= 0)
		close(root);
	if (tmp >= 0)
		close(tmp);
	errno = errnum;
	return fd;
}

int perf_map_open(const struct proc_dir *dir, bool for_another, int *refusal)
{
	unsigned uid, pid;
	char name[64];
	*refusal = MAY_BE_READ;
	if (!read_identity(dir, &uid, &pid))
		return -1;
	snprintf(name, sizeof(name), "perf-%u.map", pid);
	int fd = open_in_tmp(dir, name, for_another);
	if (fd < 0) {
		*refusal = errno == ELOOP    ? IS_LINK
			   : errno == EXDEV  ? IS_MOUNTED
			   : errno == EINVAL ? IS_NOT_PLAIN
					     : MAY_BE_READ;
		return -1;
	}
	*refusal = why_not(dir, fd, uid);
	if (*refusal == MAY_BE_READ)
		return fd;
	close(fd);
	return -1;
}

static int open_map(const struct proc_dir *dir, const char **refusal)
{
	struct opener_question question = {.kind = OPENER_PERF_MAP};
	struct opener_answer answer = {.number = MAY_BE_READ};
	int fd, number = MAY_BE_READ;
	if (!ask_opener_is_used())
		fd = perf_map_open(dir, false, &number);
	else if (ask_opener(&question, dir->fd, NULL, 0, &answer, NULL, 0, &fd) >= 0)
		number = answer.number;
	*refusal = number > MAY_BE_READ && number <= IS_MOUNTED ? refusals[number] : NULL;
	return fd;
}

/* --- reading it -------------------------------------------------------------------- */

/* False if there is no more room for functions. */
static bool take_line(struct perf_map *map, const char *line, size_t length)
{
	char text[64 + NAME_MAX_BYTES], *end;
	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	memcpy(text, line, length);
	text[length] = '\0';
	uint64_t start = strtoull(text, &end, 16);
	if (end == text || *end != ' ')
		return true;
	char *second = end + 1;
	uint64_t size = strtoull(second, &end, 16);
	if (end == second || *end != ' ' || !end[1] || size == 0)
		return true;
	return jit_functions_add(&map->functions, start, size, end + 1);
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
	map->refusal = NULL;
	if (is_removed) {
		close(map->fd);
		map->fd = open_map(map->dir, &map->refusal);
	}
	map->offset = map->tail_bytes = 0;
	jit_functions_clear(&map->functions);
}

/* What the budget has for the functions, and for those of LENGTH bytes of lines before they are
   added. */
static bool has_room(struct perf_map *map, size_t length)
{
	uint64_t bytes = jit_functions_bytes(&map->functions);
	if (charge(map, bytes + TEXT_TIMES * length))
		return true;
	map->refusal = "there is no room for more of it (--file-memory); what follows is "
		       "not read";
	return false;
}

/* Another piece, until others have had their turn? */
static bool has_turn(struct perf_map *map)
{
	map->is_behind = map->budget && map->budget->turn_bytes == 0;
	return !map->is_behind;
}

static void take_turn(struct perf_map *map, size_t bytes)
{
	if (map->budget && map->budget->turn_bytes != UINT64_MAX)
		map->budget->turn_bytes -=
			bytes < map->budget->turn_bytes ? bytes : map->budget->turn_bytes;
}

/* Take the whole lines of a piece of the file. Of a piece without an end of a line,
   nothing is a name. False if nothing can be read behind it. */
static bool take_piece(struct perf_map *map, const char *text, size_t length)
{
	const char *end = text + length, *line = text, *next;
	bool is_kept = true;
	for (; is_kept && line < end && (next = memchr(line, '\n', (size_t)(end - line)));
		line = next + 1)
		is_kept = take_line(map, line, (size_t)(next - line));
	if (!is_kept)
		map->refusal = "it has more than a million functions, or 48 MiB of "
			       "names; what follows is not read";
	if (line == text && length == PIECE_BYTES)
		line = end;
	keep_tail(map, text, (size_t)(line - text));
	map->offset += (uint64_t)(line - text);
	return is_kept && line > text;
}

const char *perf_map_refusal(const struct perf_map *map)
{
	if (!map->refusal && map->is_behind)
		return "it is large, and not read to its end yet";
	return map->refusal;
}

bool perf_map_is_behind(const struct perf_map *map)
{
	return map->is_behind;
}

bool perf_map_refresh(struct perf_map *map)
{
	struct stat status;
	map->is_behind = false;
	if (map->fd < 0)
		map->fd = open_map(map->dir, &map->refusal);
	else if (fstat(map->fd, &status) == 0 && is_written_anew(map, &status))
		begin_anew(map, status.st_nlink == 0);
	if (map->fd < 0 || map->refusal || fstat(map->fd, &status) != 0)
		return false;
	off_t limit = status.st_size;
	if (limit > FILE_MAX_BYTES)
		limit = FILE_MAX_BYTES;
	char *text = mem_alloc(PIECE_BYTES);
	uint32_t before = map->functions.count;
	while (map->offset < (uint64_t)limit && has_turn(map)) {
		ssize_t got = pread(map->fd, text, PIECE_BYTES, (off_t)map->offset);
		if (got <= 0 || !has_room(map, (size_t)got))
			break;
		take_turn(map, (size_t)got);
		if (!take_piece(map, text, (size_t)got))
			break;
	}
	free(text);
	if (map->offset >= FILE_MAX_BYTES && !map->refusal)
		map->refusal = "it is larger than 1 GiB; what follows is not read";
	jit_functions_settle(&map->functions);
	if (map->charged_bytes > 0)
		has_room(map, 0);
	return map->functions.count > before;
}

const char *perf_map_find(const struct perf_map *map, uint64_t address)
{
	return jit_functions_find(&map->functions, address);
}

bool perf_map_range(
	const struct perf_map *map, uint64_t address, uint64_t *start, uint64_t *size)
{
	const struct jit_function *found = jit_functions_at(&map->functions, address);
	if (!found)
		return false;
	*start = found->start;
	*size = found->size;
	return true;
}
