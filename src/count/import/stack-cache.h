/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stack-cache: the stacks that were added lately, by their locations.
 *
 * The table of stacks takes a step for each frame, through memory that is not near. A stack
 * that comes again is found here at once. One that has the place of another takes it, so
 * memory has a limit. One thread at a time.
 */
#ifndef CPROFTOP_STACK_CACHE_H
#define CPROFTOP_STACK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stack_cache;

struct stack_cache *stack_cache_create(void);
void stack_cache_destroy(struct stack_cache *cache); /* NULL is fine */

/* Has STACK been stored for these LENGTH locations? */
bool stack_cache_find(const struct stack_cache *cache, const uint32_t *locations,
	size_t length, uint32_t *stack);

/* Store it. Deep stacks are not stored. */
void stack_cache_put(struct stack_cache *cache, const uint32_t *locations, size_t length,
	uint32_t stack);

#endif
