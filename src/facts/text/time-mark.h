/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time-mark: an instant that somebody has named, for the timeline: "load test begins".
 *
 * `cproftop ctl mark`, a key of the live screen and triggers make them. A file keeps each
 * as a comment with its time in UTC, so that any format with comments has them, programs
 * of others show them, and they stay right when files are added up:
 *
 *	mark 2026-11-22T13:45:00.123456789Z load test begins
 *
 * Plain data. Any thread.
 */
#ifndef CPROFTOP_TIME_MARK_H
#define CPROFTOP_TIME_MARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	TIME_MARK_BYTES = 128, /* of a text, with its NUL; a longer one is cut */
	TIME_MARKS_MOST = 1000 /* kept at a time */
};

struct time_mark {
	uint64_t time_ns; /* monotonic; of a file, as the times of its samples */
	char text[TIME_MARK_BYTES];
};

/* TEXT is cleaned; "" becomes "mark". */
struct time_mark time_mark_make(uint64_t time_ns, const char *text);

/* Those of ALL that are in [START_NS, END_NS), COUNT of them; the caller frees the list. */
struct time_mark *time_marks_between(const struct time_mark *all, size_t n,
	uint64_t start_ns, uint64_t end_ns, size_t *count);

/* The comment for MARK, which was at WALL_NS since 1970, UTC. The caller frees it. */
char *time_mark_comment(const struct time_mark *mark, uint64_t wall_ns);

/* Is COMMENT one? Then MARK gets its text, and WALL_NS its time; MARK's time stays. */
bool time_mark_parse(const char *comment, struct time_mark *mark, uint64_t *wall_ns);

#endif
