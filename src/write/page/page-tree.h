/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page-tree: the stacks of a report as the tree that a page adds up and draws.
 *
 * Nodes are numbered as a page draws them: each before its children, those before its next
 * sibling, siblings by name. Functions and threads are numbered as they are met, so that
 * the page knows only those that it needs. Main thread.
 */
#ifndef CPROFTOP_PAGE_TREE_H
#define CPROFTOP_PAGE_TREE_H

#include "src/base/idmap.h"
#include "src/base/vec.h"
#include "src/count/report.h"

#include <stdbool.h>
#include <stdint.h>

struct page_node {
	uint32_t function; /* index of `functions` */
	uint32_t parent;   /* number of a node; 0: of the root of all */
	bool is_real;	   /* of a report of two: its change is more than noise */
};

/* What the stacks that end in a node weigh in one thread. */
struct page_entry {
	uint32_t node, thread; /* THREAD: index of `threads` */
	uint64_t weight;
	uint64_t
		before; /* of a report of two: in the earlier one, as it was counted there */
};

struct page_tree {
	const struct report *report;
	VEC(struct page_node)
	nodes; /* node N is nodes.data[N - 1]: the root is not there */
	VEC(struct page_entry) entries;	  /* by node, then thread; each pair once */
	VEC(uint32_t) functions, threads; /* ids of the report's profile */

	/* Private. */
	struct idmap children;			     /* (parent, function) -> node */
	struct idmap function_places, thread_places; /* id -> index */
};

/* REPORT is borrowed until page_tree_finish. VALUE is what counts of a weight. */
void page_tree_init(struct page_tree *tree, const struct report *report,
	uint64_t (*value)(const struct weight *weight));
void page_tree_finish(struct page_tree *tree);

#endif
