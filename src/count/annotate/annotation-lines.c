/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/count/annotate/annotation-lines.h"

#include "src/base/mem.h"
#include "src/count/calltree.h"

#include <stdlib.h>
#include <string.h>

enum {
	GAP_FROM_LINES = 40, /* so many lines of no interest are not shown... */
	CONTEXT_LINES = 5,   /* ...but for these around those that are */
};

/* A line that costs something, or has instructions. */
struct entry {
	const char *file;
	uint32_t line;
	struct weight self, total;
	size_t first_code, n_code; /* of the builder's order */
};

struct by_line {
	struct rows_builder rows;
	VEC(uint32_t) order; /* instructions by line */
	VEC(struct entry) entries;
};

/* What is inlined comes behind what is not. */
static int compare_code(const void *left, const void *right, void *context)
{
	const struct code_cost *costs = context;
	uint32_t i = *(const uint32_t *)left, k = *(const uint32_t *)right;
	const struct code_cost *a = &costs[i], *b = &costs[k];
	int by_file = rows_compare_texts(a->file, b->file);
	if (by_file)
		return by_file;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	int by_inlined = rows_compare_texts(a->inlined, b->inlined);
	return by_inlined ? by_inlined : i < k ? -1 : i > k;
}

static void order_code(struct by_line *by)
{
	const struct assembly *assembly = by->rows.input->assembly;
	for (uint32_t i = 0; by->rows.costs && i < assembly->n_instructions; i++)
		if (by->rows.costs[i].has_line)
			vec_push(&by->order, i);
	if (by->order.len)
		qsort_r(by->order.data, by->order.len, sizeof(uint32_t), compare_code,
			by->rows.costs);
}

static int compare_entries(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int by_file = strcmp(a->file, b->file);
	return by_file ? by_file : a->line < b->line ? -1 : a->line > b->line;
}

/* Merge the entries of one line, which stand side by side after sorting. */
static void merge_entries(struct by_line *by)
{
	size_t kept = 0;
	struct entry *list = by->entries.data;
	for (size_t i = 0; i < by->entries.len; i++) {
		if (kept == 0 || compare_entries(&list[kept - 1], &list[i]) != 0) {
			list[kept++] = list[i];
			continue;
		}
		struct entry *one = &list[kept - 1];
		weight_add(&one->self, &list[i].self);
		weight_add(&one->total, &list[i].total);
		if (list[i].n_code) {
			one->first_code = list[i].first_code;
			one->n_code = list[i].n_code;
		}
	}
	by->entries.len = kept;
}

static void list_entries(struct by_line *by)
{
	struct strpool *strings = &by->rows.out->strings;
	vec_each (&by->rows.input->cost->lines, line)
		vec_push(&by->entries,
			(struct entry){.file = strpool_intern(strings, line->file),
				.line = line->line,
				.self = line->self,
				.total = line->total});
	for (size_t i = 0, n; i < by->order.len; i += n) {
		const struct code_cost *first = &by->rows.costs[by->order.data[i]];
		for (n = 1; i + n < by->order.len; n++) {
			const struct code_cost *next =
				&by->rows.costs[by->order.data[i + n]];
			if (next->line != first->line ||
				strcmp(next->file, first->file) != 0)
				break;
		}
		vec_push(&by->entries, (struct entry){.file = first->file,
					       .line = first->line,
					       .first_code = i,
					       .n_code = n});
	}
	if (by->entries.len)
		qsort(by->entries.data, by->entries.len, sizeof(struct entry),
			compare_entries);
	merge_entries(by);
}

static void push_entry(struct by_line *by, const struct entry *entry)
{
	rows_push_line(&by->rows, entry->file, entry->line);
	uint32_t line = rows_last(&by->rows), inlined = ANNOTATION_NONE;
	by->rows.out->rows.data[line].self = entry->self;
	by->rows.out->rows.data[line].total = entry->total;
	for (size_t i = 0; i < entry->n_code; i++) {
		uint32_t code = by->order.data[entry->first_code + i];
		const char *name = by->rows.costs[code].inlined;
		if (name && (inlined == ANNOTATION_NONE ||
				    strcmp(by->rows.out->rows.data[inlined].text, name) !=
					    0)) {
			if (inlined != ANNOTATION_NONE)
				rows_add_up(&by->rows, inlined);
			rows_push_inline(&by->rows, code, line);
			inlined = rows_last(&by->rows);
		}
		rows_push_code(&by->rows, code, name ? inlined : line);
	}
	if (inlined != ANNOTATION_NONE)
		rows_add_up(&by->rows, inlined);
	rows_close(&by->rows, line);
}

