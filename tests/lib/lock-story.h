/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lock-story: what threads did and waited for, told by hand, as a report.
 */
#ifndef CPROFTOP_TESTS_LOCK_STORY_H
#define CPROFTOP_TESTS_LOCK_STORY_H

#include "src/count/locks/locks.h"
#include "src/count/report-build.h"
#include "src/keep/history.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

struct story {
	struct history history;
	uint32_t mapping[2]; /* app, libc */
	struct report *report;
};

static inline uint32_t frame(struct story *story, const char *name)
{
	struct profile *profile = story->history.profile;
	bool is_libc = name[0] == '_';
	struct function function = {
		.name = name,
		.system_name = name,
		.module = is_libc ? "libc.so.6" : "app",
		.file = "",
	};
	struct line line = {.function = profile_intern_function(profile, &function)};
	uint64_t address = 0x1000 + 16 * (uint64_t)line.function;
	uint32_t known = profile_find_location(profile, story->mapping[is_libc], address);
	return known != PROFILE_NONE
		       ? known
		       : profile_add_location(
				 profile, story->mapping[is_libc], address, &line, 1);
}

/* TID was LENGTH ms long in STACK ("main;run"), until AT ms. WAIT and DETAIL: what it waited
   for; NULL: it ran. */
static inline void was_in(struct story *story, pid_t tid, unsigned at, unsigned length,
	const char *stack, const char *wait, const char *detail)
{
	uint32_t locations[16], depth = 0, reversed[16];
	char copy[256], *rest = copy, *name;
	size_t n = 0;
	snprintf(copy, sizeof(copy), "%s", stack);
	while ((name = strsep(&rest, ";")))
		locations[depth++] = frame(story, name);
	if (wait)
		reversed[n++] =
			profile_intern_detailed(story->history.profile, wait, detail);
	while (depth > 0)
		reversed[n++] = locations[--depth];
	struct sample sample = {
		.time_ns = at * MS,
		.cpu_ns = wait ? 0 : length * MS,
		.wall_ns = length * MS,
		.count = 1,
		.state = wait ? THREAD_BLOCKED : THREAD_RUNNING,
	};
	history_add(&story->history, tid, reversed, n, UNWIND_ROOT, &sample);
}

/* At AT ms the thread that WAITER was last said to wait for had the lock. */
static inline void was_seen(struct story *story, pid_t waiter, unsigned at)
{
	history_contend(&story->history, waiter);
	history_witness(&story->history, waiter, at * MS);
}

static inline void begin(struct story *story)
{
	*story = (struct story){.report = NULL};
	history_init(&story->history, true, 0, 0);
	for (int i = 0; i < 2; i++)
		story->mapping[i] = profile_add_mapping(story->history.profile,
			&(struct mapping){.start = 0x1000,
				.limit = 0x100000,
				.path = i ? "/lib/libc.so.6" : "/bin/app",
				.module = i ? "libc.so.6" : "app",
				.build_id = "",
				.is_main = !i});
}

static inline void make_report(struct story *story, bool wall)
{
	struct report_request request = {.wall = wall, .moments = true};
	struct report_input input = {
		.profile = story->history.profile,
		.naming = story->history.naming,
		.stacktab = story->history.stacktab,
		.samples = &story->history.samples,
		.since_ns = 1,
		.now_ns = 200 * MS,
	};
	story->report = report_build(&input, &request);
}

static inline void end(struct story *story)
{
	report_destroy(story->report);
	history_finish(&story->history);
}

#endif
