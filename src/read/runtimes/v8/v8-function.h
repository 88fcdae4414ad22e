/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8-function: the functions and scripts that are in a heap of V8: names, files, lines.
 *
 * Each is read once, and looked at again when a later sample has it. Where a source map is wanted
 * and says in which source a function begins (src/read/runtimes/v8/v8-maps.h), that is its file, with the lines there;
 * and if the map has a name for the very word that names the function, this is its name. What a map
 * says of code near by is not taken for either. One thread.
 */
#ifndef CPROFTOP_V8_FUNCTION_H
#define CPROFTOP_V8_FUNCTION_H

#include "src/read/runtimes/v8/v8-heap.h"

#include <stdint.h>

/* What a SharedFunctionInfo says. */
struct v8_function {
	const char *name;	     /* cleaned; "(anonymous app.js:5)" if it has none */
	const char *file;	     /* "" if it has no script: a function of V8's own */
	bool is_mapped;		     /* a source map has told FILE and FIRST_LINE */
	uint32_t script;	     /* index, UINT32_MAX: none */
	uint32_t start, limit;	     /* positions in the script; both 0: not known */
	uint32_t first_line;	     /* 0: not known */
	uint32_t number;	     /* of no other one */
	uint64_t name_at, script_at; /* the words it was read from */
	uint64_t verified_ns;
};

/* The function of the SharedFunctionInfo at POINTER, as it is now, or was at TIME_NS or later;
   NULL: it is none. Valid until v8_heap_clear. */
const struct v8_function *v8_function(
	struct v8_heap *heap, uint64_t pointer, uint64_t time_ns);

/* The line of POSITION in the function's file; 0: not known, or it was written in another file. */
uint32_t v8_line(const struct v8_heap *heap, const struct v8_function *function,
	uint32_t position);

#endif
