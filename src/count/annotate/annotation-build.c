/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/annotate/annotation.h"

#include "src/count/annotate/annotation-lines.h"
#include "src/count/calltree.h"

#include <stdlib.h>
#include <string.h>

/* --- by address --------------------------------------------------------------------------- */

static void by_address(struct rows_builder *builder)
{
	const struct assembly *assembly = builder->input->assembly;
	const struct code_cost *before = NULL;
	uint32_t line = ANNOTATION_NONE, inlined = ANNOTATION_NONE;
	for (uint32_t i = 0; i < assembly->n_instructions; i++) {
		const struct code_cost *cost = &builder->costs[i];
		bool new_line =
			cost->has_line &&
			(!before || !before->has_line || before->line != cost->line ||
				rows_compare_texts(before->file, cost->file) != 0);
		bool new_inlined =
			cost->inlined &&
			(new_line || !before ||
				rows_compare_texts(before->inlined, cost->inlined) != 0);
		if (inlined != ANNOTATION_NONE &&
			(new_line || new_inlined || !cost->inlined)) {
			rows_add_up(builder, inlined);
			inlined = ANNOTATION_NONE;
		}
		if (line != ANNOTATION_NONE && (new_line || !cost->has_line)) {
			rows_add_up(builder, line);
			line = ANNOTATION_NONE;
		}
		if (new_line) {
			rows_push_line(builder, cost->file, cost->line);
			line = rows_last(builder);
		}
		if (new_inlined) {
			rows_push_inline(builder, i, line);
			inlined = rows_last(builder);
		}
		rows_push_code(builder, i, inlined != ANNOTATION_NONE ? inlined : line);
		before = cost;
	}
	if (inlined != ANNOTATION_NONE)
		rows_add_up(builder, inlined);
	if (line != ANNOTATION_NONE)
		rows_add_up(builder, line);
}

/* --- files -------------------------------------------------------------------------------- */

struct file_weight {
	const char *file;
	struct weight self, total;
};

static int compare_files(const void *left, const void *right)
{
	const struct file_weight *a = left, *b = right;
	if (a->self.cpu_ns != b->self.cpu_ns)
		return a->self.cpu_ns > b->self.cpu_ns ? -1 : 1;
	if (a->self.samples != b->self.samples)
		return a->self.samples > b->self.samples ? -1 : 1;
	if (a->total.samples != b->total.samples)
		return a->total.samples > b->total.samples ? -1 : 1;
	return strcmp(a->file, b->file);
}

size_t annotation_files(const struct cost *cost, const char **files, size_t most)
{
	VEC(struct file_weight) list = {0};
	vec_each (&cost->lines, line) { /* those of a file stand together */
		if (!line->file[0])
			continue;
		if (!list.len || strcmp(list.data[list.len - 1].file, line->file) != 0)
			vec_push(&list, (struct file_weight){.file = line->file});
		weight_add(&list.data[list.len - 1].self, &line->self);
		weight_add(&list.data[list.len - 1].total, &line->total);
	}
	if (list.len)
		qsort(list.data, list.len, sizeof(*list.data), compare_files);
	size_t n = 0;
	while (n < list.len && n < most) {
		files[n] = list.data[n].file;
		n++;
	}
	vec_free(&list);
	return n;
}

/* --- all ---------------------------------------------------------------------------------- */

static bool any_line(const struct rows_builder *builder)
{
	vec_each (&builder->input->cost->lines, line)
		if (line->line > 0)
			return true;
	for (size_t i = 0; builder->costs && i < builder->input->assembly->n_instructions;
		i++)
		if (builder->costs[i].has_line && builder->costs[i].line > 0)
			return true;
	return false;
}

static void build(struct rows_builder *builder)
{
	const struct annotation_input *input = builder->input;
	const struct assembly *assembly = input->assembly;
	bool has_lines = builder->out->has_lines = any_line(builder);
	if (!has_lines && input->remedy)
		rows_push_notes(builder, input->remedy);
	if (assembly)
		rows_push_notes(builder, assembly->problem && assembly->problem[0]
						 ? assembly->problem
					 : assembly->remark ? assembly->remark
							    : "");
	if (builder->costs && (input->by_address || !has_lines))
		by_address(builder);
	else
		annotation_by_line(builder);
}

void annotation_build(struct annotation *annotation, const struct annotation_input *input)
{
	struct rows_builder builder = {.input = input, .out = annotation};
	annotation_finish(annotation);
	if (input->assembly)
		for (size_t i = 0; i < input->assembly->n_instructions; i++)
			vec_push(&annotation->row_of, ANNOTATION_NONE);
	builder.costs = code_costs(input, &annotation->strings);
	build(&builder);
	free(builder.costs);
}

void annotation_finish(struct annotation *annotation)
{
	vec_free(&annotation->rows);
	vec_free(&annotation->row_of);
	strpool_finish(&annotation->strings);
	*annotation = (struct annotation){0};
}
