/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8-code: the compiled code that an address is in, and which functions are inlined there.
 *
 * The object before the instructions is searched backwards from the address, by its map and by
 * the Code that points back to it. Code is replaced at the same address within seconds, so what
 * was found is looked at again before a later sample is named by it. One thread.
 */
#ifndef CPROFTOP_V8_CODE_H
#define CPROFTOP_V8_CODE_H

#include "src/read/runtimes/v8/v8-heap.h"
#include "src/read/runtimes/v8/v8-returns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	V8_CODE_HEAD = 64, /* bytes by which a Code is known again */
	V8_INLINED_MAX = 64,
	V8_SCALES = 3,
	V8_BYTECODES_MAX = 256,
};

struct v8_code {
	uint64_t start, limit; /* of the instructions */
	uint64_t pointer;      /* the Code; 0: it is no longer used */
	uint64_t stream;       /* the address of what holds the instructions */
	unsigned char head[V8_CODE_HEAD];
	uint64_t verified_ns;
	bool is_baseline, is_maglev, is_optimized; /* maglev is, too */
	bool is_read; /* what follows, when it was first asked for */
	/* Of baseline code: where in it its bytecodes end, and where these begin. */
	uint32_t *ends, *offsets;
	size_t n_bytecodes;
	/* Of optimized code: */
	uint64_t shared; /* its function; 0: not known */
	uint64_t *inlined;
	size_t n_inlined;
	struct v8_return *returns; /* of maglev's */
	size_t n_returns;
	unsigned char *positions, *inlinings; /* tables */
	size_t positions_bytes, inlinings_bytes;
};

struct v8_codes {
	struct v8_heap *heap; /* borrowed */
	VEC(struct v8_code) list;
	struct idmap places; /* (address of an instruction, 0) -> index */
	struct idmap maps;   /* (a word, 0) -> is it the map of streams? */
	/* How many bytes each bytecode has, without a prefix, with Wide, and with ExtraWide before
	   it (kBytecodeSizes). N_SIZES is how many bytecodes there are; 0: not known. */
	unsigned char sizes[V8_SCALES][V8_BYTECODES_MAX];
	unsigned n_sizes;
};

void v8_codes_clear(struct v8_codes *codes);
void v8_codes_finish(struct v8_codes *codes);

/* The code that PC is in, as it is now, or was at TIME_NS or later; it is searched down to LOW.
   NULL if none is found. Valid until the next call. */
struct v8_code *v8_code_find(
	struct v8_codes *codes, uint64_t pc, uint64_t low, uint64_t time_ns);

/* A place in a function: the SharedFunctionInfo, and a position in its script. */
struct v8_place {
	uint64_t shared;
	uint32_t position;
};

/* The functions at the instruction at ADDRESS of the optimized CODE, innermost first. Returns
   how many, at most V8_INLINED_MAX; 0 if they are not known. */
size_t v8_code_places(const struct v8_codes *codes, struct v8_code *code,
	uint64_t address, struct v8_place *out);

/* The position in the script at which FUNCTION, the innermost one at ADDRESS of maglev's CODE, has called what
   returns there; 0: not known. It is by the bytecode, as V8's own stack traces: from V8 13 the table has places
   before the loop for calls in a loop whose first turn stands before it. */
uint32_t v8_call_position(const struct v8_codes *codes, const struct v8_code *code,
	uint64_t address, uint64_t shared, uint32_t start, uint32_t limit);

/* Where in the BytecodeArray at BYTECODE the instruction at ADDRESS of the baseline CODE belongs; -1:
   not known. */
int64_t v8_baseline_offset(const struct v8_codes *codes, struct v8_code *code,
	uint64_t bytecode, uint64_t address);

#endif
