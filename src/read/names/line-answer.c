/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/read/names/line-answer.h"

#include "src/base/mem.h"
#include "src/read/elf/elf-lines.h"

#include <stdlib.h>
#include <string.h>

static char *copy(const char *text, uint32_t length)
{
	char *string = mem_alloc(length + 1);
	memcpy(string, text, length);
	string[length] = '\0';
	return string;
}

void line_answer_take(
	struct line_answer *answer, const struct line_reply *reply, const char *text)
{
	answer->frames =
		mem_resize(answer->frames, answer->n_frames + 1, sizeof(*answer->frames));
	answer->frames[answer->n_frames++] = (struct line_answer_frame){
		.name = copy(text, reply->name_length),
		.file = copy(text + reply->name_length, reply->file_length),
		.line = reply->line,
		.start_line = reply->start_line,
	};
}

void line_answer_finish(struct line_answer *answer)
{
	for (uint32_t i = 0; i < answer->n_frames; i++) {
		free(answer->frames[i].name);
		free(answer->frames[i].file);
	}
	free(answer->frames);
	*answer = (struct line_answer){0};
}

struct code_lines *line_answer_begin_rows(const struct line_question *question)
{
	return code_lines_create(question->serial, question->vaddr, question->limit);
}

/* The row that REPLY belongs to, if it may be added to: NULL if the rows do not rise, or are
   too many. */
static struct code_row *row_of(struct code_lines *rows, const struct line_reply *reply)
{
	struct code_row *last =
		rows->rows.len ? &rows->rows.data[rows->rows.len - 1] : NULL;
	if (last && reply->vaddr == last->vaddr)
		return last;
	if (rows->rows.len >= CODE_ROWS_MAX || reply->vaddr < rows->start ||
		reply->vaddr >= rows->limit || (last && reply->vaddr < last->vaddr))
		return NULL;
	code_lines_add_row(rows, reply->vaddr);
	return &rows->rows.data[rows->rows.len - 1];
}

/* Are the lines of both rows the same? Texts are interned, so they are compared as
   addresses. */
static bool is_same(
	const struct code_lines *rows, const struct code_row *a, const struct code_row *b)
{
	if (a->n_frames != b->n_frames)
		return false;
	for (uint32_t i = 0; i < a->n_frames; i++) {
		const struct code_frame *x = code_lines_frame(rows, a, i);
		const struct code_frame *y = code_lines_frame(rows, b, i);
		if (x->symbol != y->symbol || x->file != y->file || x->line != y->line)
			return false;
	}
	return true;
}

/* Without lines of its own a row is not needed: Go's table is asked for each byte. */
static void drop_repeated(struct code_lines *rows)
{
	size_t n = rows->rows.len;
	if (n < 2 || !is_same(rows, &rows->rows.data[n - 2], &rows->rows.data[n - 1]))
		return;
	rows->frames.len = rows->rows.data[n - 1].first_frame;
	rows->rows.len--;
}

bool line_answer_take_row(
	struct code_lines *rows, const struct line_reply *reply, const char *text)
{
	struct code_row *row = row_of(rows, reply);
	if (row && reply->kind == LINE_REPLY_FRAME && row->n_frames < LINE_FRAMES_MAX) {
		char *name = copy(text, reply->name_length);
		char *file = copy(text + reply->name_length, reply->file_length);
		code_lines_add_frame(rows, name, file, reply->line, reply->start_line);
		free(name);
		free(file);
	}
	if (reply->left > 0)
		return false;
	if (row)
		drop_repeated(rows);
	rows->is_cut |= reply->more == LINE_MORE_LEFT_OUT;
	return reply->more != LINE_MORE_ROWS;
}
