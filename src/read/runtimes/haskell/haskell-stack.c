/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/runtimes/haskell/haskell-stack.h"

#include <stdlib.h>
#include <string.h>

enum {
	WORD = 8,
	ARGUMENTS = 64,	  /* words above the stack pointer that may be in no frame */
	FRAMES = 4096,	  /* of a chunk */
	FRAME_MAX = 4096, /* words */
	STRINGS_MAX = 64 << 20,
};

/* The table before the code. */
struct info {
	union {
		uint64_t bitmap; /* its low 6 bits: words after the first one */
		int32_t large;	 /* from the code to a bitmap that begins with its size */
	};
	uint32_t kind;
	int32_t references;
};

_Static_assert(sizeof(struct info) == 2 * WORD, "as the compiler has it");

/* info.kind, of frames only */
enum {
	RET_BCO = 29, /* of byte code, whose size is told by the heap */
	RET_SMALL = 30,
	RET_BIG = 31,
	RET_FUN = 32,
	UPDATE_FRAME = 33,
	CATCH_FRAME = 34,
	UNDERFLOW_FRAME = 35,
	STOP_FRAME = 36,
	ATOMICALLY_FRAME = 55,
	CATCH_RETRY_FRAME = 56,
	CATCH_STM_FRAME = 57,
};

enum {
	BITMAP_SIZE_BITS = 6,
	BITMAP_SIZE = (1 << BITMAP_SIZE_BITS) - 1,
};

static bool small_words(const struct info *info, uint64_t *words)
{
	uint64_t size = info->bitmap & BITMAP_SIZE;
	*words = 1 + size;
	/* No bit is set for words that the frame does not have. */
	return size <= 64 - BITMAP_SIZE_BITS &&
	       (size == 64 - BITMAP_SIZE_BITS ||
		       info->bitmap >> BITMAP_SIZE_BITS >> size == 0);
}

/* The number of words of the frame at ADDRESS, whose code at PC has INFO. */
static bool frame_words(const struct haskell_memory *memory, uint64_t address,
	uint64_t pc, const struct info *info, uint64_t *words)
{
	uint64_t size;
	switch (info->kind) {
	case RET_SMALL:
	case UPDATE_FRAME:
	case CATCH_FRAME:
	case ATOMICALLY_FRAME:
	case CATCH_RETRY_FRAME:
	case CATCH_STM_FRAME:
		return small_words(info, words);
	case RET_BIG:
		if (!memory->code(memory->context, pc + (uint64_t)(int64_t)info->large,
			    &size, sizeof(size)))
			return false;
		*words = 1 + size;
		return size < FRAME_MAX;
	case RET_FUN: /* a call that waits, with the number of its arguments */
		if (!memory->stack(memory->context, address + WORD, &size))
			return false;
		*words = 3 + size;
		return size < FRAME_MAX;
	default:
		return false;
	}
}

struct haskell_frame haskell_frame_at(
	const struct haskell_memory *memory, uint64_t address)
{
	struct haskell_frame frame = {.kind = HASKELL_NONE};
	struct info info;
	uint64_t words;
	if (!memory->stack(memory->context, address, &frame.pc) || frame.pc % WORD != 0 ||
		!memory->code(
			memory->context, frame.pc - sizeof(info), &info, sizeof(info)))
		return frame;
	if (info.kind == STOP_FRAME) {
		frame.kind = HASKELL_FIRST;
	} else if (info.kind == UNDERFLOW_FRAME) {
		if (memory->stack(memory->context, address + WORD, &frame.next))
			frame.kind = HASKELL_CHUNK;
	} else if (frame_words(memory, address, frame.pc, &info, &words)) {
		frame.kind = HASKELL_RETURN;
		frame.next = address + words * WORD;
	}
	return frame;
}

/* Do the frames from ADDRESS on lead to an end? */
static bool leads_on(const struct haskell_memory *memory, uint64_t address)
{
	struct haskell_frame frame = haskell_frame_at(memory, address);
	for (unsigned i = 0; i < FRAMES && frame.kind == HASKELL_RETURN; i++)
		frame = haskell_frame_at(memory, frame.next);
	return frame.kind == HASKELL_FIRST || frame.kind == HASKELL_CHUNK;
}

uint64_t haskell_find_frame(const struct haskell_memory *memory, uint64_t address)
{
	if (address % WORD != 0)
		return 0;
	for (unsigned i = 0; i < ARGUMENTS; i++, address += WORD)
		if (haskell_frame_at(memory, address).kind != HASKELL_NONE)
			return leads_on(memory, address) ? address : 0;
	return 0;
}

bool haskell_is_runtime(const struct elf_image *image)
{
	/* What it says before it aborts (rts/RtsMessages.c). */
	static const char text[] = "(GHC version %s for %s)";
	size_t length;
	char *strings = elf_image_section(image, ".rodata", STRINGS_MAX, &length);
	bool is_there = strings && memmem(strings, length, text, sizeof(text) - 1);
	free(strings);
	return is_there;
}
