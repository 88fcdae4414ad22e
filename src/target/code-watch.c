/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/target/code-watch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
	CALM_CHECKS = 400,
	RESTLESS_MAX = 64,
	TURN_CHECKS = 16, /* two losses within this many checks: libraries take turns */
	CHECKS_MAX = 256, /* of one time */
	ALARMS_MAX = 100, /* false alarms: a library that is loaded and unloaded again */
};

void code_watch_finish(struct code_watch *watch)
{
	vec_free(&watch->unsure);
	vec_free(&watch->restless);
	watch->n_old = 0;
}

void code_watch_forget(struct code_watch *watch)
{
	code_watch_finish(watch);
	watch->begun = false;
}

/* minflt and majflt of /proc/PID/stat, of all threads. */
static uint64_t read_faults(const struct proc_dir *dir)
{
	char text[512];
	unsigned long long minor = 0, major = 0;
	int fd = openat(dir->fd, "stat", O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (fd >= 0)
		close(fd);
	text[length > 0 ? length : 0] = '\0';
	const char *name_end = strrchr(text, ')');
	if (!name_end || sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu",
				 &minor, &major) != 2)
		return UINT64_MAX; /* it has ended: nothing changes any more */
	return minor + major;
}

void code_watch_begin(struct code_watch *watch, const struct proc_dir *dir)
{
	watch->begun = true;
	watch->checks++;
	if (watch->n_old > 0) {
		watch->unsure.len -= watch->n_old;
		memmove(watch->unsure.data, watch->unsure.data + watch->n_old,
			watch->unsure.len * sizeof(*watch->unsure.data));
		watch->n_old = 0;
	}
	watch->faults_before = watch->restless.len ? read_faults(dir) : 0;
}

void code_watch_end(struct code_watch *watch, const struct proc_dir *dir)
{
	size_t kept = 0;
	bool changed = watch->restless.len && read_faults(dir) != watch->faults;
	watch->faults = watch->faults_before;
	vec_each (&watch->restless, range) {
		if (changed)
			vec_push(&watch->unsure, *range);
		if (--range->calm > 0)
			watch->restless.data[kept++] = *range;
	}
	watch->restless.len = kept;
	watch->n_old = watch->unsure.len;
}

/* Does the kernel still give the path that maps gave? */
static bool is_same(struct code_watch *watch, const struct proc_dir *dir,
	const struct region *region, const char *path)
{
	char name[64], found[PATH_MAX];
	size_t length = strcspn(path, "\n");
	snprintf(name, sizeof(name), "map_files/%" PRIx64 "-%" PRIx64, region->start,
		region->limit);
	ssize_t got = readlinkat(dir->fd, name, found, sizeof(found));
	if (got < 0 && errno != ENOENT)
		watch->useless = true;
	return watch->useless ||
	       (got == (ssize_t)length && memcmp(found, path, length) == 0);
}

static bool is_watched(const struct code_watch *watch, const struct proc_dir *dir,
	const struct region *region, const char *path)
{
	return !watch->useless && !dir->task[0] && watch->begun &&
	       (region->permissions & REGION_EXECUTE) && region->inode != 0 &&
	       path[0] == '/' &&
	       !memchr(path, '\\', strcspn(path, "\n")); /* maps writes \012 */
}

bool code_watch_differs(struct code_watch *watch, const struct proc_dir *dir,
	struct region *regions, size_t count, const char *text)
{
	unsigned checks = 0;
	bool same = true;
	for (size_t i = 0; i < count && same && checks < CHECKS_MAX; i++) {
		struct region *region = &regions[i];
		const char *path = text + region->raw_path;
		if (region->idle >= CODE_WATCH_IDLE ||
			!is_watched(watch, dir, region, path))
			continue;
		region->idle++;
		checks++;
		same = is_same(watch, dir, region, path);
		if (!same)
			code_watch_lost(watch, region);
	}
	return !same;
}

bool code_watch_holds(struct code_watch *watch, const struct proc_dir *dir,
	const struct region *region, const char *text)
{
	if (!is_watched(watch, dir, region, text + region->raw_path) ||
		is_same(watch, dir, region, text + region->raw_path))
		return true;
	code_watch_lost(watch, region);
	return false;
}

void code_watch_learn(struct code_watch *watch, bool confirmed)
{
	watch->alarms = confirmed ? 0 : watch->alarms + 1;
	if (watch->alarms >= ALARMS_MAX)
		watch->useless = true;
}

void code_watch_lost(struct code_watch *watch, const struct region *gone)
{
	struct code_range range = {
		gone->start, gone->limit, CALM_CHECKS, watch->checks, false};
	if (!(gone->permissions & REGION_EXECUTE) || gone->inode == 0 || !watch->begun)
		return;
	vec_push(&watch->unsure, range);
	vec_each (&watch->restless, known) {
		if (known->start != range.start || known->limit != range.limit)
			continue;
		uint64_t since = watch->checks - known->lost;
		known->calm = CALM_CHECKS;
		known->lost = watch->checks;
		known->changes_hands |= since > 0 && since <= TURN_CHECKS;
		return;
	}
	if (watch->restless.len < RESTLESS_MAX)
		vec_push(&watch->restless, range);
}

void code_watch_come(struct code_watch *watch, const struct region *come)
{
	vec_each (&watch->restless, range)
		if (come->start < range->limit && range->start < come->limit) {
			struct code_range unsure = {
				.start = come->start, .limit = come->limit};
			vec_push(&watch->unsure, unsure);
			return;
		}
}

bool code_watch_changes_hands(
	const struct code_watch *watch, uint64_t start, uint64_t limit)
{
	vec_each (&watch->restless, range)
		if (range->changes_hands && start < range->limit && range->start < limit)
			return true;
	return false;
}

bool code_watch_is_unsure(const struct code_watch *watch, uint64_t address)
{
	vec_each (&watch->unsure, range)
		if (address >= range->start && address < range->limit)
			return true;
	return false;
}
