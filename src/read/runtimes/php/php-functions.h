/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * php-functions: what a zend_function is called, where it is written, and which line an
 * instruction of it belongs to.
 *
 * Functions are read some milliseconds after the sample. A closure, a script that was included, or
 * the whole request may have ended meanwhile, and its memory may have been used for something
 * else. So the recipe copies the words of each function in the stop, and it is named only if
 * it has the same ones when its texts and lines are read, before that and after. What was
 * found is kept; it is looked at again before a later sample is named by it. What opcache has
 * compiled lies in memory that processes share, where nothing is freed: that is named also after
 * the request.
 *
 * A function that had the same words in several samples over some seconds, at an address that
 * never had others, is settled: its words need not be copied any more. It is still named
 * only if it has them after the sample.
 *
 * The process may be hostile: all that is read is bounded, and texts are cleaned. One thread.
 */
#ifndef CPROFTOP_PHP_FUNCTIONS_H
#define CPROFTOP_PHP_FUNCTIONS_H

#include "src/facts/snapshot.h"
#include "src/process/target-memory.h"
#include "src/read/runtimes/php/php-layout.h"
#include "src/read/runtimes/runtime.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct php_functions;

/* IS_SHARED, with the context of MEMORY: is ADDRESS in memory that processes share? */
struct php_functions *php_functions_create(const struct php_layout *layout,
	const struct target_memory *memory,
	bool (*is_shared)(void *context, uint64_t address));
void php_functions_destroy(struct php_functions *functions); /* NULL is fine */

/* Write to ADDRESSES those that are settled, in order: MOST at most. Returns how many. */
size_t php_functions_settled(
	const struct php_functions *functions, uint64_t *addresses, size_t most);

/* What the function at ADDRESS is, in the sample SNAPSHOT: PHP_USER, PHP_EVAL, PHP_INTERNAL or
   PHP_NAMELESS; 0 if that is not known. */
unsigned php_functions_kind(const struct php_functions *functions,
	const struct snapshot *snapshot, uint64_t address);

/* The function of FRAME in the sample SNAPSHOT, with its line, 0 if that is not known. False: it
   is gone, or another one. */
bool php_functions_find(struct php_functions *functions, const struct snapshot *snapshot,
	const struct script_frame *frame, struct script_function *out);

#endif
