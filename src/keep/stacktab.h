/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * stacktab: every distinct callchain once, as a path in a tree of locations.
 *
 *	root (how the stack ended)      a stack's id is its leaf node's id;
 *	  `- _start                     parents always have smaller ids than
 *	       `- main                  their children, so one backward sweep
 *	            |- compute  <-- 7   over the ids adds totals up the tree.
 *	            `- parse    <-- 9
 *
 * The roots are the nodes 0 .. UNWIND_END_COUNT-1, one for each enum unwind_end, so a
 * broken stack can never be mistaken for a whole one. Nodes are only added and never
 * move: a reader that has an id may walk up from it while the analyst adds others.
 * Reference-counted: a report holds the table that its ids belong to, even after the
 * analyst has started a smaller table.
 */
#ifndef CPROFTOP_STACKTAB_H
#define CPROFTOP_STACKTAB_H

#include "src/base/table.h"
#include "src/facts/callchain.h"

#include <stddef.h>
#include <stdint.h>

struct stack_node {
	uint32_t parent;   /* a smaller id; a root is its own parent */
	uint32_t location; /* in the profile; PROFILE_NONE for a root */
};

struct stacktab;

struct stacktab *stacktab_create(void);			     /* one reference */
struct stacktab *stacktab_ref(const struct stacktab *table); /* any thread */
void stacktab_unref(const struct stacktab *table); /* any thread; NULL is fine */

/* The id of the stack with these LENGTH locations, leaf first, that ended as END; added
   if it is new. One writer. */
uint32_t stacktab_intern(struct stacktab *table, const uint32_t *locations, size_t length,
	enum unwind_end end);

/* The same if it is there already, in *STACK; else false. */
bool stacktab_find(const struct stacktab *table, const uint32_t *locations, size_t length,
	enum unwind_end end, uint32_t *stack);

/* The id of STACK with one more LOCATION below its leaf; added if it is new. One
   writer. */
uint32_t stacktab_child(struct stacktab *table, uint32_t stack, uint32_t location);

/* The number of nodes; all ids are smaller. Only for the writer. */
uint32_t stacktab_nodes(const struct stacktab *table);

const struct stack_node *stacktab_node(const struct stacktab *table, uint32_t id);

/* How the stack ended. */
enum unwind_end stacktab_end(const struct stacktab *table, uint32_t stack);

/* Walk a stack: from the leaf, `for (n = stack; !stacktab_is_root(n); n =
 * node(n)->parent)`. */
static inline bool stacktab_is_root(uint32_t id)
{
	return id < UNWIND_END_COUNT;
}

#endif
