/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keep/stacktab.h"

#include "src/base/id-index.h"
#include "src/base/mem.h"
#include "src/facts/profile.h"

#include <stdatomic.h>
#include <stdlib.h>

struct stacktab {
	_Atomic unsigned references;
	struct table *nodes;
	struct id_index children; /* of all but the roots, by parent and location */
};

static void key_of(const void *nodes, uint32_t id, uint64_t key[2])
{
	const struct stack_node *node = (const struct stack_node *)table_at(nodes, id);
	key[0] = node->parent;
	key[1] = node->location;
}

static bool find_child(
	const struct stacktab *table, uint32_t stack, uint32_t location, uint32_t *child)
{
	return id_index_find(&table->children, (struct id_owner){key_of, table->nodes},
		stack, location, child);
}

struct stacktab *stacktab_create(void)
{
	struct stacktab *table = mem_zalloc(sizeof(*table));
	table->references = 1;
	table->nodes = table_create(sizeof(struct stack_node));
	for (uint32_t end = 0; end < UNWIND_END_COUNT; end++) {
		struct stack_node root = {.parent = end, .location = PROFILE_NONE};
		table_append(table->nodes, &root);
	}
	return table;
}

struct stacktab *stacktab_ref(const struct stacktab *table)
{
	struct stacktab *counted = (struct stacktab *)table;
	atomic_fetch_add(&counted->references, 1);
	return counted;
}

void stacktab_unref(const struct stacktab *table)
{
	struct stacktab *counted = (struct stacktab *)table;
	if (!counted || atomic_fetch_sub(&counted->references, 1) != 1)
		return;
	table_destroy(counted->nodes);
	id_index_finish(&counted->children);
	free(counted);
}

uint32_t stacktab_child(struct stacktab *table, uint32_t stack, uint32_t location)
{
	uint32_t id;
	if (find_child(table, stack, location, &id))
		return id;
	struct stack_node child = {.parent = stack, .location = location};
	id = table_append(table->nodes, &child);
	id_index_add(&table->children, (struct id_owner){key_of, table->nodes}, id);
	return id;
}

uint32_t stacktab_intern(struct stacktab *table, const uint32_t *locations, size_t length,
	enum unwind_end end)
{
	uint32_t node = end;
	for (size_t i = length; i-- > 0;)
		node = stacktab_child(table, node, locations[i]);
	return node;
}

bool stacktab_find(const struct stacktab *table, const uint32_t *locations, size_t length,
	enum unwind_end end, uint32_t *stack)
{
	*stack = end;
	for (size_t i = length; i-- > 0;)
		if (!find_child(table, *stack, locations[i], stack))
			return false;
	return true;
}

uint32_t stacktab_nodes(const struct stacktab *table)
{
	return table->nodes->len;
}

const struct stack_node *stacktab_node(const struct stacktab *table, uint32_t id)
{
	return (const struct stack_node *)table_at(table->nodes, id);
}

enum unwind_end stacktab_end(const struct stacktab *table, uint32_t stack)
{
	while (!stacktab_is_root(stack))
		stack = stacktab_node(table, stack)->parent;
	return (enum unwind_end)stack;
}
