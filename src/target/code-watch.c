/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/target/code-watch.h"

#include "src/base/clock.h"
#include "src/base/small-file.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How long a place counts as restless after other code came there; and two losses within so
   long: libraries take turns. */
#define CALM_NS (10 * NS_PER_SEC)
#define TURN_NS (NS_PER_SEC / 2)

enum {
	RESTLESS_MAX = 64,
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
	small_file_read(dir->fd, "stat", text, sizeof(text));
	const char *name_end = strrchr(text, ')');
	if (!name_end || sscanf(name_end, ") %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu",
				 &minor, &major) != 2)
		return UINT64_MAX; /* it has ended: nothing changes any more */
	return minor + major;
}

void code_watch_begin(struct code_watch *watch, const struct proc_dir *dir)
{
	watch->begun = true;
	watch->sample_ns = 0;
	watch->before_ns = watch->begun_ns;
	watch->begun_ns = clock_monotonic_ns();
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
		if (watch->begun_ns - range->lost_ns < CALM_NS)
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
	struct code_range range = {gone->start, gone->limit, watch->begun_ns, false};
	if (!(gone->permissions & REGION_EXECUTE) || gone->inode == 0 || !watch->begun)
		return;
	vec_push(&watch->unsure, range);
	vec_each (&watch->restless, known) {
		if (known->start != range.start || known->limit != range.limit)
			continue;
		uint64_t since_ns = watch->begun_ns - known->lost_ns;
		known->lost_ns = watch->begun_ns;
		known->changes_hands |= since_ns > 0 && since_ns <= TURN_NS;
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

bool code_watch_is_restless(const struct code_watch *watch)
{
	return watch->restless.len > 0 && watch->restless.len < RESTLESS_MAX;
}

bool code_watch_was_restless(
	const struct code_watch *watch, uint64_t start, uint64_t limit)
{
	vec_each (&watch->restless, range)
		if (start < range->limit && range->start < limit)
			return true;
	return false;
}

uint32_t code_watch_places(const struct code_watch *watch, uint64_t *out, uint32_t most)
{
	uint32_t count = 0;
	for (; count < most && count < watch->restless.len; count++)
		out[count] = watch->restless.data[count].start;
	return count;
}

void code_watch_at(struct code_watch *watch, uint64_t sample_ns)
{
	watch->sample_ns = sample_ns;
}

bool code_watch_is_unsure(const struct code_watch *watch, uint64_t address)
{
	vec_each (&watch->unsure, range)
		if (address >= range->start && address < range->limit)
			return true;
	if (watch->sample_ns == 0 || watch->sample_ns >= watch->before_ns)
		return false;
	vec_each (&watch->restless, range)
		if (address >= range->start && address < range->limit)
			return true;
	return false;
}
