/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code-cost: what each instruction of an assembly costs, and which line it belongs to.
 *
 * Private to src/count/annotate.
 */
#ifndef CPROFTOP_CODE_COST_H
#define CPROFTOP_CODE_COST_H

#include "src/count/annotate/annotation.h"

/* Of one instruction. Texts belong to the annotation. */
struct code_cost {
	struct weight self, total;
	bool has_line;	  /* it belongs to the function, at FILE and LINE */
	const char *file; /* "" if unknown */
	uint32_t line;
	/* The innermost function that was inlined there, and its own line; NULL: none. */
	const char *inlined, *inlined_file;
	uint32_t inlined_line;
};

/* One for each instruction, to be freed; NULL without instructions. */
struct code_cost *code_costs(
	const struct annotation_input *input, struct strpool *strings);

#endif
