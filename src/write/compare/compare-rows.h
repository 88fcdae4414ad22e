/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare-rows: the functions and the paths of a difference in an order.
 *
 * What is more than noise comes first, then what has changed most. Main thread.
 */
#ifndef CPROFTOP_COMPARE_ROWS_H
#define CPROFTOP_COMPARE_ROWS_H

#include "src/write/compare/compare.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct compare_rows {
	uint32_t *data; /* indices of functions, or of nodes */
	size_t len;
};

struct compare_rows compare_functions(
	const struct report *both, enum listing_order order, size_t most);

/* Nodes with a value of their own, by the change of that. */
struct compare_rows compare_paths(const struct report *both, size_t most);

void compare_rows_finish(struct compare_rows *rows);

/* The names from the root of the tree to NODE; FRAME is called for each. */
void compare_path(const struct report *both, uint32_t node,
	void (*frame)(const char *name, size_t index, FILE *out), FILE *out);

#endif
