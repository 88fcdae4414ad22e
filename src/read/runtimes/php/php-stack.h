/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * php-stack: the PHP frames of one sample, from what its recipe has copied.
 *
 * A call of the interpreter (execute_ex, from C) runs one PHP function and those that it calls
 * without going through C; their frames (zend_execute_data) end with one that says that C has
 * called it. It leaves no mark on the stack of C. Functions of the interpreter and its extensions
 * ("internal" ones) have frames, too, above the function that has called them.
 *
 * A fiber has a native stack of its own, which has no calls of whoever has resumed it: then the
 * outermost segment has all of their functions, too.
 *
 * The interpreter may just be entering or leaving a function. What contradicts itself is not
 * known: a frame above the top of the stack of frames, or one that lies above the frame that it
 * has called.
 *
 * Where the innermost function is, only registers say (php_place_now): its frame has the
 * instruction that it was at when it last called something.
 *
 * A frame's function is the address of its zend_function, its place that of the instruction, and
 * MORE the address of the frame. FUNCTION is 0 for functions that cannot be told: generators that
 * delegate to others. Pure, but for what is known of functions; reads the snapshot, which may
 * hold anything. Any thread.
 */
#ifndef CPROFTOP_PHP_STACK_H
#define CPROFTOP_PHP_STACK_H

#include "src/facts/callchain.h"
#include "src/facts/recipe.h"
#include "src/facts/snapshot.h"
#include "src/read/runtimes/php/php-functions.h"
#include "src/read/runtimes/php/php-layout.h"
#include "src/read/runtimes/runtime.h"

#include <stdint.h>

/* What is to be copied; GLOBALS: the address of executor_globals. */
void php_recipe(const struct php_layout *layout, uint64_t globals, struct recipe *recipe);

void php_stack_read(const struct php_layout *layout, uint64_t globals,
	const struct php_functions *functions, const struct snapshot *snapshot,
	struct script_stack *out);

/* The instruction of FRAME, the innermost one, which CALL runs; 0: not known. */
uint64_t php_place_now(const struct frame *call, const struct script_frame *frame);

#endif
