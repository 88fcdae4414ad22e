/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampled-tree: stacks as a tree, and samples that say in which node they are.
 *
 * So formats write them that have each stack once. A node may be hostile: its parent may be any,
 * even one that is added later or itself; what this costs is bounded. One thread at a time.
 */
#ifndef CPROFTOP_SAMPLED_TREE_H
#define CPROFTOP_SAMPLED_TREE_H

#include "src/base/error.h"
#include "src/base/vec.h"
#include "src/count/import/recording.h"

#include <stdbool.h>
#include <stdint.h>

struct sampled_node {
	uint32_t parent;      /* PROFILE_NONE: it is outermost */
	uint32_t location;    /* PROFILE_NONE: it is no function */
	uint32_t thread, row; /* of its last sample; PROFILE_NONE: it had none */
};

/* All zero but RECORDING: empty. */
struct sampled_tree {
	struct recording *recording;
	VEC(struct sampled_node) nodes;
	VEC(uint32_t) stack; /* leaf first */
	uint64_t steps;	     /* from all nodes so far to their outermost ones */
};

void sampled_tree_finish(struct sampled_tree *tree);

/* The next node: they are numbered from 0. */
void sampled_tree_add(struct sampled_tree *tree, uint32_t parent, uint32_t location);

/* A sample of THREAD in NODE (PROFILE_NONE: in no function), with a value for each type. Its row is
   recording->last_row then. */
bool sampled_tree_sample(struct sampled_tree *tree, uint32_t thread, uint32_t node,
	const int64_t *values, struct error *err);

#endif
