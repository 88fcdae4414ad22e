/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line-resolver: look up source lines and inlined functions in the background.
 *
 * Reading DWARF takes from microseconds to many seconds, and much memory, so samples and
 * screens must not wait for it: the line reader does it, a process of low priority
 * (src/read/names/line-reader.h). Questions go in and are kept until line_resolver_start;
 * answers come out in the same order when they are ready. Nothing here waits.
 * If reading a file kills the reader, that file has no lines; nothing else is affected.
 * All functions are for one thread. Most of them take
 * NULL for a resolver that has no questions.
 */
#ifndef CPROFTOP_LINE_RESOLVER_H
#define CPROFTOP_LINE_RESOLVER_H

#include "src/facts/renewal.h"
#include "src/read/names/code-lines.h"
#include "src/read/names/line-question.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_resolver;

/* Forks (see src/read/names/line-reader.h, also for DEBUG_DIRS), so call it before anything else is
   started. */
struct line_resolver *line_resolver_create(const char *debug_dirs);

/* From now on a person waits for the answers: a reader that is begun gets its full share of the
   CPUs instead of only what others leave. */
void line_resolver_hurry(struct line_resolver *resolver);

/* Unanswered questions are dropped. Does not wait for them. */
void line_resolver_destroy(struct line_resolver *resolver);

/* Register the file open at FD (taken over); see elf_lines_open for TRUSTED. Returns its
   number, which is the same for the same file. The file is read when the first address in
   it is asked for. */
uint32_t line_resolver_add_file(struct line_resolver *resolver, int fd, bool trusted);

/* A sample was in code of FILE, or of no file (any other number). To unpack a library's separate
   debugging information takes longer than a thousand samples, so what is TRUSTED, and not wanted, is
   only read once one sample in twenty was in its code; or while there were fewer than a hundred. */
void line_resolver_ran(struct line_resolver *resolver, uint32_t file);
void line_resolver_want(struct line_resolver *resolver, uint32_t file);

/* Keep QUESTION until line_resolver_start. */
void line_resolver_ask(
	struct line_resolver *resolver, const struct line_question *question);

/* Look up the lines of a range at once, before all that waits. The answer is taken by
   line_resolver_take_range: NULL until it is there. The caller owns it. */
void line_resolver_ask_range(
	struct line_resolver *resolver, const struct line_question *question);
struct code_lines *line_resolver_take_range(struct line_resolver *resolver);

/* Look up everything that was asked so far, of files with weight. */
void line_resolver_start(struct line_resolver *resolver);

/* Send and receive what is possible without waiting. To be called now and then, and when
   the descriptor (-1: none) is readable. */
void line_resolver_advance(struct line_resolver *resolver);
int line_resolver_fd(const struct line_resolver *resolver);

/* Take the next answer. False if there is none now. */
bool line_resolver_take(struct line_resolver *resolver, struct line_answer *answer);

/* Is all answered that line_resolver_start was called for? */
bool line_resolver_is_done(const struct line_resolver *resolver);

/* Copy into RENEWAL the locations of the questions that are not answered: the latest of very
   many. */
void line_resolver_carry(const struct line_resolver *resolver, struct renewal *renewal);

/* Locations have other ids now: keep the questions about those that RENEWAL knows. The
   resolver is done, and its answers are taken. */
void line_resolver_renew(struct line_resolver *resolver, const struct renewal *renewal);

/* Files whose debugging information the reader died of: they have no lines. */
unsigned line_resolver_deaths(const struct line_resolver *resolver);

#endif
