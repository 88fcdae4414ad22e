/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * python-layout: where CPython keeps what, for each version that is known.
 *
 * Offsets in bytes in the structures of CPython's headers (Include/internal/pycore_frame.h,
 * pycore_runtime.h, Include/cpython/{pystate,code,unicodeobject}.h), compiled for x86-64 and
 * aarch64 alike. Versions before 3.7 have no _PyRuntime; later ones than the last are not
 * known. Constant; any thread.
 */
#ifndef CPROFTOP_PYTHON_LAYOUT_H
#define CPROFTOP_PYTHON_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
	PYTHON_TSTATE_BYTES = 320,	 /* of a PyThreadState, what is looked at */
	PYTHON_FRAME_BYTES = 80,	 /* the same of a _PyInterpreterFrame, */
	PYTHON_FRAME_OBJECT_BYTES = 112, /* of a PyFrameObject, */
	PYTHON_CODE_BYTES = 256,	 /* of a PyCodeObject, */
	PYTHON_CFRAME_BYTES = 24,	 /* of a _PyCFrame */
	PYTHON_IDENTITY_BYTES = 72,
};

struct python_layout {
	unsigned version; /* 0x030b: 3.11 */
	/* Where a thread keeps its PyThreadState: in glibc's slot for the key at TSS_KEY of
	   _PyRuntime; or, if that is 0, at TLS from its thread pointer. */
	uint16_t tss_key;
	int16_t tls;
	/* The lock of the interpreter: up to 3.11 at GIL of _PyRuntime, then the address at GIL of
	   the first interpreter, whose address is at INTERPRETERS of _PyRuntime. */
	uint16_t interpreters, gil;
	/* PyThreadState. FRAME: of a _PyCFrame if there are such, else the innermost frame. */
	uint16_t thread_id, frame;
	uint16_t native_id; /* what the kernel calls the thread; 0: not there */
	uint16_t chunk, top,
		limit; /* of the stack of frames: the part in use ends at TOP */
	/* _PyCFrame: one for each call of the interpreter, on the stack of C */
	bool has_cframes;
	uint16_t cframe_frame, cframe_previous;
	/* Before 3.11: each call of the interpreter runs one function, whose frame is an object, a
	   PyFrameObject. At INSTRUCTION is then a number, of so many bytes, of the instruction that
	   was run last, -1: none; not its address. */
	uint16_t number_bytes; /* 0: later */
	/* _PyInterpreterFrame, or PyFrameObject. OWNER: who it belongs to, at least 3 if it is no function's but
	   one of the interpreter's own, on the stack of C. ENTRY, if it is not 0: is it the first
	   of a call of the interpreter? */
	uint16_t previous, code, instruction, owner, entry;
	/* PyCodeObject. IDENTITY: words that hardly any other code object has. */
	uint16_t first_line, file, name, lines, instructions, identity;
	enum python_lines {
		PYTHON_PLACES, /* what LINES refers to: co_linetable since 3.11, */
		PYTHON_RANGES, /* the same of 3.10, or */
		PYTHON_LNOTAB, /* co_lnotab before */
	} lines_kind;
	uint16_t text_ascii, text_compact; /* where the bytes of a str begin */
	bool has_immortals; /* counts of references have 32 bits, or are constant */
};

/* NULL: that version is not known. */
const struct python_layout *python_layout_of(unsigned version);

/* Before 3.11 nothing says which version it is, but for the sizes of objects in its types, and
   whether it has a type for generic aliases (types.GenericAlias, since 3.9). 0: not known. */
unsigned python_version_by_sizes(
	uint64_t frame_bytes, uint64_t code_bytes, bool has_aliases);

#endif
