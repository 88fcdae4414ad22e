/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/annotate/annotation-rows.h"

#include "src/count/calltree.h"

#include <string.h>

enum {
	NOTE_LINES_MAX = 16,
};

struct annotation_row *rows_push(
	struct rows_builder *builder, enum annotation_kind kind, const char *text)
{
	vec_push(&builder->out->rows, (struct annotation_row){.kind = kind,
					      .file = "",
					      .text = text,
					      .instruction = ANNOTATION_NONE,
					      .parent = ANNOTATION_NONE});
	return &builder->out->rows.data[builder->out->rows.len - 1];
}

uint32_t rows_last(const struct rows_builder *builder)
{
	return (uint32_t)builder->out->rows.len - 1;
}

void rows_push_notes(struct rows_builder *builder, const char *text)
{
	for (unsigned i = 0; *text && i < NOTE_LINES_MAX; i++) {
		size_t length = strcspn(text, "\n");
		rows_push(builder, ANNOTATION_NOTE,
			strpool_intern_bytes(&builder->out->strings, text, length));
		text += length + (text[length] == '\n');
	}
}

void rows_push_code(struct rows_builder *builder, uint32_t instruction, uint32_t parent)
{
	const struct code_cost *cost = &builder->costs[instruction];
	struct annotation_row *row = rows_push(builder, ANNOTATION_CODE, "");
	row->instruction = instruction;
	row->parent = parent;
	row->file = cost->inlined ? cost->inlined_file : cost->file ? cost->file : "";
	row->line = cost->inlined ? cost->inlined_line : cost->line;
	row->self = cost->self;
	row->total = cost->total;
	builder->out->row_of.data[instruction] = rows_last(builder);
}

void rows_push_inline(struct rows_builder *builder, uint32_t instruction, uint32_t parent)
{
	const struct code_cost *cost = &builder->costs[instruction];
	struct annotation_row *row = rows_push(builder, ANNOTATION_INLINE, cost->inlined);
	row->file = cost->inlined_file;
	row->line = cost->inlined_line;
	row->parent = parent;
}

void rows_close(struct rows_builder *builder, uint32_t row)
{
	builder->out->rows.data[row].n_below = rows_last(builder) - row;
}

void rows_add_up(struct rows_builder *builder, uint32_t row)
{
	struct annotation_row *rows = builder->out->rows.data;
	rows_close(builder, row);
	for (uint32_t i = row + 1; i <= row + rows[row].n_below; i++) {
		if (rows[i].kind != ANNOTATION_CODE)
			continue;
		weight_add(&rows[row].self, &rows[i].self);
		weight_add(&rows[row].total, &rows[i].total);
	}
}

const struct annotation_source *rows_source(
	const struct annotation_input *input, const char *file)
{
	for (size_t i = 0; i < input->n_sources; i++)
		if (strcmp(input->sources[i].path, file) == 0)
			return &input->sources[i];
	return NULL;
}

void rows_push_line(struct rows_builder *builder, const char *file, uint32_t line)
{
	const struct annotation_source *source = rows_source(builder->input, file);
	struct annotation_row *row = rows_push(builder, ANNOTATION_LINE, "");
	row->file = file;
	row->line = line;
	if (source && source->file) {
		row->source = source->file;
		row->words = source_file_line(source->file, line);
	}
}

uint32_t rows_push_file(struct rows_builder *builder, const char *file)
{
	const struct annotation_source *source = rows_source(builder->input, file);
	struct annotation_row *row = rows_push(builder, ANNOTATION_FILE, file);
	row->file = file;
	if (source && source->file)
		row->source = source->file;
	uint32_t header = rows_last(builder);
	if (source && !source->file)
		rows_push_notes(builder, source->why);
	return header;
}

int rows_compare_texts(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}
