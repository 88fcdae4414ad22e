/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/code-lines.h"

#include "src/base/clean.h"
#include "src/base/mem.h"
#include "src/facts/demangle.h"

#include <stdlib.h>
#include <string.h>

struct code_lines *code_lines_create(uint64_t serial, uint64_t start, uint64_t limit)
{
	struct code_lines *lines = mem_zalloc(sizeof(*lines));
	lines->serial = serial;
	lines->start = start;
	lines->limit = limit;
	return lines;
}

void code_lines_destroy(struct code_lines *lines)
{
	if (!lines)
		return;
	vec_free(&lines->rows);
	vec_free(&lines->frames);
	idmap_finish(&lines->named);
	strpool_finish(&lines->strings);
	free(lines);
}

void code_lines_add_row(struct code_lines *lines, uint64_t vaddr)
{
	vec_push(&lines->rows,
		(struct code_row){.vaddr = vaddr, .first_frame = lines->frames.len});
}

static const char *keep(struct code_lines *lines, const char *text)
{
	char clean[CLEAN_MAX];
	clean_text(clean, sizeof(clean), text, strlen(text));
	return strpool_intern(&lines->strings, clean);
}

void code_lines_add_frame(struct code_lines *lines, const char *symbol, const char *file,
	uint32_t line, uint32_t start_line)
{
	struct code_frame frame = {.symbol = keep(lines, symbol),
		.file = keep(lines, file),
		.line = line,
		.start_line = start_line};
	/* A function has few names for many rows: demangle each only once. Equal texts are one
	   in the pool. A frame that line_answer_take_row drops again was not its first. */
	const uint32_t *known = idmap_get(&lines->named, (uintptr_t)frame.symbol, 0);
	if (known) {
		frame.name = lines->frames.data[*known].name;
	} else {
		char *plain = demangle(symbol, DEMANGLE_NO_PARAMS);
		frame.name = plain ? keep(lines, plain) : frame.symbol;
		free(plain);
		idmap_put(&lines->named, (uintptr_t)frame.symbol, 0,
			(uint32_t)lines->frames.len);
	}
	vec_push(&lines->frames, frame);
	lines->rows.data[lines->rows.len - 1].n_frames++;
}

const struct code_row *code_lines_find(const struct code_lines *lines, uint64_t vaddr)
{
	size_t low = 0, high = lines->rows.len;
	if (vaddr >= lines->limit)
		return NULL;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (lines->rows.data[middle].vaddr <= vaddr)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || lines->rows.data[low - 1].n_frames == 0)
		return NULL;
	return &lines->rows.data[low - 1];
}
