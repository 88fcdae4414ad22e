/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-table: the rule for stepping from a PC to its caller, cached.
 *
 * libunwind finds the row of the unwind table for a PC once (unw_reg_states_iterate); it
 * is kept here until code goes that was there. libunwind's own cache and unw_step are
 * not used: that cache is keyed by the PC alone, although a return address must be looked
 * up one byte earlier than the same PC in a leaf; it does not remember that there is no
 * row; its lock costs two system calls per frame; and unw_step falls back to guesses
 * without saying so. Private to the unwinder.
 */
#ifndef CPROFTOP_UNWIND_TABLE_H
#define CPROFTOP_UNWIND_TABLE_H

#include "src/read/unwind/unwind-row.h"
#include "src/read/unwind/unwind-walk.h"

#include <stdbool.h>
#include <stdint.h>

enum unwind_rule_kind {
	UNWIND_RULE_NOWHERE,	/* the PC is in no executable mapping */
	UNWIND_RULE_SIGNAL,	/* the return from a signal handler */
	UNWIND_RULE_ROW,	/* a row of the table, or one found in the code */
	UNWIND_RULE_EXPRESSION, /* a row that only libunwind can apply */
};

struct unwind_rule {
	enum unwind_rule_kind kind;
	/* Valid until the next find: */
	const struct unwind_row *row; /* of UNWIND_RULE_ROW */
	const void *state;	      /* of UNWIND_RULE_EXPRESSION, */
	struct elf_image *image;      /* whose table it is, */
	uint64_t bias;		      /* and where that file is mapped */
};

struct hotspot_monitors;
struct unwind_table;

/* AS is borrowed and must outlive it. */
struct unwind_table *unwind_table_create(unw_addr_space_t as);
void unwind_table_destroy(struct unwind_table *table); /* NULL is fine */

/* See unwind_hotspot_monitors. */
struct hotspot_monitors *unwind_table_monitors(struct unwind_table *table);

/* Note in FRAME, where WALK is now and for which ROW holds, what the PC does not tell. */
void unwind_table_note(const struct unwind_table *table, struct unwind_walk *walk,
	const struct unwind_row *row, struct frame *frame);

/* The rule at FRAME's PC; WALK gives the address space and the limit on reads. */
struct unwind_rule unwind_table_find(
	struct unwind_table *table, struct unwind_walk *walk, struct frame frame);

/* The rule for FRAME was wrong: drop it, so that it is searched again. */
void unwind_table_forget(struct unwind_table *table, struct frame frame);

/* May PC be a return address? (unwind_code_is_return, remembered) */
bool unwind_table_is_return(
	struct unwind_table *table, struct unwind_walk *walk, uint64_t pc);

/* Could the call before RETURN_PC have led to START? (unwind_entry_may_be_called, remembered) */
bool unwind_table_may_call(struct unwind_table *table, struct unwind_walk *walk,
	uint64_t return_pc, uint64_t start);

/* unwind_entry_row_at_jump, remembered; NULL if there is none. Valid until the next find. */
const struct unwind_row *unwind_table_row_at_jump(
	struct unwind_table *table, struct unwind_walk *walk, uint64_t return_pc);

/* Has a search of the stack for PC's caller (unwind_code_search) found nothing before? It
   takes 10 us, and would find nothing again while no mapping changes. */
bool unwind_table_is_hopeless(
	const struct unwind_table *table, const struct unwind_walk *walk, uint64_t pc);
void unwind_table_set_hopeless(
	struct unwind_table *table, const struct unwind_walk *walk, uint64_t pc);

/* The bounds of the function at PC, by its unwind table, else its symbol. */
bool unwind_table_function(struct unwind_table *table, struct unwind_walk *walk,
	uint64_t pc, uint64_t *first, uint64_t *limit);

/* unwind_distance for the function of FRAME, cached. False if the code does not show
   it. */
bool unwind_table_distance(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, unsigned reg, int32_t *distance);

/* Call this at the beginning of each walk: drop what was read long ago from a JIT
   compiler's code, which may have changed. */
void unwind_table_forget_old(struct unwind_table *table, uint64_t now_ns);

/* Code has gone: forget everything. */
void unwind_table_clear(struct unwind_table *table);

#endif
