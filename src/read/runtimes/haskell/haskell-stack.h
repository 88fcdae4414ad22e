/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * haskell-stack: the frames of Haskell code, as the compiler GHC lays them out.
 *
 * Code that GHC makes does not call: it jumps. Its stacks lie in the heap, in chunks of
 * 32 KiB or less. The first word of each frame is the address of the code that goes on
 * when the frame is returned to. Just before that code lies a table for the garbage
 * collector, which says what kind of frame it is and how many words it has (StgInfoTable
 * in rts/include/rts/storage/InfoTables.h; stack_frame_sizeW in ClosureMacros.h). The
 * numbers of the kinds are those of GHC 8.2 and later (ClosureTypes.h); with another
 * compiler no stack is found.
 *
 * Everything read is checked: the process may be hostile.
 */
#ifndef CPROFTOP_HASKELL_STACK_H
#define CPROFTOP_HASKELL_STACK_H

#include "src/read/elf/elf-image.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The memory of a process. CODE reads what is in an executable file's mapping, and fails
   elsewhere. */
struct haskell_memory {
	bool (*stack)(void *context, uint64_t address, uint64_t *word);
	bool (*code)(void *context, uint64_t address, void *out, size_t length);
	void *context;
};

enum {
	HASKELL_CHUNK_BYTES = 32 << 10, /* the runtime's option -kc */
	HASKELL_CHUNK_MAX = 1 << 20,
	HASKELL_CHUNK_SP = 16, /* where a chunk has the stack pointer in it (StgStack) */
};

enum haskell_kind {
	HASKELL_NONE, /* there is no frame */
	HASKELL_RETURN,
	HASKELL_CHUNK, /* the last of a chunk: the stack goes on in another one */
	HASKELL_FIRST, /* the first frame of a Haskell thread */
};

struct haskell_frame {
	enum haskell_kind kind;
	uint64_t pc; /* where it is returned to: the first instruction of that code */
	/* of HASKELL_RETURN: the address of its caller's frame; of HASKELL_CHUNK: the next
	   chunk */
	uint64_t next;
};

/* The frame at ADDRESS. */
struct haskell_frame haskell_frame_at(
	const struct haskell_memory *memory, uint64_t address);

/* The nearest frame at ADDRESS or above; what lies below it are arguments. 0 if there is
   none, or if the frames from there on do not follow each other to the first one or to the
   end of the chunk. */
uint64_t haskell_find_frame(const struct haskell_memory *memory, uint64_t address);

/* Has IMAGE the runtime system that GHC links programs with? Reads its strings. */
bool haskell_is_runtime(const struct elf_image *image);

#endif
