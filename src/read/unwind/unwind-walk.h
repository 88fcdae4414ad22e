/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-walk: one snapshot while it is unwound, and the memory that libunwind may read
 * for it.
 *
 * A walk is the argument that libunwind gives to our accessors. It reads
 *	- the stack, from the snapshot only: what is read from the running target may not
 *	  belong to the same instant;
 *	- unwind tables, from the file they came with, at that file's own bias. Not by the
 *	  target's mappings: V8 maps node's text a second time, where no table is near;
 *	- other data of files (.data.rel.ro), from the target; a stack is never there.
 * Private to the unwinder; lives on its stack for one call.
 */
#ifndef CPROFTOP_UNWIND_WALK_H
#define CPROFTOP_UNWIND_WALK_H

#include "src/arch/arch-code.h"
#include "src/arch/arch.h"
#include "src/base/vec.h"
#include "src/facts/callchain.h"
#include "src/facts/snapshot.h"
#include "src/read/runtimes/jit/jit-code.h"
#include "src/read/space/address-space.h"
#include "src/read/unwind/unwind-signed.h"

#include <libunwind.h>
#include <stdbool.h>
#include <stdint.h>

/* Code that its compilers have registered with debuggers. Zeroed: none is searched for. */
struct unwind_registered {
	struct jit_code *code;
	VEC(uint64_t)
	searched; /* biases of the files whose variables were looked through */
	uint64_t searched_ns; /* when there was a search */
};

void unwind_registered_finish(struct unwind_registered *registered);

struct unwind_walk {
	struct address_space *space;
	const struct snapshot *snapshot;
	struct arch_registers registers; /* of the frame reached */
	struct elf_image *image;	 /* whose unwind table is in use, at BIAS */
	uint64_t bias;
	struct unwind_program program;	      /* of that table, which libunwind reads */
	const struct elf_fde_index *index;    /* searched if the file has no table */
	struct unwind_registered *registered; /* NULL: not asked */
	bool is_told;			      /* that table is of registered code */
	/* the end of the highest word read of the stack */
	uint64_t stack_top;
	struct stack_bounds gap; /* the largest part below that which was passed over */
	uint64_t lacked;     /* the last word that was to be read and was not copied */
	uint32_t reads_left; /* limit of reads; a hostile DWARF expression may loop */
	/* a signal's alternate stack was left, for another one */
	bool on_another_stack;
	enum unwind_end fault; /* why an access failed; UNWIND_ROOT: none has failed */
	unsigned missing;      /* the unknown register, if UNWIND_NO_REGISTER */
	/* Frame pointers followed in a row in generated code, each to behind a call. */
	uint32_t links;
	bool is_entered;  /* the step led to the start of a function, */
	bool is_switched; /* or to another stack */
	bool has_moved; /* a return address was in a register that it had been moved to */
	bool is_probe;	/* not a walk, but a probe: src/read/unwind/unwind-row.h */
};

/* The memory of a probe answers with the address and this bit set. */
#define UNWIND_PROBE_MEMORY (UINT64_C(1) << 55)

/* How many words may be read for one callchain, to look up one PC, and for one row with
   expressions. A frame seen for the first time takes a few hundred (in the largest
   functions some ten thousand), later two or three. */
enum {
	UNWIND_READS = 1 << 20,
	UNWIND_LOOKUP_READS = 1 << 17,
	UNWIND_EXPRESSION_READS = 1 << 12,
};

/* libunwind's number of register NUMBER. */
static inline unw_regnum_t unwind_number(unsigned number)
{
	return number == arch_pc ? ARCH_UNWIND_PC : (unw_regnum_t)number;
}

/* If the registers have a PC where no code is known, it may be in a mapping that is new. */
void unwind_walk_note_miss(struct unwind_walk *walk);

/* The walk is at the caller, to which the word RETURN_PC leads. Returns true. */
static inline bool unwind_walk_return(struct unwind_walk *walk, uint64_t return_pc)
{
	struct arch_registers *registers = &walk->registers;
	registers->known &= ~arch_bit(ARCH_RETURN); /* changed by the call */
	registers->known |= arch_bit(arch_pc);
	registers->values[arch_pc] = arch_return_address(return_pc);
	return true;
}

/* One word of the stack. False if it was not copied; the fault then says why. */
bool unwind_walk_stack(struct unwind_walk *walk, uint64_t address, uint64_t *word);

/* LENGTH bytes of the code in REGION. False unless all of them are there. */
bool unwind_walk_code(struct unwind_walk *walk, const struct region *region,
	uint64_t address, void *out, size_t length);

/* Decode the instruction at PC, in REGION. */
bool unwind_walk_insn(struct unwind_walk *walk, const struct region *region, uint64_t pc,
	struct arch_insn *insn);

/* What the code around PC, in REGION, says about its frame. */
enum arch_frame unwind_walk_frame(
	struct unwind_walk *walk, const struct region *region, uint64_t pc);

/* The bounds of the function at PC, as a table of the file's has them, else a symbol. AS
   is that of the accessors. */
bool unwind_walk_function(struct unwind_walk *walk, unw_addr_space_t as, uint64_t pc,
	uint64_t *first, uint64_t *limit);

/* The accessors over a walk. NULL if memory is gone. */
unw_addr_space_t unwind_walk_accessors(void);

#endif
