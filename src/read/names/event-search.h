/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * event-search: where what -e names is in a process, a function or a variable, in its program and all
 * libraries that have one: whoever counts cannot know which of them are meant.
 *
 * Each file is looked at once, when it is mapped. The reader's thread.
 */
#ifndef CPROFTOP_EVENT_SEARCH_H
#define CPROFTOP_EVENT_SEARCH_H

#include "src/base/idmap.h"
#include "src/facts/event.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	EVENT_SEARCH_TEXT_MAX = 256
};

/* Zeroed: nothing is known. */
struct event_search {
	struct event_places found;
	char text[EVENT_SEARCH_TEXT_MAX]; /* which were found, for a person */

	/* Private. */
	struct idmap known; /* (start of a mapping, its file) -> what it is there */
	uint64_t generation;
};

/* Look for what EVENT names in what is mapped now. True if it was found elsewhere than before. */
bool event_search_look(struct event_search *search, struct address_space *space,
	const struct event *event);

/* Does code at ADDRESS begin such a function? */
bool event_search_has(const struct event_search *search, uint64_t address);

void event_search_finish(struct event_search *search);

#endif
