/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8-heap: objects of V8: strings, functions, scripts.
 *
 * They are read while the program runs and its collector moves them, so each is asked for its
 * type before it is believed. The process may be hostile: all that is read is bounded, and
 * texts are cleaned. One thread.
 */
#ifndef CPROFTOP_V8_HEAP_H
#define CPROFTOP_V8_HEAP_H

#include "src/base/idmap.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"
#include "src/process/target-memory.h"
#include "src/read/runtimes/v8/v8-layout.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A source, and where its lines end. */
struct v8_script {
	const char *name;	     /* cleaned; "" if it has none */
	uint64_t name_at, source_at; /* the objects */
	uint32_t *ends;		     /* positions, in characters */
	uint32_t n_ends;
};

/* What a SharedFunctionInfo says. */
struct v8_function {
	const char *name;	     /* cleaned; "(anonymous app.js:5)" if it has none */
	const char *file;	     /* "" if it has no script: a function of V8's own */
	uint32_t script;	     /* index, UINT32_MAX: none */
	uint32_t start, limit;	     /* positions in the script; both 0: not known */
	uint32_t first_line;	     /* 0: not known */
	uint32_t number;	     /* of no other one */
	uint64_t name_at, script_at; /* the words it was read from */
	uint64_t verified_ns;
};

struct v8_heap {
	struct target_memory memory;
	struct v8_layout layout;
	struct strpool texts;
	VEC(struct v8_function *) functions;
	VEC(struct v8_script) scripts;
	struct idmap function_ids, script_ids; /* by address */
	size_t ends_bytes;
	uint32_t numbers;
};

void v8_heap_finish(struct v8_heap *heap);

/* Forget all that was read. */
void v8_heap_clear(struct v8_heap *heap);

bool v8_read(const struct v8_heap *heap, uint64_t address, void *out, size_t length);
bool v8_word(const struct v8_heap *heap, uint64_t address, uint64_t *word);

/* The type of the object that POINTER refers to, -1: it is no object. */
int32_t v8_type(const struct v8_heap *heap, uint64_t pointer);

/* The bytes of a ByteArray, to be freed; NULL, and *LENGTH 0, if it is none. */
unsigned char *v8_bytes(const struct v8_heap *heap, uint64_t pointer, size_t *length);

/* The function of the SharedFunctionInfo at POINTER, as it is now, or was at TIME_NS or later;
   NULL: it is none. Valid until v8_heap_clear. */
const struct v8_function *v8_function(
	struct v8_heap *heap, uint64_t pointer, uint64_t time_ns);

/* The line of POSITION in the function's script; 0: not known. */
uint32_t v8_line(const struct v8_heap *heap, const struct v8_function *function,
	uint32_t position);

#endif