/* The lines from FROM up to TO, which is not among them, that cost nothing. */
static void push_between(struct by_line *by, const char *file, uint32_t from, uint32_t to)
{
	uint32_t count = to > from ? to - from : 0, at = from;
	if (count > GAP_FROM_LINES) {
		for (; at < from + CONTEXT_LINES; at++)
			rows_push_line(&by->rows, file, at);
		struct annotation_row *gap = rows_push(&by->rows, ANNOTATION_GAP, "");
		gap->line = at;
		gap->left_out = count - 2 * CONTEXT_LINES;
		at += gap->left_out;
	}
	for (; at < to; at++)
		rows_push_line(&by->rows, file, at);
}

/* Where the function is declared, if that is in FILE and not too far above; else 0. */
static uint32_t declared_at(const struct by_line *by, const struct entry *first)
{
	const struct profile *profile = by->rows.input->report->profile;
	uint32_t start = 0;
	for (uint32_t i = 0; i < by->rows.input->cost->places.len && !start; i++) {
		const struct location *location = report_described(by->rows.input->report,
			by->rows.input->cost->places.data[i].location);
		for (uint32_t k = 0; k < location->n_lines && !start; k++) {
			const struct function *function =
				profile_function(profile, location->lines[k].function);
			if (function->kin == by->rows.input->cost->function &&
				strcmp(function->file, first->file) == 0)
				start = function->start_line;
		}
	}
	return start > 0 && start < first->line ? start : 0;
}

/* The N entries of one file. */
static void push_source(struct by_line *by, const struct entry *entries, size_t n)
{
	const char *file = entries[0].file;
	const struct annotation_source *source = rows_source(by->rows.input, file);
	bool is_here = source && source->file;
	uint32_t header = rows_push_file(&by->rows, file);
	struct weight self = {0};
	uint32_t next = 0;
	for (size_t i = 0; i < n; i++) {
		if (is_here && entries[i].line > 0) {
			if (next == 0)
				next = declared_at(by, &entries[i]);
			if (next > 0)
				push_between(by, file, next, entries[i].line);
			next = entries[i].line + 1;
		}
		push_entry(by, &entries[i]);
		weight_add(&self, &entries[i].self);
	}
	/* The closing brace, unless an instruction has told where that is. */
	if (is_here && !by->rows.costs && next > 0 &&
		next <= source_file_lines(source->file))
		rows_push_line(&by->rows, file, next);
	by->rows.out->rows.data[header].self = self;
}

/* The files in the order of their self weight: that of the function first, as a rule. */
static void build_by_line(struct by_line *by)
{
	size_t left = 0, n_entries = by->entries.len;
	bool *done = mem_zalloc(n_entries ? n_entries : 1);
	for (left = n_entries; left > 0;) {
		size_t best = n_entries, best_n = 0;
		struct weight most = {0};
		for (size_t i = 0, n; i < n_entries; i += n) {
			struct weight self = {0};
			for (n = 0; i + n < n_entries &&
				    strcmp(by->entries.data[i].file,
					    by->entries.data[i + n].file) == 0;
				n++)
				weight_add(&self, &by->entries.data[i + n].self);
			if (!done[i] && (best == n_entries || self.cpu_ns > most.cpu_ns ||
						(self.cpu_ns == most.cpu_ns &&
							self.samples > most.samples))) {
				best = i;
				best_n = n;
				most = self;
			}
		}
		push_source(by, &by->entries.data[best], best_n);
		done[best] = true;
		left -= best_n;
	}
	free(done);
}

void annotation_by_line(const struct rows_builder *rows)
{
	struct by_line by = {.rows = *rows};
	order_code(&by);
	list_entries(&by);
	build_by_line(&by);
	vec_free(&by.order);
	vec_free(&by.entries);
}
