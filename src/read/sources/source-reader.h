/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * source-reader: source files for a screen that must not wait for them.
 *
 * A file may lie on a server that does not answer, or be fetched over the network. So a
 * thread of its own finds and reads it, with the rights of the person who started us
 * (src/read/sources/source-rights.h), and the asker looks again later. What was found is kept,
 * for the SOURCE_FILES_KEPT files that were asked for last.
 *
 * With a debug_fetch, a file that is not on this machine is asked for there, by the build
 * id of the program.
 *
 * Create, ask, wait and destroy are for one thread at a time.
 */
#ifndef CPROFTOP_SOURCE_READER_H
#define CPROFTOP_SOURCE_READER_H

#include "src/read/debuginfod/debug-fetch.h"
#include "src/read/sources/source-file.h"
#include "src/read/sources/source-places.h"
#include "src/read/sources/source-rights.h"

#include <stdbool.h>
#include <stdint.h>

enum {
	SOURCE_FILES_KEPT = 32,
	SOURCE_WHY_MAX = 2048,
};

enum source_state {
	SOURCE_PENDING,
	SOURCE_FOUND,
	SOURCE_MISSING,
};

struct source_reader;

/* RULES are copied; what they point to is borrowed, and so is FETCH; NULL: nothing is fetched.
   The thread is started with the first question. */
struct source_reader *source_reader_create(const struct source_rules *rules,
	const struct source_person *person, struct debug_fetch *fetch);

/* A thread that waits for a file in vain is left behind, with what it needs. NULL is fine. */
void source_reader_destroy(struct source_reader *reader);

/* The file that debugging information calls PATH, of the program with BUILD_ID ("":
   unknown). Found: *FILE is a reference for the caller. Missing: WHY says so and where it was
   looked for, in several lines; some seconds later a question has it looked for once more on
   this machine, and the answer is as before until it is found. Does not wait. */
enum source_state source_reader_ask(struct source_reader *reader, const char *path,
	const char *build_id, const struct source_file **file, char why[SOURCE_WHY_MAX]);

/* Wait until nothing is pending, at most LIMIT_NS. */
void source_reader_wait(struct source_reader *reader, uint64_t limit_ns);

/* To be polled: readable once a file was found, or was not, until source_reader_heed or
   source_reader_ask is called; -1: there is none. READER may be NULL. */
int source_reader_fd(const struct source_reader *reader);
void source_reader_heed(const struct source_reader *reader);

#endif
