/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line-question: what the line resolver is asked, and what it answers.
 */
#ifndef CPROFTOP_LINE_QUESTION_H
#define CPROFTOP_LINE_QUESTION_H

#include <stdint.h>

/* Which lines does VADDR of FILE (a number from line_resolver_add_file) have? LOCATION is
   the profile's for that address. Or with a LIMIT: which lines has all the code from VADDR
   up to there? SERIAL is the asker's. */
struct line_question {
	uint64_t vaddr;
	uint32_t file, location;
	uint64_t limit, serial;
};

/* What was found out about one address. */
struct line_answer {
	uint32_t location;
	uint32_t n_frames;		  /* 0: nothing */
	struct line_answer_frame *frames; /* innermost inlined first; the receiver's */
};

struct line_answer_frame {
	char *name, *file; /* see struct line_frame; the receiver's */
	uint32_t line, start_line;
};

void line_answer_finish(struct line_answer *answer);

#endif
