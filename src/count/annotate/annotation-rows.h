/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * annotation-rows: rows of an annotation, one behind the other.
 *
 * Private to src/count/annotate.
 */
#ifndef CPROFTOP_ANNOTATION_ROWS_H
#define CPROFTOP_ANNOTATION_ROWS_H

#include "src/count/annotate/annotation.h"
#include "src/count/annotate/code-cost.h"

struct rows_builder {
	const struct annotation_input *input;
	struct annotation *out;
	struct code_cost *costs; /* NULL: no instructions */
};

struct annotation_row *rows_push(
	struct rows_builder *builder, enum annotation_kind kind, const char *text);
uint32_t rows_last(const struct rows_builder *builder);

/* TEXT may have several lines. */
void rows_push_notes(struct rows_builder *builder, const char *text);
void rows_push_code(struct rows_builder *builder, uint32_t instruction, uint32_t parent);
void rows_push_inline(
	struct rows_builder *builder, uint32_t instruction, uint32_t parent);
void rows_push_line(struct rows_builder *builder, const char *file, uint32_t line);
/* The header of FILE and, if it is not here, why; returns the header. */
uint32_t rows_push_file(struct rows_builder *builder, const char *file);

/* What is behind ROW, to the end, is below it. */
void rows_close(struct rows_builder *builder, uint32_t row);
/* The same, and the instructions below add up to it. */
void rows_add_up(struct rows_builder *builder, uint32_t row);

const struct annotation_source *rows_source(
	const struct annotation_input *input, const char *file);

/* strcmp, where NULL comes first. */
int rows_compare_texts(const char *a, const char *b);

#endif
