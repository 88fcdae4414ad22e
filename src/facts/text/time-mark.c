/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/text/time-mark.h"

#include "src/base/clean.h"
#include "src/base/clock.h"
#include "src/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORD	       "mark "
#define SECONDS_FORMAT "%Y-%m-%dT%H:%M:%S"

enum {
	DIGITS = 9,		 /* of a second's fraction */
	YEAR_MOST = 2261 - 1900, /* later, ns since 1970 do not fit */
};

struct time_mark time_mark_make(uint64_t time_ns, const char *text)
{
	struct time_mark mark = {.time_ns = time_ns};
	clean_text(mark.text, sizeof(mark.text), *text ? text : "mark",
		*text ? strlen(text) : strlen("mark"));
	return mark;
}

struct time_mark *time_marks_between(const struct time_mark *all, size_t n,
	uint64_t start_ns, uint64_t end_ns, size_t *count)
{
	struct time_mark *some = mem_alloc((n + 1) * sizeof(*some));
	*count = 0;
	for (size_t i = 0; i < n; i++)
		if (all[i].time_ns >= start_ns && all[i].time_ns < end_ns)
			some[(*count)++] = all[i];
	return some;
}

char *time_mark_comment(const struct time_mark *mark, uint64_t wall_ns)
{
	char when[32];
	time_t seconds = (time_t)(wall_ns / NS_PER_SEC);
	struct tm utc;
	gmtime_r(&seconds, &utc);
	strftime(when, sizeof(when), SECONDS_FORMAT, &utc);
	return mem_printf(
		WORD "%s.%09" PRIu64 "Z %s", when, wall_ns % NS_PER_SEC, mark->text);
}

bool time_mark_parse(const char *comment, struct time_mark *mark, uint64_t *wall_ns)
{
	struct tm utc = {0};
	if (strncmp(comment, WORD, strlen(WORD)) != 0)
		return false;
	const char *rest = strptime(comment + strlen(WORD), SECONDS_FORMAT, &utc);
	if (!rest || *rest != '.' || strspn(rest + 1, "0123456789") != DIGITS ||
		strncmp(rest + 1 + DIGITS, "Z ", 2) != 0)
		return false;
	time_t seconds = timegm(&utc);
	if (seconds < 0 || utc.tm_year > YEAR_MOST)
		return false;
	*wall_ns = (uint64_t)seconds * NS_PER_SEC + strtoul(rest + 1, NULL, 10);
	*mark = time_mark_make(mark->time_ns, rest + 1 + DIGITS + strlen("Z "));
	return true;
}
