/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-row: what one row of an unwind table does to the registers.
 *
 * Nearly every row says only that the caller's stack pointer is a register plus a
 * constant, and that certain registers were saved at certain distances below it.
 * libunwind decodes the table but takes 0.2 us to apply such a row. So libunwind applies
 * the row once, with recognisable register values and a memory that answers each read
 * with its address. From the result a form is made that can be applied in a few
 * nanoseconds. Rows with DWARF expressions (PLT entries, realigned stacks) are left to
 * libunwind. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_ROW_H
#define CPROFTOP_UNWIND_ROW_H

#include "src/read/unwind/unwind-walk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct unwind_row {
	bool is_root; /* the return address is "undefined" (DWARF 5, 6.4.4) */
	bool is_inferred; /* from the code (src/read/unwind/unwind-code.h), not from a table */
	bool is_told; /* from the program's own records (src/read/unwind/unwind-hotspot.h) */
	bool is_parked;	     /* the same: see struct frame */
	bool is_interpreted; /* the same: METHOD of struct frame can be told */
	bool is_given_up;    /* the same: where it really returns to can be told */
	bool is_registered;  /* the same, by a table: a caller is just after its call */
	bool is_made;	     /* of a root: the return address to it was made by hand */
	bool is_dead_end; /* of an inferred one: this code cannot return. Without a saved PC no
				 other field counts */
	uint8_t switches; /* the same: enum unwind_switch, if it is on another stack */
	bool has_other;	  /* the next row may hold instead, if this one leads nowhere */
	/* Inferred from code that begins there, as its use says: so the caller must have
	   called just that, or have called through a pointer. 0: anywhere. */
	uint64_t start;
	uint8_t cfa_register; /* CFA = this register + cfa_offset: the caller's SP */
	int32_t cfa_offset;
	/* The caller's SP is the word at CFA + this, if that is above the CFA; 0: it is
	   not. */
	int32_t sp_slot;
	/* The return address is in its register, ARCH_RETURN, or in the one that it was moved to, if that is
	   not 0; else it is saved. */
	bool in_register;
	uint8_t moved_to;
	arch_set saved, lost;	       /* sets of registers */
	int32_t slots[ARCH_REGISTERS]; /* of saved registers: address - CFA */
};

/* Does ROW tell where the return address is? */
static inline bool unwind_row_returns(const struct unwind_row *row)
{
	return row->in_register || (row->saved & arch_bit(ARCH_RETURN));
}

/* May libunwind's STATE, of SIZE bytes, be decoded or applied? A table may say that a register
   is in another one of any number, and libunwind (1.6) takes that for an index. What the states
   of another version are is not known; they pass. */
bool unwind_state_is_sound(const void *state, size_t size);

/* Decode libunwind's STATE (of unw_reg_states_iterate). False if the row is not of this
   simple kind. */
bool unwind_row_decode(struct unwind_row *row, unw_addr_space_t as, const void *state);

/* Replace WALK's registers by the caller's. False if there is no caller, and *END says
   why. */
bool unwind_row_step(
	const struct unwind_row *row, struct unwind_walk *walk, enum unwind_end *end);

/* The same for other rows, by libunwind. */
bool unwind_state_step(const void *state, unw_addr_space_t as, struct unwind_walk *walk,
	enum unwind_end *end);

#endif
