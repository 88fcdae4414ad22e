/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * v8-layout: where V8 keeps what, by what it says of itself.
 *
 * V8 exports constants for debuggers (v8dbg_*, written by gen-postmortem-metadata.py
 * of V8). What they do not say is by version, and is checked by its shape where it is used. Only
 * builds without pointer compression, as node's are: tagged pointers of 64 bits, an object's
 * address and 1; small numbers in the upper half of a word. One thread.
 */
#ifndef CPROFTOP_V8_LAYOUT_H
#define CPROFTOP_V8_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offsets are in bytes from the beginning of an object, indices in words of an array. */
enum v8_constant {
	V8_MAJOR,
	V8_MINOR,
	V8_BUILD,
	V8_FUNCTION_SHARED, /* JSFunction: its SharedFunctionInfo */
	V8_SHARED_NAME,	    /* SharedFunctionInfo: a name or a ScopeInfo */
	V8_SHARED_SCRIPT,
	V8_SCRIPT_SOURCE,
	V8_SCRIPT_NAME,
	V8_SCOPE_LOCALS, /* ScopeInfo: index of the number of locals, */
	V8_SCOPE_FIRST,	 /* and of the first of their names */
	V8_CODE_FLAGS,
	V8_CODE_SIZE,
	V8_STREAM_START,    /* InstructionStream: its instructions */
	V8_DEOPT_COUNT,	    /* DeoptimizationData: how many functions are inlined, */
	V8_DEOPT_LITERALS,  /* what they are, */
	V8_DEOPT_SHARED,    /* whose code it is, */
	V8_DEOPT_POSITIONS, /* and where they are inlined */
	V8_BYTECODE_DATA,   /* BytecodeArray: its first instruction */
	V8_KIND_BASELINE,   /* of a Code; those above are optimized */
	V8_TYPE_MAP,
	V8_TYPE_SHARED,
	V8_TYPE_SHARED_WRAPPER,
	V8_TYPE_SCRIPT,
	V8_TYPE_SCOPE,
	V8_TYPE_CODE,
	V8_TYPE_CODE_CONTAINER,
	V8_TYPE_STREAM,
	V8_TYPE_BYTECODE,
	V8_TYPE_BYTES,
	V8_TYPE_TRUSTED_BYTES,
	V8_TYPE_INTERPRETER_DATA,
	V8_CONSTANTS
};

enum {
	V8_NAMES = 3, /* that a constant may have */
};

/* The names of the exported variables, of which the first that exists is the constant; NULL:
   no more. */
extern const char *const v8_names[V8_CONSTANTS][V8_NAMES];

struct v8_layout {
	int32_t constants[V8_CONSTANTS]; /* -1: there is none */
	/* Of a Code: its DeoptimizationData (of baseline code its bytecode), source positions,
	   InstructionStream and first instruction; 0: it contains its instructions, at HEADER */
	uint16_t deopt, positions, stream, start, header;
	bool has_streams;	  /* instructions are in an object of their own */
	bool has_plain_deltas;	  /* positions: code offsets are without sign */
	bool has_scope_positions; /* a ScopeInfo begins with them */
};

/* Complete LAYOUT, whose constants are set. False: this version is not known. */
bool v8_layout_complete(struct v8_layout *layout);

#endif
