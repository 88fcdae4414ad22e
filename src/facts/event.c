/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/facts/event.h"

#include "src/base/newest.h"

#include <stdlib.h>
#include <string.h>

#define PERIOD_MOST 1000000000000u

static const char *const names[] = {
	[EVENT_PAGE_FAULTS] = "page-faults",
	[EVENT_CONTEXT_SWITCHES] = "context-switches",
	[EVENT_CPU_MIGRATIONS] = "cpu-migrations",
	[EVENT_CYCLES] = "cycles",
	[EVENT_INSTRUCTIONS] = "instructions",
	[EVENT_CACHE_MISSES] = "cache-misses",
	[EVENT_BRANCH_MISSES] = "branch-misses",
	[EVENT_FUNCTION] = NULL,
	[EVENT_WRITE] = NULL,
};

const char *event_kind_name(enum event_kind kind)
{
	return names[kind];
}

uint64_t event_period(uint64_t least)
{
	for (uint64_t prime = least | 1;; prime += 2) {
		uint64_t divisor = 3;
		while (divisor * divisor <= prime && prime % divisor != 0)
			divisor += 2;
		if (divisor * divisor > prime)
			return prime;
	}
}

/* What NAME says that is no event of the kernel's: "malloc", "malloc.arg0", "write@total". */
static void parse_place(struct event *event)
{
	static const char write[] = "write@", argument[] = ".arg";
	size_t length = strlen(event->name);
	if (strncmp(event->name, write, strlen(write)) == 0 && length > strlen(write)) {
		event->kind = EVENT_WRITE;
		strcpy(event->place, event->name + strlen(write));
		return;
	}
	strcpy(event->place, event->name);
	const char *dot = strrchr(event->name, '.');
	if (!dot || dot == event->name || strlen(dot) != strlen(argument) + 1 ||
		strncmp(dot, argument, strlen(argument)) != 0)
		return;
	uint32_t number = (uint32_t)(dot[strlen(argument)] - '0');
	if (number >= EVENT_ARGUMENTS)
		return;
	event->argument = number + 1;
	event->place[dot - event->name] = '\0';
}

bool event_parse(const char *text, struct event *out, struct error *err)
{
	const char *colon = strrchr(text, ':');
	bool has_period =
		colon && colon[1] && !colon[1 + strspn(colon + 1, "0123456789")];
	size_t length = has_period ? (size_t)(colon - text) : strlen(text);
	if (length == 0 || length >= EVENT_NAME_MAX)
		return error_set(err,
			"-e '%.200s': give an event (cproftop record -e list) or a "
			"function, and how many there are to a sample: page-faults, "
			"malloc:10, malloc.arg0:10, write@total",
			text);
	*out = (struct event){.kind = EVENT_PAGE_FAULTS};
	memcpy(out->name, text, length);
	while (names[out->kind] && strcmp(names[out->kind], out->name) != 0)
		out->kind++;
	if (event_has_places(out->kind))
		parse_place(out);
	if (!has_period)
		return true;
	out->period = strtoull(colon + 1, NULL, 10);
	if (out->period == 0 || out->period > PERIOD_MOST)
		return error_set(err, "-e '%.200s': a sample of each 1 to %llu events",
			text, (unsigned long long)PERIOD_MOST);
	out->period = event_period(out->period);
	return true;
}

void event_put(struct event_box *box, const struct event_places *places)
{
	newest_put(&box->number, &box->places, places, sizeof(*places));
}

bool event_take(struct event_box *box, uint32_t *number, struct event_places *out)
{
	struct event_places places;
	if (!newest_take(&box->number, &box->places, number, &places, sizeof(places)))
		return false;
	*out = places;
	if (out->count > EVENT_PLACES)
		out->count = 0;
	return true;
}
