/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/write/push/spool.h"

#include "src/base/mem.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* --- names ------------------------------------------------------------------------- */

/* The last '-' before END, and only digits between the two; NULL if it is not so. */
static const char *number_before(const char *name, const char *end)
{
	const char *at = end;
	while (at > name && isdigit((unsigned char)at[-1]))
		at--;
	return at > name && at < end && at[-1] == '-' ? at - 1 : NULL;
}

/* The time that ends at END, with its '-'. */
static const char *time_before(const char *name, const char *end, int64_t *time_s)
{
	static const char like[] = "-20261121T144200Z";
	struct tm utc = {0};
	size_t length = sizeof(like) - 1;
	if (end - name < (ptrdiff_t)length)
		return NULL;
	const char *rest = strptime(end - length, "-%Y%m%dT%H%M%SZ", &utc);
	*time_s = timegm(&utc);
	return rest == end ? end - length : NULL;
}

/* Is NAME that of a file of ours? Then what it says. */
static bool parse_name(const char *name, const char *suffix, struct spool_file *file)
{
	size_t length = strlen(name), tail = strlen(suffix);
	if (length <= tail || strcmp(name + length - tail, suffix) != 0)
		return false;
	const char *end = name + length - tail,
		   *at = time_before(name, end, &file->begin_s);
	if (!at) {
		const char *again = number_before(name, end);
		at = again ? time_before(name, again, &file->begin_s) : NULL;
	}
	const char *pid = at ? number_before(name, at) : NULL;
	if (!pid || pid == name)
		return false;
	file->pid = (pid_t)strtol(pid + 1, NULL, 10);
	file->program = mem_printf("%.*s", (int)(pid - name), name);
	file->name = mem_strdup(name);
	return true;
}

/* --- the folder -------------------------------------------------------------------- */

static int compare(const void *left, const void *right)
{
	const struct spool_file *a = left, *b = right;
	if (a->begin_s != b->begin_s)
		return a->begin_s < b->begin_s ? -1 : 1;
	return strcmp(a->name, b->name);
}

bool spool_list(struct spool *spool, int folder, const char *suffix, struct error *err)
{
	*spool = (struct spool){0};
	int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		int errnum = errno;
		if (fd >= 0)
			close(fd);
		return error_errno(err, errnum, "the folder of the profiles");
	}
	for (struct dirent *entry; (entry = readdir(dir));) {
		struct stat status;
		struct spool_file file = {0};
		if (fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
			!S_ISREG(status.st_mode) ||
			!parse_name(entry->d_name, suffix, &file))
			continue;
		file.bytes = (uint64_t)status.st_size;
		file.end_s = status.st_mtim.tv_sec > file.begin_s ? status.st_mtim.tv_sec
								  : file.begin_s + 1;
		vec_push(&spool->files, file);
	}
	closedir(dir);
	if (spool->files.len > 0)
		qsort(spool->files.data, spool->files.len, sizeof(*spool->files.data),
			compare);
	return true;
}

void spool_finish(struct spool *spool)
{
	vec_each (&spool->files, file) {
		free(file->name);
		free(file->program);
	}
	vec_free(&spool->files);
}

/* --- what may stay ----------------------------------------------------------------- */

bool spool_limit_parse(struct spool_limit *limit, const char *text, struct error *err)
{
	static const struct {
		char letter;
		uint64_t bytes;
		int64_t seconds;
	} units[] = {
		{'K', 1 << 10, 0},
		{'M', 1 << 20, 0},
		{'G', 1 << 30, 0},
		{'s', 0, 1},
		{'m', 0, 60},
		{'h', 0, 3600},
		{'d', 0, 86400},
	};
	char *end;
	errno = 0;
	unsigned long number = strtoul(text, &end, 10);
	*limit = (struct spool_limit){0};
	if (isdigit((unsigned char)text[0]) && errno == 0 && number > 0 &&
		number <= 1000000000) {
		if (!*end)
			limit->files = (unsigned)number;
		for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
			if (*end == units[i].letter && !end[1]) {
				limit->bytes = number * units[i].bytes;
				limit->age_s = (int64_t)number * units[i].seconds;
			}
	}
	return limit->files || limit->bytes || limit->age_s ||
	       error_set(err,
		       "--keep: '%s' is not a number of files (20), of bytes (500M) or "
		       "of "
		       "days (7d)",
		       text);
}

unsigned spool_prune(int folder, const char *suffix, const char *program,
	const struct spool_limit *limit, int64_t now_s)
{
	struct spool spool;
	unsigned removed = 0, kept = 0;
	uint64_t bytes = 0;
	if (!spool_list(&spool, folder, suffix, NULL))
		return 0;
	for (size_t i = spool.files.len; i-- > 0;) { /* from the newest */
		const struct spool_file *file = &spool.files.data[i];
		if (strcmp(file->program, program) != 0)
			continue;
		bytes += file->bytes;
		bool is_over = (limit->files && kept >= limit->files) ||
			       (limit->bytes && bytes > limit->bytes) ||
			       (limit->age_s && file->end_s < now_s - limit->age_s);
		if (kept > 0 && is_over)
			removed += unlinkat(folder, file->name, 0) == 0;
		else
			kept++;
	}
	spool_finish(&spool);
	return removed;
}
