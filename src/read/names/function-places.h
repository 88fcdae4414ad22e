/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * function-places: where a function of a given name is in a process, in its program and all
 * libraries that have one: whoever counts calls cannot know which of them are meant.
 *
 * Each file is looked at once, when it is mapped. The reader's thread.
 */
#ifndef CPROFTOP_FUNCTION_PLACES_H
#define CPROFTOP_FUNCTION_PLACES_H

#include "src/base/idmap.h"
#include "src/facts/event.h"
#include "src/read/space/address-space.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	FUNCTION_PLACES_TEXT_MAX = 256
};

/* Zeroed: nothing is known. */
struct function_places {
	struct event_places found;
	char text[FUNCTION_PLACES_TEXT_MAX]; /* which were found, for a person */

	/* Private. */
	struct idmap
		known; /* (start of a mapping, its file) -> offset of the function, plus 2 */
	uint64_t generation;
};

/* Look for NAME in what is mapped now. True if it was found elsewhere than before. */
bool function_places_look(
	struct function_places *places, struct address_space *space, const char *name);

/* Does code at ADDRESS begin such a function? */
bool function_places_has(const struct function_places *places, uint64_t address);

void function_places_finish(struct function_places *places);

#endif
