/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * callgrind-events: what the numbers of a callgrind file count.
 *
 * Used by import-callgrind.c only.
 */
#ifndef CPROFTOP_CALLGRIND_EVENTS_H
#define CPROFTOP_CALLGRIND_EVENTS_H

#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/facts/origin.h"

#include <stdbool.h>
#include <stddef.h>

struct recording;

struct callgrind_events {
	struct recording *recording;
	VEC(struct value_type) types; /* in the order of the columns */

	/* Private. */
	VEC(struct value_type) said; /* an event's name, and "TYPE in UNIT" */
};

/* The next word of *TEXT, which moves behind it; *LENGTH is 0 at the end. */
const char *callgrind_word(const char **text, size_t *length);

/* What is behind "event:". */
void callgrind_events_describe(struct callgrind_events *events, const char *text);

/* What is behind "events:": types are these from now on. */
bool callgrind_events_read(
	struct callgrind_events *events, const char *text, struct error *err);

void callgrind_events_finish(struct callgrind_events *events);

#endif
