/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line-answer: from the replies of the line reader to an answer.
 *
 * What comes may be forged by a hostile file: it has at most the size that an honest answer
 * may have. Private to line-resolver.c.
 */
#ifndef CPROFTOP_LINE_ANSWER_H
#define CPROFTOP_LINE_ANSWER_H

#include "src/read/names/code-lines.h"
#include "src/read/names/line-question.h"
#include "src/read/names/line-wire.h"

#include <stdbool.h>

/* Add the frame of REPLY, whose texts are at TEXT. */
void line_answer_take(
	struct line_answer *answer, const struct line_reply *reply, const char *text);

/* No rows yet of the answer to QUESTION, which is about a range. */
struct code_lines *line_answer_begin_rows(const struct line_question *question);

/* Add what REPLY says. True if nothing more follows. */
bool line_answer_take_row(
	struct code_lines *rows, const struct line_reply *reply, const char *text);

#endif
