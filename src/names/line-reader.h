/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line-reader: lines and inlined functions, read by a process of its own.
 *
 * The debugging information of a target's file may have been made to harm us, and libdw
 * was not made for that: it reads past buffers and goes round in circles
 * (tests/fuzz/lines.c found such a file in its first minute). So no process that can
 * trace anything reads it, but a child without rights (src/base/confine.h). If that dies,
 * the file that it died of has no lines, and nothing else happens.
 *
 * The child is made by line_reader_create, in main: while this process is small and has
 * not seen a stack yet, so that none of that is in it, and while it has one thread, so
 * that no lock is held in the child by a thread that is not there. One thread at a time,
 * but for line_reader_cancel.
 */
#ifndef CPROFTOP_LINE_READER_H
#define CPROFTOP_LINE_READER_H

#include "src/elf/elf-lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_reader;

/* Forks. If that fails there are no lines. */
struct line_reader *line_reader_create(void);
void line_reader_destroy(struct line_reader *reader); /* NULL is fine */

enum {
	LINE_READER_QUESTIONS_MAX = 64 /* at once */
};

/* VADDR in the file that the caller calls FILE (small numbers, in use from 0 on), which
   is open at FD: borrowed until it is answered, and the same whenever FILE is asked
   about. See elf_lines_open for TRUSTED. IN_HURRY: the child is to have its share of the
   CPUs, and not what others leave. */
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
   it is of no use to ask about this file again. */
size_t line_reader_answer(struct line_reader *reader,
	struct line_frame frames[LINE_FRAMES_MAX], bool *useless);

/* Whoever waits in line_reader_answer comes back with nothing, now and from now on. Any
   thread. */
void line_reader_cancel(struct line_reader *reader);

/* The child gives back its memory, and all files. */
void line_reader_rest(struct line_reader *reader);

/* How often the child has died of a file. */
unsigned line_reader_deaths(const struct line_reader *reader);

#endif
