/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * recipe: what else the tracer copies in a stop, beside registers and stack, as plain data.
 *
 * An interpreter keeps the functions that it runs in memory of its own: frames in a list, on
 * a heap or on a stack that the processor does not know. The reader knows these runtimes
 * (src/read/runtimes/); the tracer knows none. So the reader says in at most RECIPE_STEPS
 * steps which memory is to be copied while the thread stands, and the copy comes with the
 * sample (snapshot_read in src/facts/snapshot.h).
 *
 * The steps work on a few registers. Whatever an earlier step has put there is where a later
 * one begins. A step whose register is 0 ends the recipe, and so does memory that cannot be
 * read. Memory is read in aligned blocks of RECIPE_BLOCK bytes, each once, but what the copied
 * stack has.
 *
 * A recipe comes from a process that reads what a target has made, so the tracer takes a copy
 * of its own and believes nothing of it: recipe_is_valid, the limits below, and AREAS, outside
 * of which nothing is read, say all that it can make the tracer do.
 */
#ifndef CPROFTOP_RECIPE_H
#define CPROFTOP_RECIPE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum recipe_op {
	RECIPE_END,
	/* copy LENGTH bytes at FROM + OFFSET */
	RECIPE_COPY,
	/* TO = the word at FROM + OFFSET, with MASK; the word is copied, too */
	RECIPE_LOAD,
	/* copy LENGTH bytes at FROM + OFFSET; then FROM = the word at FROM + NEXT, with MASK;
	   until that is 0, or MOST times. If REF_LENGTH is not 0, copy as many bytes at the
	   word at FROM + REF, with REF_MASK, + REF_OFFSET, unless that word is among KNOWN; and
	   DEEP_LENGTH bytes at the word that is there */
	RECIPE_CHAIN,
	/* elements of LENGTH bytes from FROM on, to the end of the memory that begins at the word at
	   TO + OFFSET and has as many words as the word at TO + NEXT says, MOST at most; of each
	   what REF says, as in a CHAIN */
	RECIPE_ARRAY,
	/* elements of LENGTH bytes from FROM down to the one at the word at TO + OFFSET, MOST at most;
	   of each what REF says, as in a CHAIN */
	RECIPE_DOWN,
	/* for each word W of the copied stack that is the address of a place farther up in it, as
	   saved frame pointers are: if the word at REF from where W lies has in MASK the bits
	   OFFSET, copy REF_LENGTH bytes at it, with REF_MASK; for MOST words */
	RECIPE_FRAMES,
	/* an array: copy its elements of LENGTH bytes, the first of which is at the word at FROM +
	   OFFSET, and the last of which has the 32-bit index at FROM + INDEX; from the last one
	   on. For each the REF, as above. Then the same for FROM = the word at FROM + NEXT, with
	   MASK; until that is 0, or for MOST arrays */
	RECIPE_ARRAYS,
	/* for each word W of the registers and then of the copied stack that has in MASK the bits REF,
	   if the word at W + OFFSET is among KNOWN: TO = W, and take all steps behind this one; for
	   MOST such W. So a structure is found that code works with all the time. If NEXT is not 0, only
	   of the stack, where the word NEXT bytes from where W lies is 0 or, but for its lowest two
	   bits, the address of a place farther up in the stack, as in a list of frames */
	RECIPE_SEARCH,
};

enum recipe_register {
	RECIPE_THREAD, /* the thread pointer of the stopped thread */
	RECIPE_FIXED,  /* recipe.fixed */
	RECIPE_A,
	RECIPE_B,
	RECIPE_C,
	RECIPE_REGISTERS,
};

struct recipe_step {
	enum recipe_op op;
	enum recipe_register from, to;
	int32_t offset, next, ref, ref_offset, index; /* bytes */
	uint32_t length, ref_length, deep_length;     /* bytes; at most RECIPE_BLOCK */
	uint32_t most;
	uint64_t mask, ref_mask; /* of a pointer: the bits that are no tag */
};

/* What takes longer is given up. An emulated processor needs twenty times as long
   (tests/cross/check). */
#ifndef RECIPE_NS
#define RECIPE_NS (150 * 1000)
#endif

enum {
	RECIPE_STEPS = 12,
	RECIPE_AREAS = 512,
	RECIPE_KNOWN = 1024,
	RECIPE_BLOCK = 4096, /* bytes; memory is read in aligned blocks */
	RECIPE_BLOCKS = 64,  /* copied in a stop */
	RECIPE_NODES = 1000, /* of one step */
	RECIPE_LOOKS = 256,  /* at memory, of a search */
};

/* Memory that may be read: anonymous, or private and written to, so that no read of it can
   be held up by a file's server. Whole blocks. */
struct recipe_area {
	uint64_t start, limit;
};

struct recipe {
	uint64_t fixed;
	struct recipe_step steps[RECIPE_STEPS]; /* the first RECIPE_END ends them */
	uint32_t n_areas;
	struct recipe_area areas[RECIPE_AREAS]; /* by address; none overlaps another */
	/* What the reader knows already, so that nothing of it need be copied: in order, or some is
	   copied in vain. */
	uint32_t n_known;
	uint64_t known[RECIPE_KNOWN];
};

/* Why a copy is not complete. */
enum recipe_result {
	RECIPE_NONE, /* there was no recipe */
	RECIPE_DONE,
	RECIPE_NOTHING,	   /* the first register was 0, or no step could begin */
	RECIPE_OUTSIDE,	   /* memory outside of the areas was needed */
	RECIPE_UNREADABLE, /* memory could not be read */
	RECIPE_LIMIT,	   /* one of the limits above was reached */
	RECIPE_RESULTS,
};

/* Add an area behind all others; if there is no room for it, it is left out. */
void recipe_add_area(struct recipe *recipe, uint64_t start, uint64_t limit);

/* Are all steps, registers, lengths and areas within what is said above? */
bool recipe_is_valid(const struct recipe *recipe);

/* Is WORD among KNOWN? */
bool recipe_knows(const struct recipe *recipe, uint64_t word);

/* May the block at BLOCK be read? */
bool recipe_allows(const struct recipe *recipe, uint64_t block);

/* How the reader hands a recipe to the tracer, in shared memory (src/base/newest.h). */
struct recipe_box {
	_Atomic uint32_t number;
	struct recipe recipe;
};

/* Writer. */
void recipe_put(struct recipe_box *box, const struct recipe *recipe);

/* Reader. *NUMBER is what was taken last, 0 at first. True if another recipe was copied to
   OUT; whether it is valid is not looked at. */
bool recipe_take(struct recipe_box *box, uint32_t *number, struct recipe *out);

#endif
