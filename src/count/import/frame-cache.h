/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * frame-cache: the frames that a file has named lately, by the bytes of their two texts.
 *
 * A text file says the same few thousand frames millions of times. To clean and intern both
 * texts each time is most of what reading it costs; here one hash and one comparison find the
 * location. A frame that has the place of another takes it, so memory has a limit, and a file
 * that is made to collide is only as slow as without this. One thread at a time.
 */
#ifndef CPROFTOP_FRAME_CACHE_H
#define CPROFTOP_FRAME_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a line, with no NUL behind it. */
struct part {
	const char *text;
	size_t length;
};

struct frame_cache;

struct frame_cache *frame_cache_create(void);
void frame_cache_destroy(struct frame_cache *cache); /* NULL is fine */

/* Has LOCATION been stored for the frame of this NAME in this FILE? */
bool frame_cache_find(const struct frame_cache *cache, struct part name, struct part file,
	uint32_t *location);

/* Store it. Long texts are not stored. */
void frame_cache_put(
	struct frame_cache *cache, struct part name, struct part file, uint32_t location);

#endif
