/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/keep/stack-move.h"

#include "src/facts/callchain.h"

#include <stddef.h>

void stack_move_finish(struct stack_move *move)
{
	idmap_finish(&move->copied);
}

static uint32_t copy_stack(const struct stack_move *move, uint32_t stack)
{
	uint32_t locations[CALLCHAIN_NODES];
	size_t length = 0;
	for (; !stacktab_is_root(stack);
		stack = stacktab_node(move->from, stack)->parent) {
		uint32_t old = stacktab_node(move->from, stack)->location;
		uint32_t *location =
			move->renamed ? idmap_get(move->renamed, old, 0) : NULL;
		uint32_t now = location ? *location : old;
		locations[length++] =
			move->renewal ? renewal_location(move->renewal, now) : now;
	}
	return stacktab_intern(move->to, locations, length, (enum unwind_end)stack);
}

void stack_move(struct stack_move *move, uint32_t *stack)
{
	uint32_t *known = idmap_get(&move->copied, *stack, 0);
	uint32_t copy = known ? *known : copy_stack(move, *stack);
	if (!known)
		idmap_put(&move->copied, *stack, 0, copy);
	*stack = copy;
}
