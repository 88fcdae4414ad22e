/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line-resolver: look up source lines and inlined functions in the background.
 *
 * Reading DWARF takes from microseconds to many seconds, and much memory, so samples and
 * screens must not wait for it: questions go in, and answers come out in the same order
 * when they are ready. A thread, started with the first question, passes them to the line
 * reader, a process of low priority (src/names/line-reader.h), and has it close its files
 * when nothing was asked for a while. All functions are for one thread: the analyst's, or
 * main in dump.
 */
#ifndef CPROFTOP_LINE_RESOLVER_H
#define CPROFTOP_LINE_RESOLVER_H

#include "src/elf/elf-lines.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_resolver;

/* What was found out about one address. */
struct line_answer {
	uint32_t cookie;
	uint32_t n_frames;		  /* 0: nothing */
	struct line_answer_frame *frames; /* innermost inlined first; the receiver's */
};

struct line_answer_frame {
	char *name, *file; /* see struct line_frame; the receiver's */
	uint32_t line, start_line;
};

/* Forks (see src/names/line-reader.h), so call it before anything else is started. */
struct line_resolver *line_resolver_create(void);

/* Call this before the first question if a person waits for the answers: the reader gets
   its full share of the CPUs instead of only what others leave. */
void line_resolver_hurry(struct line_resolver *resolver);

/* Unanswered questions are dropped. Does not wait for them. NULL is fine. */
void line_resolver_destroy(struct line_resolver *resolver);

/* Register the file open at FD (taken over); see elf_lines_open for TRUSTED. Returns its
   number, which is the same for the same file. The file is read when the first address in
   it is asked for. */
uint32_t line_resolver_add_file(struct line_resolver *resolver, int fd, bool trusted);

/* Ask for VADDR of FILE; COOKIE comes back in the answer. */
void line_resolver_ask(
	struct line_resolver *resolver, uint32_t file, uint64_t vaddr, uint32_t cookie);

/* The number of files whose debugging information killed the reader: they have no
   lines. */
unsigned line_resolver_deaths(struct line_resolver *resolver);

/* Take the next answer. False if there is none now. */
bool line_resolver_take(struct line_resolver *resolver, struct line_answer *answer);
void line_answer_finish(struct line_answer *answer);

/* Wait until every question is answered, at most LIMIT_NS. */
bool line_resolver_wait(struct line_resolver *resolver, uint64_t limit_ns);

#endif
