/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line-reader: source lines and inlined functions, read by a process of its own.
 *
 * The debugging information of a target's file may be hostile, and libdw was not made for
 * that: it reads past buffers and loops for ever (tests/fuzz/lines.c found such a file in
 * its first minute). So it is read by a child without rights (src/base/confine.h), and
 * not by a process that can trace. If reading a file kills the child, that file has no
 * lines; nothing else is affected.
 *
 * line_reader_create forks the child, in main. At that time this process is small and has
 * not seen a stack, so the child contains none of that; and it has one thread, so no lock
 * can be held in the child by a thread that does not exist there. One thread at a time,
 * except for line_reader_cancel.
 */
#ifndef CPROFTOP_LINE_READER_H
#define CPROFTOP_LINE_READER_H

#include "src/elf/elf-lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_reader;

/* Fork the child. If that fails there are no lines. */
struct line_reader *line_reader_create(void);
void line_reader_destroy(struct line_reader *reader); /* NULL is fine */

enum {
	LINE_READER_QUESTIONS_MAX = 64 /* at once */
};

/* A question: VADDR in the file that the caller calls FILE (small numbers, from 0 on) and
   that is open at FD. FD is borrowed until the answer, and must be the same whenever FILE
   is asked about. TRUSTED: see elf_lines_open. IN_HURRY: give the child its full share of
   the CPUs instead of only what others leave. */
struct line_reader_question {
	uint64_t vaddr;
	uint32_t file;
	int fd;
	bool trusted, in_hurry;
};

/* Ask COUNT questions. Each must be answered before the next are asked. */
void line_reader_ask(struct line_reader *reader,
	const struct line_reader_question *questions, size_t count);

/* Wait for the answer to the next of them: see elf_lines_find for FRAMES; their strings
   are valid until the next call. Returns their number, 0 if nothing is known. *USELESS:
   do not ask about this file again. */
size_t line_reader_answer(struct line_reader *reader,
	struct line_frame frames[LINE_FRAMES_MAX], bool *useless);

/* Make line_reader_answer return without an answer, now and from now on. Any thread. */
void line_reader_cancel(struct line_reader *reader);

/* Make the child free its memory and close all files. */
void line_reader_rest(struct line_reader *reader);

/* How often reading a file has killed the child. */
unsigned line_reader_deaths(const struct line_reader *reader);

#endif
