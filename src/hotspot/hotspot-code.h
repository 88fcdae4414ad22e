/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hotspot-code: what HotSpot has written down about a piece of its generated code.
 *
 * The code that C1 and C2 make has neither an unwind table nor a frame pointer. The
 * machine itself walks such frames with what lies before each piece of code, in its
 * header (CodeBlob, src/hotspot/share/code/codeBlob.hpp in OpenJDK): how large the frame
 * is, and from which instruction on it is complete. All pieces are in the heaps of the
 * code cache. A map of each heap, one byte for a segment of 64 bytes or more, leads from
 * an address to the header (CodeHeap::find_start).
 *
 * The process runs on meanwhile and may be hostile: what is read is checked, and each
 * look reads a bounded number of bytes. A caller should remember answers only for a
 * while, since code is replaced. One thread at a time.
 */
#ifndef CPROFTOP_HOTSPOT_CODE_H
#define CPROFTOP_HOTSPOT_CODE_H

#include "src/hotspot/hotspot-structs.h"

#include <stdbool.h>
#include <stdint.h>

enum hotspot_kind {
	HOTSPOT_FRAME,	      /* compiled, or a stub with a frame of known size */
	HOTSPOT_OTHER,	      /* a stub of which nothing is known */
	HOTSPOT_INTERPRETER,  /* every frame has a frame pointer */
	HOTSPOT_DISPATCH,     /* calls through a table pass here, without a frame */
	HOTSPOT_CONTINUATION, /* the stubs of virtual threads */
};

struct hotspot_code {
	enum hotspot_kind kind;
	uint64_t start, limit; /* of the instructions */
	/* Of HOTSPOT_FRAME: the stack pointer is that far below the caller's from the
	   instruction at COMPLETE on. The return address is the last word of the frame,
	   the caller's frame pointer the word below it (frame::sender_for_compiled_frame
	   in frame_x86). */
	uint32_t frame_bytes;
	uint64_t complete;
};

struct hotspot;

/* The machine in MEMORY, whose reader is copied, with the exported variables at
   ADDRESSES; see hotspot_find_fields. NULL if there is none, or none yet, or one whose
   structures are not like these. */
struct hotspot *hotspot_create(
	const struct hotspot_memory *memory, const uint64_t addresses[HOTSPOT_VARIABLES]);
void hotspot_destroy(struct hotspot *hotspot); /* NULL is fine */

/* The code that holds PC. False if it is not the machine's, or not in use. */
bool hotspot_find_code(
	const struct hotspot *hotspot, uint64_t pc, struct hotspot_code *out);

/* Where the frame that all frames of a virtual thread stand on is returned to
   (ContinuationEntry::_return_pc); 0 if there is none. */
uint64_t hotspot_continuation_pc(const struct hotspot *hotspot);

#endif
