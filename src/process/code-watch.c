/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/process/code-watch.h"

#include "src/base/ask-opener.h"
#include "src/base/clock.h"

#include <fcntl.h>
#include <inttypes.h>
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
	BATCH = OPENER_LINKS_MAX, /* links that are asked for together */
	NAME_BYTES = 48,	  /* "map_files/", two addresses */
	CROWD = 64, /* of more threads a comparison takes less than to add up their faults */
};

void code_watch_finish(struct code_watch *watch)
{
	code_watch_forget(watch);
	if (watch->stat_is_open)
		close(watch->stat_fd);
	watch->stat_is_open = false;
}

void code_watch_forget(struct code_watch *watch)
{
	vec_free(&watch->unsure);
	vec_free(&watch->restless);
	watch->n_old = 0;
	watch->begun = false;
	watch->compared_faults = 0;
	watch->is_crowded = false;
}

/* minflt and majflt of /proc/PID/stat, of all threads, which the kernel adds up; 0 if that is not
   known. */
static uint64_t read_faults(struct code_watch *watch, const struct proc_dir *dir)
{
	char text[512];
	unsigned long long minor = 0, major = 0, threads = 0;
	if (!watch->stat_is_open) {
		watch->stat_fd = ask_opener_open(dir->fd, "stat", O_RDONLY | O_CLOEXEC);
		watch->stat_is_open = watch->stat_fd >= 0;
	}
	ssize_t length = pread(watch->stat_fd, text, sizeof(text) - 1, 0);
	text[length > 0 ? length : 0] = '\0';
	const char *name_end = strrchr(text, ')');
	if (!name_end || sscanf(name_end,
				 ") %*c %*d %*d %*d %*d %*d %*u %llu %*u %llu %*u"
				 " %*u %*u %*d %*d %*d %*d %llu",
				 &minor, &major, &threads) != 3)
		return 0;
	watch->is_crowded = threads > CROWD;
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
	watch->faults_before = watch->faults;
	bool is_worthwhile = !watch->useless && !watch->is_crowded;
	watch->faults =
		is_worthwhile || watch->restless.len ? read_faults(watch, dir) : 0;
}

void code_watch_end(struct code_watch *watch, const struct proc_dir *dir)
{
	size_t kept = 0;
	bool changed =
		watch->restless.len && read_faults(watch, dir) != watch->faults_before;
	vec_each (&watch->restless, range) {
		if (changed)
			vec_push(&watch->unsure, *range);
		if (watch->begun_ns - range->lost_ns < CALM_NS)
			watch->restless.data[kept++] = *range;
	}
	watch->restless.len = kept;
	watch->n_old = watch->unsure.len;
}

static bool is_watched(const struct code_watch *watch, const struct proc_dir *dir,
	const struct region *region, const char *path)
{
	return !watch->useless && !dir->task[0] && watch->begun &&
	       (region->permissions & REGION_EXECUTE) && region->inode != 0 &&
	       path[0] == '/' &&
	       !memchr(path, '\\', strcspn(path, "\n")); /* maps writes \012 */
}

/* Of COUNT regions, the first for which the kernel does not give the path that maps gave; COUNT:
   it does for all. They are asked for together. */
static size_t find_other(struct code_watch *watch, const struct proc_dir *dir,
	const struct region *const *regions, size_t count, const char *text)
{
	char names[BATCH * NAME_BYTES], links[OPENER_BYTES_MAX];
	size_t length = 0;
	int errnum;
	for (size_t i = 0; i < count; i++)
		length += 1 + (size_t)snprintf(names + length, NAME_BYTES,
				      "map_files/%" PRIx64 "-%" PRIx64, regions[i]->start,
				      regions[i]->limit);
	size_t answered =
		ask_opener_links(dir->fd, names, count, links, sizeof(links), &errnum);
	watch->useless |= errnum != 0;
	const char *link = links;
	for (size_t i = 0; i < answered && !watch->useless; i++) {
		const char *path = text + regions[i]->raw_path;
		size_t bytes = strlen(link);
		if (bytes != strcspn(path, "\n") || memcmp(link, path, bytes) != 0)
			return i;
		link += bytes + 1;
	}
	return count;
}

bool code_watch_differs(struct code_watch *watch, const struct proc_dir *dir,
	struct region *regions, size_t count, const char *text)
{
	const struct region *batch[BATCH];
	size_t n = 0, checks = 0;
	if (watch->faults && watch->faults == watch->compared_faults)
		return false;
	for (size_t i = 0; i < count && checks < CHECKS_MAX; i++) {
		struct region *region = &regions[i];
		if (region->idle < CODE_WATCH_IDLE &&
			is_watched(watch, dir, region, text + region->raw_path)) {
			region->idle++;
			checks++;
			batch[n++] = region;
		}
		if (n < BATCH && i + 1 < count && checks < CHECKS_MAX)
			continue;
		size_t other = n ? find_other(watch, dir, batch, n, text) : 0;
		if (other < n) {
			code_watch_lost(watch, batch[other]);
			return true;
		}
		n = 0;
	}
	watch->compared_faults = checks < CHECKS_MAX ? watch->faults : 0;
	return false;
}

bool code_watch_holds(struct code_watch *watch, const struct proc_dir *dir,
	const struct region *region, const char *text)
{
	if (!is_watched(watch, dir, region, text + region->raw_path) ||
		find_other(watch, dir, &region, 1, text) == 1)
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
