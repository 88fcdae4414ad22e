/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8-bytecode: where in its script an instruction of bytecode stands, by V8's tables of source positions.
 * One thread.
 */
#ifndef CPROFTOP_V8_BYTECODE_H
#define CPROFTOP_V8_BYTECODE_H

#include "src/read/runtimes/v8/v8-heap.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Take a number of such a table from *AT on. False: it does not end before LIMIT. */
bool v8_take_number(
	const unsigned char **at, const unsigned char *limit, uint64_t *number);

/* The position at OFFSET by a table of source positions. */
uint64_t v8_position(const unsigned char *table, size_t length, uint64_t offset,
	bool has_plain_deltas);

/* The place in the script of a position. */
uint32_t v8_place_of(uint64_t position);

/* The place in the script of instruction OFFSET of the BytecodeArray at POINTER, for a
   function between START and LIMIT; 0: not known. *BEGINS, if not NULL and it is known: the instruction
   before it has another one. */
uint32_t v8_bytecode_position(const struct v8_heap *heap, uint64_t pointer,
	uint64_t offset, uint32_t start, uint32_t limit, bool *begins);

/* The BytecodeArray to which the function data of the SharedFunctionInfo SHARED leads; 0: none. */
uint64_t v8_bytecode_of(const struct v8_heap *heap, uint64_t shared);

/* Does the function data of the SharedFunctionInfo SHARED lead to the BytecodeArray BYTECODE? */
bool v8_has_bytecode(const struct v8_heap *heap, uint64_t shared, uint64_t bytecode);

#endif
