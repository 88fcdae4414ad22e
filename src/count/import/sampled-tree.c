/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/import/sampled-tree.h"

enum {
	STEPS_MAX =
		256
		<< 20, /* a chain of nodes that are all sampled has the square of them */
};

void sampled_tree_finish(struct sampled_tree *tree)
{
	vec_free(&tree->nodes);
	vec_free(&tree->stack);
}

void sampled_tree_add(struct sampled_tree *tree, uint32_t parent, uint32_t location)
{
	vec_push(&tree->nodes,
		(struct sampled_node){parent, location, PROFILE_NONE, PROFILE_NONE});
}

static bool find_stack(struct sampled_tree *tree, uint32_t node, struct error *err)
{
	size_t depth = 0;
	tree->stack.len = 0;
	while (node != PROFILE_NONE) {
		const struct sampled_node *at = &tree->nodes.data[node];
		if (depth++ > RECORDING_STACK_MAX)
			return error_set(err, "a stack of more than %d frames",
				RECORDING_STACK_MAX);
		if (at->location != PROFILE_NONE)
			vec_push(&tree->stack, at->location);
		node = at->parent;
	}
	tree->steps += depth;
	return tree->steps <= STEPS_MAX ||
	       error_set(err,
		       "its stacks have more than %d million frames together: convert a "
		       "part of it",
		       STEPS_MAX >> 20);
}

bool sampled_tree_sample(struct sampled_tree *tree, uint32_t thread, uint32_t node,
	const int64_t *values, struct error *err)
{
	struct recording *recording = tree->recording;
	struct sampled_node *at = node == PROFILE_NONE ? NULL : &tree->nodes.data[node];
	if (at && at->row != PROFILE_NONE && at->thread == thread)
		return recording_add_again(recording, at->row, values, err);
	if (!find_stack(tree, node, err) ||
		!recording_add(recording, thread, tree->stack.data, tree->stack.len,
			values, err))
		return false;
	if (at) {
		at->thread = thread;
		at->row = recording->last_row;
	}
	return true;
}
