/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * jit-functions: functions of a JIT compiler by address, as its perf map lists them.
 *
 * A compiler appends functions for as long as the process runs, and puts new ones where
 * old ones were: of those that cover an address, the one that was added last is valid.
 * Adding N functions in any portions takes O(N log N) in all. Memory is bounded: some
 * 43 MB, and the names. One thread; a zeroed struct is empty and valid.
 */
#ifndef CPROFTOP_JIT_FUNCTIONS_H
#define CPROFTOP_JIT_FUNCTIONS_H

#include "src/base/strpool.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	JIT_FUNCTIONS_MAX = 1 << 20,
	JIT_FUNCTIONS_NAME_BYTES_MAX = 48 << 20,
};

struct jit_function {
	uint64_t start;
	const char *name;
	uint32_t size;	 /* at most 4 GiB: there may be a million of these */
	uint32_t number; /* the later of two is valid */
};

struct jit_functions {
	VEC(struct jit_function) settled; /* sorted by start, then number */
	VEC(struct jit_function) recent; /* the same, few, but for what was added last: */
	size_t unsorted;		 /* so many at the end */
	struct strpool names;
	uint32_t count;
};

/* NAME is copied. False if there is no more room. */
bool jit_functions_add(
	struct jit_functions *functions, uint64_t start, uint64_t size, const char *name);

/* To be called after some were added, before one is looked for. */
void jit_functions_settle(struct jit_functions *functions);

/* The function at ADDRESS, NULL if there is none: valid until the next one is added; its
   name until jit_functions_clear. */
const struct jit_function *jit_functions_at(
	const struct jit_functions *functions, uint64_t address);

/* The same, only its name. */
const char *jit_functions_find(const struct jit_functions *functions, uint64_t address);

/* Memory in bytes. */
size_t jit_functions_bytes(const struct jit_functions *functions);

/* Forget all functions, and their names. */
void jit_functions_clear(struct jit_functions *functions);

void jit_functions_finish(struct jit_functions *functions);

#endif
