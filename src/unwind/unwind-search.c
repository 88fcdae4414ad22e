/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/unwind/unwind-search.h"

#include "src/unwind/unwind-code.h"

enum {
	ABOVE_WORDS = 8 << 10, /* of the stack, for a return address */
};

struct search {
	struct unwind_table *table;
	struct unwind_walk *walk;
};

static bool is_return(void *context, uint64_t pc)
{
	struct search *search = context;
	return unwind_table_is_return(search->table, search->walk, pc);
}

static const struct unwind_row *row_at_jump(void *context, uint64_t pc)
{
	struct search *search = context;
	return unwind_table_row_at_jump(search->table, search->walk, pc);
}

/* The first return address above WALK's stack pointer. False if there is none, and *END
   says why no more was looked at: UNWIND_ROOT if there was no more. */
static bool find_return(
	struct unwind_table *table, struct unwind_walk *walk, enum unwind_end *end)
{
	uint64_t slot = arch_get_sp(&walk->registers), word;
	uint64_t stack_top = walk->stack_top;
	bool found = false;
	*end = UNWIND_NO_CFI;
	for (unsigned i = 0; i < ABOVE_WORDS && !found; i++, slot += sizeof(word)) {
		if (!unwind_walk_stack(walk, slot, &word)) {
			*end = walk->fault == UNWIND_TRUNCATED ? UNWIND_TRUNCATED
							       : UNWIND_ROOT;
			break;
		}
		found = unwind_table_is_return(table, walk, word);
	}
	walk->stack_top = stack_top; /* no longer copy is needed for that */
	return found;
}

bool unwind_has_return_above(struct unwind_table *table, struct unwind_walk *walk)
{
	enum unwind_end end;
	return find_return(table, walk, &end);
}

bool unwind_is_alone(struct unwind_table *table, struct unwind_walk *walk)
{
	enum unwind_end end;
	return !find_return(table, walk, &end) && end == UNWIND_ROOT;
}

/* Did nobody call the frame that PC returns to, whose stack pointer is SP? */
static bool is_root(void *context, uint64_t pc, uint64_t sp)
{
	struct search *search = context;
	struct frame frame = {.pc = pc};
	struct unwind_rule rule = unwind_table_find(search->table, search->walk, frame);
	if (rule.kind != UNWIND_RULE_ROW || !rule.row->is_inferred)
		return false;
	if (rule.row->is_root || !rule.row->is_dead_end)
		return rule.row->is_root;
	struct unwind_walk above = *search->walk;
	above.registers.values[arch_sp] = sp;
	return unwind_is_alone(search->table, &above);
}

bool unwind_search_step(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, enum unwind_end *end)
{
	struct search search = {table, walk};
	struct unwind_code_caller caller = {&search, is_return, row_at_jump, is_root};
	return unwind_code_search(walk, frame, &caller, end);
}
