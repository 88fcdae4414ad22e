/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * unwind-search: the caller of code that does not tell where it returns to.
 *
 * unwind_code_search, with what the table remembers of each word on the stack. Private to
 * the unwinder.
 */
#ifndef CPROFTOP_UNWIND_SEARCH_H
#define CPROFTOP_UNWIND_SEARCH_H

#include "src/unwind/unwind-table.h"

#include <stdbool.h>

/* Is there a return address above WALK's stack pointer, as far as that was copied? */
bool unwind_has_return_above(struct unwind_table *table, struct unwind_walk *walk);

/* Is it certain that there is none? */
bool unwind_is_alone(struct unwind_table *table, struct unwind_walk *walk);

bool unwind_search_step(struct unwind_table *table, struct unwind_walk *walk,
	struct frame frame, enum unwind_end *end);

#endif
