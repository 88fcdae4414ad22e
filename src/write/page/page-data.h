/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * page-data: a page_tree as few bytes, which src/write/page/data.js reads.
 *
 * A number has seven bits a byte, the lowest first, the high bit set in all but the last
 * byte. A text is its length and UTF-8. A column is many whole numbers: how many, how many
 * bytes each has, the lowest byte of each, the next of each, and so on. In this order:
 *
 *	the title, a line below it, the name of the metric, its kind (src/facts/origin.h)
 *	how many profiles: 1, or 2 for a difference. Then, as texts, the factor by which the
 *	    earlier one's weights are multiplied and the whole that shares are of; and 1 if
 *	    values are compared, 0 for shares
 *	modules: how many, their names
 *	functions: how many; of each its module, its name, its colour (0xrrggbb) and, of two profiles, 1 if the
 *	    change of what it spends itself is more than noise, 2 if that of its total is, 3
 *	    for both
 *	threads: how many, their names
 *	columns: of each function, and last of the root of all, how many callees are listed;
 *	    these, those of most nodes first
 *	column: of each node how many levels it is above a child of the node before it
 *	columns: of the nodes below one whose callees are listed, which of them it is; of the
 *	    others the function
 *	column: of each node, with the root, how many entries end there; without children
 *	    one less, as at least one does
 *	column: of each entry the thread
 *	a number, and a column: the weight of each entry, divided by the number
 *	of two profiles, the same of the earlier one; and a column: the nodes whose change is
 *	    more than noise
 *
 * So a node mostly takes one byte that tells one of its caller's few callees, and the next
 * to nothing that says where it is. Main thread.
 */
#ifndef CPROFTOP_PAGE_DATA_H
#define CPROFTOP_PAGE_DATA_H

#include "src/facts/origin.h"
#include "src/write/page/page-tree.h"
#include "src/write/palette/module-hues.h"

#include <stdio.h>

/* What the page says of the weights. Borrowed for the call. */
struct page_facts {
	const char *title;
	const char *caption; /* a line below it; "": none */
	const char *metric;  /* "CPU time" */
	enum value_kind kind;
	const struct module_hues *hues;
};

void page_data_write(
	const struct page_tree *tree, const struct page_facts *facts, FILE *out);

#endif
