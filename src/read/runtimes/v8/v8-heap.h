/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8-heap: objects of V8, and its strings.
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
#include "src/read/runtimes/v8/v8-maps.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	V8_STRING_TYPES = 128, /* types below are strings' */
};

/* The characters of a string, of one or two bytes each. */
struct v8_units {
	unsigned char *data; /* to be freed */
	uint32_t count;
	bool is_wide;
};

static inline uint32_t v8_unit_at(const struct v8_units *units, uint32_t i)
{
	return units->is_wide ? units->data[2 * i] | (uint32_t)units->data[2 * i + 1] << 8
			      : units->data[i];
}

/* A source, and where its lines end. */
struct v8_script {
	const char *name;	     /* cleaned; "" if it has none */
	uint64_t name_at, source_at; /* the objects */
	uint32_t *ends;		     /* positions, in characters */
	uint32_t n_ends;
	struct v8_source_map map; /* without any segment: there is none */
};

struct v8_heap {
	struct target_memory memory;
	struct v8_layout layout;
	struct v8_maps maps;
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

/* The string at POINTER, at most 16 million characters. False, and OUT has no data, if it is none. */
bool v8_source(struct v8_heap *heap, uint64_t pointer, struct v8_units *out);

/* The name at POINTER, cleaned; NULL if it is no string, or too long. */
const char *v8_name(struct v8_heap *heap, uint64_t pointer);

#endif
