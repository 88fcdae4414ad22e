/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * code-lines: the source lines of all the code of a function, not only of its samples.
 *
 * Rows in the order of their addresses: from the address of a row up to that of the next
 * one, the code has the same lines. A row has the inlined functions there, innermost first,
 * and at last the function itself; one without any is code without lines. All texts are
 * clean. Plain data: whoever got it may read it in any thread, and destroys it at last.
 */
#ifndef CPROFTOP_CODE_LINES_H
#define CPROFTOP_CODE_LINES_H

#include "src/base/idmap.h"
#include "src/base/strpool.h"
#include "src/base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	/* Of a function with more, the rows from the beginning. */
	CODE_ROWS_MAX = 20000,
};

struct code_frame {
	const char *symbol; /* as the compiler named it; "" if unknown */
	const char *name;   /* the same without parameters, to be shown */
	const char *file;   /* "" if unknown */
	uint32_t line;	    /* of the instruction, or of the inlined call; 0 if unknown */
	uint32_t start_line; /* where the function is declared, if in FILE; else 0 */
};

struct code_row {
	uint64_t vaddr; /* in the file of the code */
	size_t first_frame;
	uint32_t n_frames;
};

struct code_lines {
	uint64_t serial; /* of the request */
	uint64_t start,
		limit; /* what was asked about: addresses in the file of the code */
	bool is_cut;   /* there were too many rows */
	VEC(struct code_row) rows;
	VEC(struct code_frame) frames;
	struct strpool strings; /* private, as is: */
	struct idmap named;	/* (symbol, 0) -> a frame with its name */
};

struct code_lines *code_lines_create(uint64_t serial, uint64_t start, uint64_t limit);
void code_lines_destroy(struct code_lines *lines); /* NULL is fine */

/* Add a row, behind those before; and to the last row a frame, with texts that are not
   clean. */
void code_lines_add_row(struct code_lines *lines, uint64_t vaddr);
void code_lines_add_frame(struct code_lines *lines, const char *symbol, const char *file,
	uint32_t line, uint32_t start_line);

/* The row of VADDR; NULL if it has no lines. */
const struct code_row *code_lines_find(const struct code_lines *lines, uint64_t vaddr);

/* Frame I of ROW, innermost first. */
static inline const struct code_frame *code_lines_frame(
	const struct code_lines *lines, const struct code_row *row, uint32_t i)
{
	return &lines->frames.data[row->first_frame + i];
}

#endif
